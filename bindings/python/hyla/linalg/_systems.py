"""Linear systems, inverses, determinants."""

import ctypes
import math
from typing import NamedTuple

import numpy as np

from .._cube import library
from .._library import (
    HYLA_ANY_DIAGONAL,
    HYLA_LEFT,
    HYLA_LOWER,
    HYLA_NONE,
    HYLA_OK,
    HYLA_REFINE_DEFAULT,
    HYLA_UPPER,
    Number,
    SolveOptions,
    SolveReport,
    Structure,
)
from .._solve import _pick, methods, solve_small
from ._operands import LinAlgError, Operands

# For SciPy's names of structures: the method.
ASSUMED = {
    "gen": "lu", "general": "lu", "sym": "ldl", "symmetric": "ldl", "her": "ldl", "hermitian": "ldl",
    "pos": "cholesky", "positive definite": "cholesky",
}  # fmt: skip

LU, CHOLESKY = 0, 1

# NumPy before 2 takes b as vectors if it has one dimension less than a; NumPy 2 only if b has one.
OLD_NUMPY = int(np.__version__.split(".", maxsplit=1)[0]) < 2


def _structure(operands, a):
    found = Structure()
    operands.check(library().hyla_matrix_structure(operands.cube._at, a.at, ctypes.byref(found)))
    return found


def _dense(a):
    """Do two corners of an array show that it is neither triangular nor Hermitian?  Local; on one
    node alone, where the array is at hand: there the look at A takes longer than many answers."""
    if a._array is None or a.rows < 2:
        return False
    above, below = a._array[0, -1], a._array[-1, 0]
    return above != 0 and below != 0 and above != below.conjugate()


def _by_substitution(operands, triangle, a, b, x):
    lib, cube, report = library(), operands.cube, SolveReport()
    operands.check(lib.hyla_matrix_copy(cube._at, b.at, x.at))
    one = Number(1, 0)
    operands.check(
        lib.hyla_trsm(
            cube._at, HYLA_LEFT, triangle, HYLA_NONE, HYLA_ANY_DIAGONAL, one, a.at, x.at
        )
    )
    return lib.hyla_trsm_check(cube._at, triangle, a.at, b.at, x.at, ctypes.byref(report))


def _by_factors(operands, method, a, b, x):
    """The status and the pivot."""
    lib, cube, report = library(), operands.cube, SolveReport()
    if solve_small(cube, method, a, b, x, report):
        return HYLA_OK, 0
    options = SolveOptions(method, None, HYLA_REFINE_DEFAULT, False)
    status = lib.hyla_solve_expert(
        cube._at, ctypes.byref(options), a.at, b.at, x.at, ctypes.byref(report)
    )
    return status, report.pivot


def _solve_one(operands, method, a, b, x):
    """Solves by the method, a number, or looks at A if it is None."""
    status, pivot = HYLA_OK, 0
    if method is None and _dense(a):
        method = LU
    if method is None:
        seen = _structure(operands, a)
        if a.rows > 0 and (seen.lower == 0 or seen.upper == 0):
            triangle = HYLA_LOWER if seen.upper == 0 else HYLA_UPPER
            if seen.zero:
                raise LinAlgError(
                    "SINGULAR", f"Singular matrix: entry {seen.zero} of A's diagonal is 0", seen.zero
                )
            operands.judged(_by_substitution(operands, triangle, a, b, x))
            return
        method = LU
        if seen.hermitian and seen.positive_diagonal:
            status, pivot = _by_factors(operands, CHOLESKY, a, b, x)
            if operands.cube.status_name(status) != "INDEFINITE":
                operands.judged(status, pivot)
                return
    status, pivot = _by_factors(operands, method, a, b, x)
    operands.judged(status, pivot)


def _mirrored(array, lower, conjugate):
    """The matrices whose triangle is given: symmetric, or Hermitian."""
    if array is None:
        return None
    part = np.tril(array) if lower else np.triu(array)
    other = np.swapaxes(np.tril(part, -1) if lower else np.triu(part, 1), -1, -2)
    made = part + (other.conj() if conjugate else other)
    if conjugate and made.dtype.kind == "c":
        at = np.arange(made.shape[-1])
        made[..., at, at] = made[..., at, at].real
    return made


