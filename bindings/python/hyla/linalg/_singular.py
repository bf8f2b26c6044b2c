"""Singular values."""

from typing import NamedTuple

import numpy as np

from .._cube import library
from .._dist import DistArray
from ._factors import qr
from ._later import not_yet
from ._numbers import matmul
from ._operands import LinAlgError, Operands


class SVDResult(NamedTuple):
    """a = U diag(S) Vh: S descending, the columns of U and the rows of Vh orthonormal."""

    U: np.ndarray
    S: np.ndarray
    Vh: np.ndarray


def _singular(operands, vectors):
    """The values, between the vectors if these are wanted."""
    operands.demand("a")
    *lead, m, n = operands.shape["a"]
    k = min(m, n)

    def core(undo, index):
        a, values = operands.matrix(undo, "a", index), np.zeros(k)
        u = operands.answer(undo, m, k) if vectors else None
        vh = operands.answer(undo, k, n) if vectors else None
        status = library().hyla_svd(
            operands.cube._at,
            a.at,
            values.ctypes.data,
            u.at if vectors else None,
            vh.at if vectors else None,
        )
        if operands.cube.status_name(status) == "UNRELIABLE":
            message = library().hyla_cube_message(operands.cube._at).decode()
            raise LinAlgError("UNRELIABLE", message)
        operands.check(status)
        values = values.astype(operands.real)
        return (u, values, vh) if vectors else (values,)

    of_values = ((k,), operands.real)
    of_u, of_vh = ((m, k), operands.dtype), ((k, n), operands.dtype)
    return operands.each(core, tuple(lead), *((of_u, of_values, of_vh) if vectors else (of_values,)))


def _completed(u, cube):
    """Orthonormal columns with further ones behind them, as many as there are rows."""
    whole = qr(u, "complete", cube=cube).Q
    whole[..., : u.shape[-1]] = u
    return whole


def _adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def svd(
    a, full_matrices=True, compute_uv=True, hermitian=False, *, check_finite=True, everywhere=True,
    cube=None,
):  # fmt: skip
    """Singular values and vectors, as numpy.linalg.svd; stacks as in NumPy.  The values are on every
    rank.  Of a DistArray the vectors are two; it must be square, or full_matrices False.  hermitian
    makes no difference.  Collective.  Raises LinAlgError if a value does not converge."""
    if not compute_uv:
        return svdvals(a, check_finite=check_finite, everywhere=everywhere, cube=cube)
    operands = Operands(cube, everywhere, check_finite, a=a)
    operands.demand("a")
    m, n = operands.shape["a"][-2:]
    full = full_matrices and m != n
    if full and operands.spread:
        raise ValueError("full_matrices=True: of a DistArray that is not square min(m, n) vectors are found")
    operands.everywhere = everywhere or full
    u, s, vh = _singular(operands, True)
    if full and m > n:
        u = _completed(u, operands.cube)
    elif full:
        vh = _adjoint(_completed(_adjoint(vh), operands.cube))
    if not everywhere and operands.cube.address != 0 and not operands.spread:
        u = vh = None
    return SVDResult(operands.like("a", u), s, operands.like("a", vh))


def svdvals(a, *, check_finite=True, everywhere=True, cube=None):
    """The singular values of a, descending, as scipy.linalg.svdvals, on every rank.  Collective.
    Errors as of svd."""
    return _singular(Operands(cube, everywhere, check_finite, a=a), False)[0]


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None, everywhere=True, cube=None):
    """How many singular values are above tol, as numpy.linalg.matrix_rank, on every rank; hermitian
    makes no difference.  Collective."""
    operands = Operands(cube, everywhere, a=A)
    if len(operands.shape["a"]) < 2:
        return int(not np.all(np.asarray(A) == 0))
    if tol is not None and rtol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    s = svdvals(A, everywhere=everywhere, cube=cube)
    if tol is None:
        sizes = max(operands.shape["a"][-2:])
        share = sizes * np.finfo(s.dtype).eps if rtol is None else np.asarray(rtol)[..., None]
        tol = s.max(axis=-1, keepdims=True, initial=0) * share
    else:
        tol = np.asarray(tol)[..., None]
    return np.count_nonzero(s > tol, axis=-1)


def pinv(
    a, rcond=None, hermitian=False, *, rtol=None, check_finite=True, everywhere=True, cube=None
):  # fmt: skip
    """The pseudoinverse of a, as numpy.linalg.pinv: singular values up to rcond times the largest
    one (1e-15 if neither rcond nor rtol is given) count as zeros; hermitian makes no difference.
    Collective."""
    if isinstance(a, DistArray):
        not_yet("pinv", "of a DistArray it is not there yet")
    if rcond is not None and rtol is not None:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    share = np.asarray(rcond if rcond is not None else 1e-15 if rtol is None else rtol)
    u, s, vh = svd(a, False, check_finite=check_finite, cube=cube)
    large = s > share[..., None] * s.max(axis=-1, keepdims=True, initial=0)
    inverse = np.divide(1, s, where=large, out=np.zeros_like(s))
    return matmul(_adjoint(vh) * inverse[..., None, :], _adjoint(u), everywhere=everywhere, cube=cube)
