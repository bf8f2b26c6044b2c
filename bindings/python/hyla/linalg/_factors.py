"""Factors: Cholesky's, LU, QR."""

import ctypes
from typing import NamedTuple

import numpy as np

from .._cube import library
from .._library import (
    HYLA_ANY_DIAGONAL,
    HYLA_CONJUGATE,
    HYLA_LEFT,
    HYLA_LOWER,
    HYLA_NONE,
    HYLA_TRANSPOSE,
    HYLA_UNIT_DIAGONAL,
    HYLA_UPPER,
    Number,
)
from ._later import not_yet
from ._operands import LinAlgError, Operands

LU, CHOLESKY, QR = 0, 1, 4


def cholesky(a, lower=True, overwrite_a=False, check_finite=True, *, everywhere=True, cube=None):
    """L of a = L L^H, as numpy.linalg.cholesky, which reads a's lower triangle; stacks as in NumPy.
    Collective.

    lower=False, SciPy's default: U of a = U^H U, from a's upper triangle.  overwrite_a does
    nothing.  Raises LinAlgError, with the pivot, unless a is positive definite."""
    operands = Operands(cube, everywhere, check_finite, a=a)
    operands.demand("a", square=True)
    shape = operands.shape["a"]

    def core(undo, index):
        # The upper triangle of A is the lower one of A^H.
        a = operands.matrix(undo, "a", index, "" if lower else "C")
        lib, cube = library(), operands.cube
        at = operands.factor(undo, CHOLESKY, a.rows, a.cols)
        status = lib.hyla_factor_compute(cube._at, at, a.at)
        operands.check(status, lib.hyla_factor_pivot(at))
        found = operands.answer(undo, a.rows, a.cols)
        copy = lib.hyla_factor_lower if lower else lib.hyla_factor_upper
        operands.check(copy(cube._at, at, found.at))
        return (found,)

    (found,) = operands.each(core, shape[:-2], (shape[-2:], operands.dtype))
    return operands.like("a", found)


# --------------------------------------------------------------------- LU --


def _lu_of(operands, undo, index):
    """The factorization of a matrix, and the rows of P A = L U."""
    a = operands.matrix(undo, "a", index)
    lib, cube = library(), operands.cube
    at = operands.factor(undo, LU, a.rows, a.cols)
    status = lib.hyla_factor_compute(cube._at, at, a.at)
    operands.check(status, lib.hyla_factor_pivot(at))
    rows = np.zeros(a.rows, dtype=np.int64)
    place = rows.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
    operands.check(lib.hyla_factor_permutation(cube._at, at, place))
    return at, rows


def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False, *, everywhere=True,
       cube=None):
    """P, L, U of a = P L U, as scipy.linalg.lu; stacks as in newer versions of SciPy.  Collective.

    permute_l: P L and U.  p_indices: instead of P the rows p with which a = L[p] @ U; a DistArray
    has these alone, on every rank.  overwrite_a does nothing.  Unlike SciPy's this raises
    LinAlgError, with the pivot, if a pivot is exactly zero."""
    operands = Operands(cube, everywhere, check_finite, a=a)
    operands.demand("a")
    *lead, m, n = operands.shape["a"]
    k = min(m, n)
    if operands.spread and (permute_l or not p_indices):
        raise ValueError("lu of a DistArray gives p, L, U: p_indices=True, permute_l=False")

    def core(undo, index):
        at, rows = _lu_of(operands, undo, index)
        lower, upper = operands.answer(undo, m, k), operands.answer(undo, k, n)
        lib, cube = library(), operands.cube
        operands.check(lib.hyla_factor_lower(cube._at, at, lower.at))
        operands.check(lib.hyla_factor_upper(cube._at, at, upper.at))
        p = np.empty(m, dtype=np.int64)
        p[rows] = np.arange(m)
        return p, lower, upper

    results = ((m,), np.dtype(np.int64)), ((m, k), operands.dtype), ((k, n), operands.dtype)
    p, lower, upper = operands.each(core, tuple(lead), *results)
    if p_indices and not permute_l:
        return p, lower, upper
    if lower is None:
        return (None, None) if permute_l else (None, None, None)
    if permute_l:
        return np.take_along_axis(lower, p[..., None], -2), upper
    return (p[..., None] == np.arange(m)).astype(operands.real), lower, upper