def _method_of(operands, method, assume_a, lower):
    """The method's number, None to look; A is completed if a structure is assumed."""
    if assume_a is None:
        return None if method == "auto" else _pick("method", method, ("auto", *methods())) - 1
    if assume_a not in ASSUMED:
        raise ValueError(f"assume_a={assume_a!r} is not a recognized matrix structure; there are "
                         "'gen', 'sym', 'her', 'pos'")
    name = ASSUMED[assume_a]
    if name == "lu":
        return LU
    if operands.spread:
        raise ValueError(f"assume_a={assume_a!r} takes a whole array; of a DistArray take method=")
    symmetric = assume_a.startswith("sym") and operands.type >= 2
    operands.given["a"] = _mirrored(operands.given["a"], lower, not symmetric)
    return LU if symmetric else methods().index(name)


def _spread_in_place(operands, undo, x_of):
    """A DistArray whose memory the factors may take: nothing is judged."""
    a, b = operands.matrix(undo, "a"), operands.matrix(undo, "b")
    x, pivot = x_of(undo, b), ctypes.c_int64()
    status = library().hyla_solve_in_place(
        operands.cube._at, a.at, b.at, x.at, ctypes.byref(pivot)
    )
    operands.check(status, pivot.value)
    return (x,)


def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None,
          transposed=False, *, method="auto", everywhere=True, cube=None):
    """x of a x = b, as numpy.linalg.solve and scipy.linalg.solve.  Collective.

    a: matrices; b: vectors or matrices; stacks as NumPy takes them, a DistArray, or arrays that
    only node 0 has (None elsewhere).  Which b are vectors is said by the NumPy that is installed:
    before version 2 those with one dimension less than a, from 2 on those of one dimension.

    method: "auto" looks at a as the command does: triangular matrices are solved by substitution,
    Hermitian ones with a positive diagonal by Cholesky if they turn out definite, others by LU; or
    one of hyla's methods, as in hyla.solve.
    assume_a, lower, transposed, check_finite: SciPy's.  With "sym", "her" and "pos" only one
    triangle of a is read, the upper one unless lower.  transposed solves a^T x = b, of complex a
    too.  With check_finite=False a NaN gives NaN, as in NumPy, instead of an error.
    overwrite_a, overwrite_b: whole arrays are never overwritten.  A DistArray a is, if
    overwrite_a: it is factored by LU in its own memory, and x is not judged.

    x is judged otherwise: an x that cannot be trusted comes with an UnreliableWarning.  Raises
    LinAlgError for a singular a and for wrong shapes."""
    operands = Operands(cube, everywhere, check_finite, a=a, b=b)
    operands.demand("a", square=True)
    shape_a, shape_b = operands.shape["a"], operands.shape["b"]
    n = shape_a[-1]
    if not shape_b:
        raise LinAlgError("ARGUMENT", "b is a number; it must be a vector or a matrix")
    vector = len(shape_b) == (len(shape_a) - 1 if OLD_NUMPY else 1)
    if len(shape_b) == 1 and not vector:
        vector = True
    one_b = shape_b[-1:] if vector else shape_b[-2:]
    if one_b[0] != n:
        raise LinAlgError(
            "ARGUMENT", f"b has the shape {shape_b}; with a of shape {shape_a} it has {n} rows"
        )
    stack = np.broadcast_shapes(shape_a[:-2], shape_b[: len(shape_b) - len(one_b)])
    number = _method_of(operands, method, assume_a, lower)
    if vector:
        operands.columns("b")

    def x_of(undo, b):
        return operands.answer(undo, b.rows, b.cols)

    def core(undo, index):
        if operands.spread and overwrite_a and not transposed:
            return _spread_in_place(operands, undo, x_of)
        a = operands.matrix(undo, "a", index, "T" if transposed else "")
        b = operands.matrix(undo, "b", index)
        x = x_of(undo, b)
        _solve_one(operands, number, a, b, x)
        return (x,)

    (x,) = operands.each(core, stack, (one_b, operands.dtype))
    return operands.like("b", x)


