"""Linear systems."""

import ctypes
import functools
import math
import warnings
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from ._cube import default_cube, library, text
from ._library import (
    HYLA_NONE,
    HYLA_OK,
    HYLA_REFINE_DEFAULT,
    HYLA_REFINE_EXTENDED,
    HYLA_REFINE_FIXED,
    HYLA_REFINE_MIXED,
    HYLA_REFINE_MIXED_EXTENDED,
    HYLA_REFINE_NONE,
    HYLA_UNRELIABLE,
    SolveOptions,
    SolveReport,
)
from ._kept import give, take
from ._matrix import Arrays, Matrix
from ._product import cost_of, operation

REFINEMENTS = {
    "default": HYLA_REFINE_DEFAULT,
    "none": HYLA_REFINE_NONE,
    "fixed": HYLA_REFINE_FIXED,
    "mixed": HYLA_REFINE_MIXED,
    "extended": HYLA_REFINE_EXTENDED,
    "mixed-extended": HYLA_REFINE_MIXED_EXTENDED,
}


class UnreliableWarning(UserWarning):
    """A solution exists but cannot be trusted; the message says why."""


@dataclass(frozen=True)
class Solution:
    """x, and how good it is, as hyla_solve_report in hyla.h.

    reliable: x can be trusted; rcond: an estimate of the reciprocal condition number; growth: of
    the entries of U; residual: below 1 is good, above 16 is wrong; backward_error,
    componentwise_error: the relative change of A and b for which x is exact; forward_bound: a bound
    for the error of x; refinements: number of steps tried; equilibrated: a was scaled first, and
    rcond and growth are those of the scaled a; method, variant: by which a was factored; fallback:
    why refinement "mixed" or "mixed-extended" was done in full precision, "" if it was not."""

    x: np.ndarray
    reliable: bool
    rcond: float
    growth: float
    residual: float
    backward_error: float
    componentwise_error: float
    forward_bound: float
    refinements: int
    equilibrated: bool
    method: str
    variant: str
    fallback: str


# Members of a Solution that have the same names in the report.
FIGURES = (
    "reliable", "rcond", "growth", "residual", "backward_error", "componentwise_error", "forward_bound",
    "refinements", "equilibrated",
)  # fmt: skip


def _solution(report, **others):
    """A Solution made without its constructor, which sets each field by a call."""
    made = Solution.__new__(Solution)
    made.__dict__.update(others)
    made.__dict__.update({name: getattr(report, name) for name in FIGURES})
    return made


# An answer with a residual above this is wrong.
RESIDUAL_LIMIT = 16


@functools.lru_cache(maxsize=None)
def methods():
    """The names of the methods, "lu" first."""
    names = []
    while found := library().hyla_method_at(len(names)):
        names.append(found.contents.name.decode())
    return tuple(names)


def _pick(what, name, names):
    for number, one in enumerate(names):
        if one == name:
            return number
    raise ValueError(f"the {what} {name!r}; there are {', '.join(names)}")


# Up to this order planning a factorization is a good part of the time for a solution.
SMALL = 512


def solve_small(cube, method, a, b, x, report):
    """Solves with a factorization kept from the last system of this shape.  True: x and the report
    are good.  Otherwise hyla_solve_expert, which also sees what scaling can do, has the verdict."""
    if a.rows > SMALL:
        return False
    lib = library()
    key, at = take(cube, method, a.type, a.rows, a.rows, b.cols)
    try:
        return (
            lib.hyla_factor_compute(cube._at, at, a.at) == HYLA_OK
            and lib.hyla_factor_solve(cube._at, at, HYLA_NONE, b.at, x.at) == HYLA_OK
            and lib.hyla_factor_check(
                cube._at, at, a.at, b.at, HYLA_REFINE_DEFAULT, x.at, ctypes.byref(report)
            ) == HYLA_OK
        )
    finally:
        give(cube, key, at)