def _swaps(rows, count):
    """LAPACK's swaps, from 0: row i was exchanged with row swaps[i], i = 0 ... count - 1."""
    at, where = np.arange(len(rows)), np.arange(len(rows))
    swaps = np.empty(count, dtype=np.int32)
    for i in range(count):
        j = where[rows[i]]
        swaps[i] = j
        at[i], at[j] = at[j], at[i]
        where[at[i]], where[at[j]] = i, j
    return swaps


def lu_factor(a, overwrite_a=False, check_finite=True, *, everywhere=True, cube=None):
    """The factors in one array, and the swaps of rows, as scipy.linalg.lu_factor, for lu_solve.
    Collective.  overwrite_a does nothing.  Unlike SciPy's this raises LinAlgError, with the pivot,
    if a pivot is exactly zero.  The swaps are on every rank."""
    operands = Operands(cube, everywhere, check_finite, a=a)
    operands.demand("a")
    *lead, m, n = operands.shape["a"]

    def core(undo, index):
        at, rows = _lu_of(operands, undo, index)
        packed = operands.answer(undo, m, n)
        operands.check(
            library().hyla_factor_packed(operands.cube._at, at, HYLA_LOWER, packed.at)
        )
        return packed, _swaps(rows, min(m, n))

    results = ((m, n), operands.dtype), ((min(m, n),), np.dtype(np.int32))
    return tuple(operands.each(core, tuple(lead), *results))


def _order(swaps, n, back):
    """The rows after the swaps: row i is row order[i] of before; back: after their inverse."""
    order = np.arange(n)
    for i in reversed(range(len(swaps))) if back else range(len(swaps)):
        j = swaps[i]
        order[i], order[j] = order[j], order[i]
    return order


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True, *, everywhere=True,
             cube=None):
    """x of op(a) x = b with lu_factor's (lu, piv), as scipy.linalg.lu_solve: trans is 0 for a, 1 for
    a^T, 2 for a^H.  Collective.  Whole arrays alone; overwrite_b does nothing."""
    lu, piv = lu_and_piv
    operands = Operands(cube, everywhere, check_finite, lu=lu, b=b)
    operands.demand("lu", square=True)
    shape_lu, shape_b = operands.shape["lu"], operands.shape["b"]
    if operands.spread:
        raise ValueError("lu_solve takes whole arrays; of a DistArray take solve")
    if len(shape_lu) != 2 or len(shape_b) not in (1, 2) or shape_b[0] != shape_lu[0]:
        raise LinAlgError(
            "ARGUMENT", f"Shapes of lu {shape_lu} and b {shape_b} are incompatible"
        )
    if trans not in (0, 1, 2):
        raise ValueError(f"trans={trans!r}; it is 0 (a), 1 (a^T) or 2 (a^H)")
    given, n = operands.given["b"], shape_lu[0]
    if trans == 0 and given is not None:
        operands.given["b"] = given[_order(piv, n, back=False)]

    def core(undo, _index):
        lib, cube, one = library(), operands.cube, Number(1, 0)
        a, b = operands.matrix(undo, "lu"), operands.matrix(undo, "b")
        x = operands.answer(undo, b.rows, b.cols)
        operands.check(lib.hyla_matrix_copy(cube._at, b.at, x.at))
        steps = [(HYLA_LOWER, HYLA_UNIT_DIAGONAL), (HYLA_UPPER, HYLA_ANY_DIAGONAL)]
        op = (HYLA_NONE, HYLA_TRANSPOSE, HYLA_CONJUGATE)[trans]
        for triangle, diagonal in steps if trans == 0 else reversed(steps):
            operands.check(
                lib.hyla_trsm(cube._at, HYLA_LEFT, triangle, op, diagonal, one, a.at, x.at)
            )
        return (x,)

    (x,) = operands.each(core, (), (shape_b, operands.dtype))
    return x if x is None or trans == 0 else x[_order(piv, n, back=True)]


# --------------------------------------------------------------------- QR --


class QRResult(NamedTuple):
    """Q and R of a = Q R."""

    Q: np.ndarray
    R: np.ndarray


MODES = {"reduced": "reduced", "economic": "reduced", "complete": "complete", "full": "complete",
         "r": "r", "raw": "raw"}  # fmt: skip