def _invert_one(operands, method, a, x):
    lib, cube, pivot = library(), operands.cube, ctypes.c_int64()
    status = lib.hyla_invert(cube._at, method, a.at, x.at, ctypes.byref(pivot))
    return status, pivot.value


def inv(a, overwrite_a=False, check_finite=True, *, method="auto", everywhere=True, cube=None):
    """a^-1, as numpy.linalg.inv and scipy.linalg.inv; stacks as in NumPy.  Collective.

    method: as in solve; "auto" takes Cholesky, in half the operations, for a Hermitian a with a
    positive diagonal that turns out definite.  overwrite_a does nothing.  An inverse that cannot be
    trusted comes with an UnreliableWarning.  Raises LinAlgError for a singular a."""
    operands = Operands(cube, everywhere, check_finite, a=a)
    operands.demand("a", square=True)
    shape = operands.shape["a"]
    number = _method_of(operands, method, None, False)

    def core(undo, index):
        a = operands.matrix(undo, "a", index)
        x, chosen = operands.answer(undo, a.rows, a.cols), number
        if chosen is None and _dense(a):
            chosen = LU
        if chosen is None:
            seen = _structure(operands, a)
            chosen = CHOLESKY if seen.hermitian and seen.positive_diagonal else LU
        status, pivot = _invert_one(operands, chosen, a, x)
        if number is None and operands.cube.status_name(status) == "INDEFINITE":
            status, pivot = _invert_one(operands, LU, a, x)
        operands.check(status, pivot)
        report = SolveReport()
        operands.judged(
            library().hyla_invert_check(operands.cube._at, a.at, x.at, ctypes.byref(report))
        )
        return (x,)

    (x,) = operands.each(core, shape[:-2], (shape[-2:], operands.dtype))
    return operands.like("a", x)


class SlogdetResult(NamedTuple):
    """The determinant is sign * exp(logabsdet)."""

    sign: np.ndarray
    logabsdet: np.ndarray


def _sign_and_log(operands, undo, index):
    a = operands.matrix(undo, "a", index)
    at = operands.factor(undo, LU, a.rows, a.cols)
    lib, cube = library(), operands.cube
    status = lib.hyla_factor_compute(cube._at, at, a.at)
    if cube.status_name(status) == "SINGULAR":
        return 0.0, -math.inf
    operands.check(status)
    log, sign = ctypes.c_double(), (ctypes.c_double * 2)()
    operands.check(lib.hyla_factor_determinant(cube._at, at, ctypes.byref(log), sign))
    return (complex(*sign) if operands.type >= 2 else sign[0]), log.value


def slogdet(a, *, check_finite=True, everywhere=True, cube=None):
    """The sign and the logarithm of |det a|, as numpy.linalg.slogdet; stacks as in NumPy.  Every
    rank gets them.  Collective.  A singular a has sign 0 and logarithm -inf."""
    operands = Operands(cube, everywhere, check_finite, a=a)
    operands.demand("a", square=True)

    def core(undo, index):
        sign, log = _sign_and_log(operands, undo, index)
        return operands.dtype.type(sign), operands.real.type(log)

    results = ((), operands.dtype), ((), operands.real)
    return SlogdetResult(*operands.each(core, operands.shape["a"][:-2], *results))


def det(a, overwrite_a=False, check_finite=True, *, everywhere=True, cube=None):
    """The determinant, as numpy.linalg.det, in its types, and scipy.linalg.det; stacks as in NumPy.
    Every rank gets it.  Collective.  It is the product of slogdet's sign and exp(logabsdet), and
    has their rounding errors: where it is huge or tiny take slogdet.  overwrite_a does nothing."""
    operands = Operands(cube, everywhere, check_finite, a=a)
    operands.demand("a", square=True)

    def core(undo, index):
        sign, log = _sign_and_log(operands, undo, index)
        with np.errstate(over="ignore"):
            size = np.exp(np.float64(log))
            return (operands.dtype.type(sign * size if sign != 0 else 0),)

    (found,) = operands.each(core, operands.shape["a"][:-2], ((), operands.dtype))
    return found