def _solve_quickly(cube, number, name, a, b, x, warn):
    """The report of a solution with its residual alone, and the variant."""
    lib, at = library(), ctypes.c_void_p()
    found = SolveReport(residual=math.nan)
    for figure in ("rcond", "growth", "backward_error", "componentwise_error", "forward_bound"):
        setattr(found, figure, math.nan)
    try:
        cube.check(
            lib.hyla_factor_create_rectangular(
                cube._at, number, a.type, a.rows, a.cols, max(1, b.cols), None, name, ctypes.byref(at)
            )
        )
        found.variant = lib.hyla_plan_variant(lib.hyla_factor_plan(at))
        status = lib.hyla_factor_compute(cube._at, at, a.at)
        cube.check(status, lib.hyla_factor_pivot(at))
        cube.check(lib.hyla_factor_solve(cube._at, at, HYLA_NONE, b.at, x.at))
    finally:
        lib.hyla_factor_destroy(ctypes.byref(at))
    value = ctypes.c_double()
    cube.check(lib.hyla_residual(cube._at, a.at, x.at, b.at, ctypes.byref(value)))
    found.residual = value.value
    found.reliable = value.value <= RESIDUAL_LIMIT
    if not found.reliable:
        warn(f"the residual is {value.value:.3g}, above {RESIDUAL_LIMIT}: the answer is wrong")
    return found


def solve(a, b, *, method="lu", variant=None, refinement="default", equilibrate=False, quick=False,
          everywhere=True, cube=None):
    """Solves a x = b and says how good x is.  Collective.

    a: n x n; b: n or n x m.  method: "lu", "cholesky" (a Hermitian positive definite; its lower
    triangle is read) or another one of methods(); variant: of the method, by default the one
    predicted to be the fastest.  refinement: "fixed" improves x by its residual; "mixed" does the
    same with an a of type float64 or complex128 factored in half the precision; "extended" and
    "mixed-extended" take residuals in twice the precision, until only rounding is wrong in x;
    "none" leaves x as it is; "default" is "none", but "fixed" for "gauss-jordan".  equilibrate:
    rows and columns of a are scaled first if their sizes are very different.  quick: only the
    residual is computed; the other figures are nan, and there is neither refinement nor
    equilibration.  Returns a Solution; one that cannot be trusted comes with an UnreliableWarning.
    Raises Error, with the pivot if a has no factorization."""
    cube = cube or default_cube()
    lib = library()
    name = None if variant is None else variant.encode()
    number = _pick("method", method, methods())
    _pick("refinement", refinement, REFINEMENTS)
    if quick and (equilibrate or refinement not in ("default", "none")):
        raise ValueError("quick leaves out what refinement and equilibrate need")
    plain = name is None and refinement == "default" and not equilibrate and not quick
    arrays, report = Arrays(cube, a=a, b=b), SolveReport()

    def warn(text):
        warnings.warn(text, UnreliableWarning, 3)

    with arrays.matrix("a") as x_a, arrays.matrix("b") as x_b:
        with Matrix.answer(cube, arrays.type, *arrays.shapes["b"]) as x:
            if quick:
                report = _solve_quickly(cube, number, name, x_a, x_b, x, warn)
            elif not (plain and solve_small(cube, number, x_a, x_b, x, report)):
                options = SolveOptions(number, name, REFINEMENTS[refinement], equilibrate)
                status = lib.hyla_solve_expert(
                    cube._at, ctypes.byref(options), x_a.at, x_b.at, x.at, ctypes.byref(report)
                )
                if status == HYLA_UNRELIABLE:
                    warn(lib.hyla_cube_message(cube._at).decode())
                    status = HYLA_OK
                cube.check(status, report.pivot)
            return _solution(
                report,
                x=x.gather(everywhere, arrays.dims["b"]),
                method=method,
                variant=report.variant.decode(),
                fallback=(report.fallback or b"").decode(),
            )


