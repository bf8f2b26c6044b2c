"""hyla.linalg: the names, arguments and returns of numpy.linalg and scipy.linalg, on all ranks.

    import hyla.linalg as linalg
    x = linalg.solve(a, b)

As in the package hyla every rank makes each call: an array that goes in is taken from node 0, and
the other ranks give the same array, or None; a result is on every rank, or with everywhere=False on
node 0 alone.  Plain arrays come back.  A DistArray, of which each rank holds a part, may stand in
the place of any matrix; DistArrays come back then, and no rank needs memory for a whole matrix.

    solve, inv, det, slogdet            linear systems, inverses, determinants
    cholesky, lu, lu_factor, lu_solve   factors
    qr                                  orthogonal factors
    eigh, eigvalsh                      eigenvalues and vectors of Hermitian matrices
    norm, cond, matmul                  norms, condition numbers, products
    svd, svdvals, matrix_rank, pinv     singular values and what they are for
    lstsq                               least squares, by QR

Where NumPy and SciPy differ, NumPy's convention holds: stacks of matrices are taken one by one; types
are NumPy's (float32 stays float32, integers become float64, float16 is refused); cholesky gives L,
and qr the reduced factors.  SciPy's holds for what is not finite: an error, unless
check_finite=False.  LinAlgError is numpy.linalg.LinAlgError; an answer that cannot be trusted comes
with an UnreliableWarning.
"""

from .._dist import DistArray, local_shape
from .._solve import UnreliableWarning
from ._factors import QRResult, cholesky, lu, lu_factor, lu_solve, qr
from ._numbers import cond, matmul, norm
from ._operands import LinAlgError
from ._singular import SVDResult, matrix_rank, pinv, svd, svdvals
from ._spectra import EighResult, eigh, eigvalsh
from ._squares import lstsq
from ._systems import SlogdetResult, det, inv, slogdet, solve

__all__ = [
    "DistArray",
    "EighResult",
    "LinAlgError",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "UnreliableWarning",
    "cholesky",
    "cond",
    "det",
    "eigh",
    "eigvalsh",
    "inv",
    "local_shape",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul",
    "matrix_rank",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
]