def _local(matrix):
    """This rank's part of a matrix, to change, and its rows' and columns' numbers."""
    from .._dist import DistArray

    seen = DistArray.of(matrix.lent())
    return seen.local, seen.rows, seen.cols


def _view(undo, matrix, row, col, rows, cols):
    made = matrix.part(row, col, rows, cols)
    undo.callback(made.close)
    return made


def _packed(operands, undo, a):
    """The reflections' vectors and R in one matrix, and tau."""
    lib, cube = library(), operands.cube
    at = operands.factor(undo, QR, a.rows, a.cols)
    status = lib.hyla_factor_compute(cube._at, at, a.at)
    operands.check(status, lib.hyla_factor_pivot(at))
    packed = operands.answer(undo, a.rows, a.cols)
    tau = np.zeros(min(a.rows, a.cols))
    operands.check(lib.hyla_factor_packed(cube._at, at, HYLA_LOWER, packed.at))
    operands.check(lib.hyla_factor_reflections(cube._at, at, tau.ctypes.data))
    return packed, tau


def _triangle_of(operands, undo, packed):
    """R, whose rows have the signs that Q's columns want; hyla_factor_upper's may differ."""
    least = min(packed.rows, packed.cols)
    upper = operands.answer(undo, least, packed.cols)
    above = _view(undo, packed, 0, 0, least, packed.cols)
    operands.check(library().hyla_matrix_copy(operands.cube._at, above.at, upper.at))
    part, rows, cols = _local(upper)
    np.copyto(part, 0, where=(cols[:, None] < rows).T)
    return upper


def _orthogonal(operands, undo, packed, tau, cols):
    """The first columns of Q."""
    q = operands.answer(undo, packed.rows, cols)
    scalars = tau.astype(np.complex128)
    operands.check(
        library().hyla_packed_q(operands.cube._at, packed.at, scalars.ctypes.data, q.at)
    )
    return q


def qr(a, mode="reduced", *, pivoting=False, check_finite=True, everywhere=True, cube=None):
    """Q and R of a = Q R, as numpy.linalg.qr; stacks as in NumPy.  Collective.

    mode: "reduced" (SciPy's "economic"), Q m x k and R k x n with k = min(m, n); "complete" (SciPy's
    "full", its default), Q m x m and R m x n; "r", R alone, k x n, an array as in NumPy and no tuple
    as in SciPy; "raw", NumPy's (h, tau), h being the transpose of LAPACK's array, which whole arrays
    alone have.  pivoting is not there yet."""
    if pivoting:
        not_yet("qr", "pivoting is not there yet")
    if mode not in MODES:
        raise ValueError(f"mode={mode!r}; there are 'reduced', 'complete', 'r', 'raw'")
    mode = MODES[mode]
    operands = Operands(cube, everywhere, check_finite, a=a)
    operands.demand("a")
    *lead, m, n = operands.shape["a"]
    k = min(m, n)
    if mode == "raw" and operands.spread:
        raise ValueError("mode='raw' takes a whole array")
    cols = m if mode == "complete" else k

    def core(undo, index):
        a = operands.matrix(undo, "a", index)
        packed, tau = _packed(operands, undo, a)
        if mode == "raw":
            whole = packed.gather(operands.everywhere)
            return None if whole is None else whole.T, tau.astype(operands.dtype)
        upper = _triangle_of(operands, undo, packed)
        return (upper,) if mode == "r" else (_orthogonal(operands, undo, packed, tau, cols), upper)

    types = operands.dtype
    if mode == "raw":
        return tuple(operands.each(core, tuple(lead), ((n, m), types), ((k,), types)))
    if mode == "r":
        return operands.like("a", operands.each(core, tuple(lead), ((k, n), types))[0])
    q, r = operands.each(core, tuple(lead), ((m, cols), types), ((k, n), types))
    if cols > k and r is not None:
        r = _with_zeros(operands, r, cols)
    return QRResult(operands.like("a", q), operands.like("a", r))


def _with_zeros(operands, r, rows):
    """R with zeros below, of mode "complete"."""
    if operands.spread:
        raise ValueError("mode='complete' takes a whole array if it has more rows than columns")
    zeros = np.zeros((*r.shape[:-2], rows - r.shape[-2], r.shape[-1]), r.dtype)
    return np.concatenate([r, zeros], axis=-2)