class Factor:
    """The factors of a matrix, made by factor(), for many solutions until close() or the end of
    `with`.

    m, n: rows and columns; method; variant; cost: of one factorization and, for a square matrix,
    one solution; seconds: predicted; text: why this variant."""

    def __init__(self, a, method="lu", nrhs=1, variant=None, cube=None):
        self._at = ctypes.c_void_p()
        self._cube = cube = cube or default_cube()
        lib = library()
        number = _pick("method", method, methods())
        arrays = Arrays(cube, a=a)
        self.method, self._type = method, arrays.type
        self.m, self.n = arrays.shapes["a"]
        if self.m != self.n:
            nrhs = 0
        with ExitStack() as undo, arrays.matrix("a") as matrix:
            undo.callback(self.close)
            name = None if variant is None else variant.encode()
            cube.check(
                lib.hyla_factor_create_rectangular(
                    cube._at,
                    number,
                    self._type,
                    self.m,
                    self.n,
                    nrhs,
                    None,
                    name,
                    ctypes.byref(self._at),
                )
            )
            status = lib.hyla_factor_compute(cube._at, self._at, matrix.at)
            cube.check(status, lib.hyla_factor_pivot(self._at))
            self._norm, self._exponent = matrix.norm_one()
            undo.pop_all()
        cube._kept.add(self)

    def close(self):
        """Ends the factorization.  Local."""
        if self._at:
            library().hyla_factor_destroy(ctypes.byref(self._at))

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def solve(self, b, op="N", everywhere=True):
        """x of op(a) x = b, op being "N", "T" (transpose) or "C" (conjugate transpose).  b has at
        most nrhs columns.  Collective."""
        number = operation(op)
        arrays = Arrays(self._cube, b=b)
        # The factors' type; a real one would lose the imaginary parts of b.
        if arrays.type > self._type and arrays.type >= 2 > self._type:
            raise TypeError("b is complex and the factors are real: factor a complex matrix")
        arrays.type = self._type
        with arrays.matrix("b") as matrix, Matrix.answer(self._cube, self._type, *arrays.shapes["b"]) as x:
            self._cube.check(
                library().hyla_factor_solve(self._cube._at, self._at, number, matrix.at, x.at)
            )
            return x.gather(everywhere, arrays.dims["b"])

    def _matrix_of(self, call, rows, cols, everywhere):
        with Matrix(self._cube, self._type, rows, cols) as matrix:
            self._cube.check(call(self._cube._at, self._at, matrix.at))
            return matrix.gather(everywhere)

    def lower(self, everywhere=True):
        """L, m x min(m, n).  Collective."""
        return self._matrix_of(
            library().hyla_factor_lower, self.m, min(self.m, self.n), everywhere
        )

    def upper(self, everywhere=True):
        """U, min(m, n) x n.  Collective."""
        return self._matrix_of(
            library().hyla_factor_upper, min(self.m, self.n), self.n, everywhere
        )

    def permutation(self):
        """The rows of P A = L U: row i of P A is row permutation()[i] of A.  Collective."""
        rows = np.zeros(self.m, dtype=np.int64)
        self._cube.check(
            library().hyla_factor_permutation(
                self._cube._at, self._at, rows.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
            )
        )
        return rows

    def inverse(self, everywhere=True):
        """A^-1.  To solve A x = b, call solve instead.  Collective."""
        return self._matrix_of(library().hyla_factor_inverse, self.n, self.n, everywhere)

    def rcond(self):
        """An estimate of 1 / (|A| |A^-1|) in the 1-norm: 1 is best.  Collective."""
        value = ctypes.c_double()
        self._cube.check(
            library().hyla_factor_condition(
                self._cube._at, self._at, self._norm, ctypes.byref(value)
            )
        )
        return math.ldexp(value.value, -self._exponent)

    @property
    def _plan(self):
        return library().hyla_factor_plan(self._at)

    variant = property(lambda self: library().hyla_plan_variant(self._plan).decode())
    cost = property(lambda self: cost_of(self._plan))
    seconds = property(lambda self: library().hyla_plan_seconds(self._plan))

    @property
    def text(self):
        plan = self._plan
        return text(lambda at, size: library().hyla_plan_explain(plan, at, size))


def factor(a, *, method="lu", nrhs=1, variant=None, cube=None):
    """The factors of a, for solutions with up to nrhs right-hand sides at a time, in a's type; by
    "lu" also the factors of an a that is not square.  Collective.

    Arguments as in solve().  Returns a Factor; raises Error, with the pivot if a has no factors."""
    return Factor(a, method, nrhs, variant, cube)
