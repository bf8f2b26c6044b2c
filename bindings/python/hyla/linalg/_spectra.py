"""Eigenvalues."""

from typing import NamedTuple

import numpy as np

from .._cube import library
from .._library import HYLA_LOWER, HYLA_UPPER
from ._operands import LinAlgError, Operands

TRIANGLES = {"L": HYLA_LOWER, "U": HYLA_UPPER}


class EighResult(NamedTuple):
    """a v = v diag(w): w ascending, the columns of v orthonormal."""

    eigenvalues: np.ndarray
    eigenvectors: np.ndarray


def _spectrum(operands, UPLO, vectors):
    """The values, and the vectors if they are wanted."""
    operands.demand("a", square=True)
    triangle = TRIANGLES.get(str(UPLO).upper())
    if triangle is None:
        raise ValueError(f"UPLO={UPLO!r}; UPLO argument must be 'L' or 'U'")
    *lead, n, _ = operands.shape["a"]

    def core(undo, index):
        a, values = operands.matrix(undo, "a", index), np.zeros(n)
        v = operands.answer(undo, n, n) if vectors else None
        status = library().hyla_eigen(
            operands.cube._at, triangle, a.at, values.ctypes.data, v.at if vectors else None
        )
        if operands.cube.status_name(status) == "UNRELIABLE":
            message = library().hyla_cube_message(operands.cube._at).decode()
            raise LinAlgError("UNRELIABLE", message)
        operands.check(status)
        return (values.astype(operands.real), v) if vectors else (values.astype(operands.real),)

    results = [((n,), operands.real)] + [((n, n), operands.dtype)] * vectors
    return operands.each(core, tuple(lead), *results)


def eigh(a, UPLO="L", *, check_finite=True, everywhere=True, cube=None):
    """Eigenvalues and orthonormal vectors of a Hermitian a, as numpy.linalg.eigh, of which one
    triangle is read; stacks as in NumPy.  The values are on every rank; of a DistArray the vectors
    are one.  Collective.  Raises LinAlgError if a value does not converge."""
    operands = Operands(cube, everywhere, check_finite, a=a)
    w, v = _spectrum(operands, UPLO, True)
    return EighResult(w, operands.like("a", v))


def eigvalsh(a, UPLO="L", *, check_finite=True, everywhere=True, cube=None):
    """The eigenvalues of a Hermitian a, ascending, as numpy.linalg.eigvalsh, on every rank.
    Collective.  UPLO and errors as of eigh."""
    return _spectrum(Operands(cube, everywhere, check_finite, a=a), UPLO, False)[0]
