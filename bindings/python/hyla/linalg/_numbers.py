"""Norms, condition numbers, products."""

import ctypes
import math

import numpy as np
from numpy.linalg import norm as numpys_norm

from .._cube import library
from .._library import HYLA_NONE, HYLA_NORM_FRO, HYLA_NORM_INF, HYLA_NORM_MAX, HYLA_NORM_ONE, Number
from ._later import not_yet
from ._operands import LinAlgError, Operands
from ._systems import inv

# NumPy's norms that the library has, of matrices and of vectors.
OF_MATRIX = {None: HYLA_NORM_FRO, "fro": HYLA_NORM_FRO, 1: HYLA_NORM_ONE, math.inf: HYLA_NORM_INF}
OF_VECTOR = {None: HYLA_NORM_FRO, 2: HYLA_NORM_FRO, 1: HYLA_NORM_ONE, math.inf: HYLA_NORM_MAX}


def norm(a, ord=None, axis=None, keepdims=False, check_finite=True, *, everywhere=True, cube=None):
    """A norm of a matrix or a vector, as numpy.linalg.norm and scipy.linalg.norm.  Every rank gets
    it.  Collective.

    ord: of a matrix None, "fro", 1, inf; of a vector None, 1, 2, inf; those of singular values are
    not there yet.  Every other norm, and norms along axes, of arrays that each rank has whole are
    NumPy's own.  A NaN gives NaN; check_finite does nothing."""
    operands = Operands(cube, everywhere, a=a)
    dims = len(operands.shape["a"])
    kinds = OF_MATRIX if dims == 2 else OF_VECTOR
    flat = ord is None and dims not in (1, 2)
    if axis is not None or not (flat or (dims in (1, 2) and ord in kinds)):
        return _numpys(operands, ord, axis, keepdims)
    if flat:
        operands.flatten("a")

    def core(undo, index):
        matrix, value = operands.matrix(undo, "a"), ctypes.c_double()
        operands.check(
            library().hyla_matrix_norm(
                operands.cube._at, matrix.at, kinds[ord], ctypes.byref(value)
            )
        )
        return (operands.real.type(value.value),)

    (found,) = operands.each(core, (), ((), operands.real))
    return np.full((1,) * dims, found) if keepdims else found


def _numpys(operands, ord, axis, keepdims):
    a = operands.given["a"]
    dims = len(operands.shape["a"])
    pair = axis is None and dims == 2 or isinstance(axis, tuple) and len(axis) == 2
    if pair and ord in (2, -2, "nuc"):
        not_yet("norm", f"ord={ord!r} takes singular values")
    if operands.spread:
        raise NotImplementedError(f"the norm of a DistArray with ord={ord!r}, axis={axis!r}")
    missing = operands.cube.max([int(a is None)])[0] if not operands.cube._alone else 0
    if missing:
        raise ValueError(f"norm with ord={ord!r}, axis={axis!r} takes the array on every rank")
    return numpys_norm(a, ord, axis, keepdims)


def cond(x, p=None, *, everywhere=True, cube=None):
    """The condition number norm(x, p) norm(x^-1, p), as numpy.linalg.cond; stacks as in NumPy.
    Every rank gets it.  Collective.

    p: None and 2, the largest singular value divided by the smallest one, and -2, its inverse, for x
    of any shape; 1, -1, inf, -inf, "fro".  A singular x has the condition number inf."""
    operands = Operands(cube, everywhere, x=x)
    shape = operands.shape["x"]
    if 0 in shape:
        raise LinAlgError("ARGUMENT", "cond is not defined on empty arrays")
    operands.demand("x", square=p not in (None, 2, -2))
    if p in (None, 2, -2):
        return _by_values(x, p, everywhere, operands.cube)
    if p not in (1, -1, math.inf, -math.inf, "fro"):
        raise ValueError("Invalid norm order for matrices.")
    if operands.spread and p in (-1, -math.inf):
        raise NotImplementedError(f"cond of a DistArray with p={p!r}; p may be 1, inf, 'fro'")
    return _cond(operands, p, shape)


def _by_values(x, p, everywhere, cube):
    from ._singular import svdvals

    s = svdvals(x, check_finite=False, everywhere=everywhere, cube=cube)
    with np.errstate(all="ignore"):
        found = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    # A matrix of zeros, as in NumPy.
    return np.where(np.isnan(found) & (s[..., 0] == 0), np.inf, found)[()]


def _cond(operands, p, shape):
    from . import _systems

    lead = shape[:-2]
    operands.check_finite = False

    def sized(matrix):
        kind, cube, value = abs(p) if p != "fro" else p, operands.cube, ctypes.c_double()
        if p != "fro" and p < 0:
            whole = matrix.gather(True)
            return float(numpys_norm(whole, p))
        operands.check(
            library().hyla_matrix_norm(cube._at, matrix.at, OF_MATRIX[kind], ctypes.byref(value))
        )
        return value.value

    def core(undo, index):
        a = operands.matrix(undo, "x", index)
        x = operands.answer(undo, a.rows, a.cols)
        before = sized(a)
        if math.isnan(before):
            return (operands.real.type(math.nan),)
        status, pivot = _systems._invert_one(operands, _systems.LU, a, x)
        if operands.cube.status_name(status) == "SINGULAR":
            return (operands.real.type(math.inf),)
        operands.check(status, pivot)
        with np.errstate(over="ignore"):
            return (operands.real.type(before * sized(x)),)

    (found,) = operands.each(core, lead, ((), operands.real))
    return found


def matmul(x1, x2, *, everywhere=True, cube=None):
    """The product, as numpy.matmul: of matrices and stacks of matrices; a vector on the left is a
    row, one on the right a column, and their axis is left out of the result; of two vectors a
    number.  Collective.  hyla.matmul gives the variant and its cost besides."""
    operands = Operands(cube, everywhere, x1=x1, x2=x2)
    s1, s2 = operands.shape["x1"], operands.shape["x2"]
    if not s1 or not s2:
        raise ValueError(f"matmul of the shapes {s1} and {s2}: operands have at least one dimension")
    row, column = len(s1) == 1, len(s2) == 1
    k1, k2 = s1[-1], s2[0] if column else s2[-2]
    if k1 != k2:
        raise ValueError(
            f"matmul of the shapes {s1} and {s2}: {k1} columns meet {k2} rows; they must be equal"
        )
    if row:
        operands.rows("x1")
    if column:
        operands.columns("x2")
    stack = np.broadcast_shapes(s1[:-2], s2[:-2])
    shape = (() if row else s1[-2:-1]) + (() if column else s2[-1:])

    def core(undo, index):
        a = operands.matrix(undo, "x1", index, "T" if row and operands.spread else "")
        b = operands.matrix(undo, "x2", index)
        c = operands.answer(undo, a.rows, b.cols)
        one, zero = Number(1, 0), Number(0, 0)
        operands.check(
            library().hyla_gemm(
                operands.cube._at, HYLA_NONE, HYLA_NONE, one, a.at, b.at, zero, c.at
            )
        )
        return (_shaped(operands, undo, c, row, column),)

    (found,) = operands.each(core, stack, (shape, operands.dtype))
    return found


def _shaped(operands, undo, c, row, column):
    """Of a row times something a vector or a number."""
    if row and column:
        return c.gather(True)[0, 0]
    if row and operands.spread:
        turned = c.turned("T")
        undo.callback(turned.close)
        return turned
    if row:
        whole = c.gather(operands.everywhere)
        return None if whole is None else whole[0]
    return c
