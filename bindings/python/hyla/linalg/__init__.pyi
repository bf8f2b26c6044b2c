from typing import Any, Literal, NamedTuple, NoReturn, Sequence, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import Cube, DistArray as DistArray, Error, UnreliableWarning as UnreliableWarning

_Array = NDArray[Any]
_Order = float | Literal["fro", "nuc"] | None

class LinAlgError(Error, np.linalg.LinAlgError, ValueError): ...

class SlogdetResult(NamedTuple):
    sign: Any
    logabsdet: Any

class EighResult(NamedTuple):
    eigenvalues: _Array
    eigenvectors: Any

class SVDResult(NamedTuple):
    U: Any
    S: _Array
    Vh: Any

class QRResult(NamedTuple):
    Q: Any
    R: Any

def local_shape(
    shape: Sequence[int], layout: str | None = None, *, cube: Cube | None = None
) -> tuple[int, ...]: ...
@overload
def solve(
    a: DistArray, b: DistArray | ArrayLike | None, lower: bool = False, overwrite_a: bool = False,
    overwrite_b: bool = False, check_finite: bool = True, assume_a: str | None = None,
    transposed: bool = False, *, method: str = "auto", everywhere: bool = True,
    cube: Cube | None = None,
) -> DistArray: ...
@overload
def solve(
    a: ArrayLike | None, b: ArrayLike | None, lower: bool = False, overwrite_a: bool = False,
    overwrite_b: bool = False, check_finite: bool = True, assume_a: str | None = None,
    transposed: bool = False, *, method: str = "auto", everywhere: Literal[True] = True,
    cube: Cube | None = None,
) -> _Array: ...
@overload
def solve(
    a: ArrayLike | None, b: ArrayLike | None, lower: bool = False, overwrite_a: bool = False,
    overwrite_b: bool = False, check_finite: bool = True, assume_a: str | None = None,
    transposed: bool = False, *, method: str = "auto", everywhere: bool, cube: Cube | None = None,
) -> _Array | None: ...
@overload
def inv(
    a: DistArray, overwrite_a: bool = False, check_finite: bool = True, *, method: str = "auto",
    everywhere: bool = True, cube: Cube | None = None,
) -> DistArray: ...
@overload
def inv(
    a: ArrayLike | None, overwrite_a: bool = False, check_finite: bool = True, *,
    method: str = "auto", everywhere: Literal[True] = True, cube: Cube | None = None,
) -> _Array: ...
@overload
def inv(
    a: ArrayLike | None, overwrite_a: bool = False, check_finite: bool = True, *,
    method: str = "auto", everywhere: bool, cube: Cube | None = None,
) -> _Array | None: ...
def det(
    a: DistArray | ArrayLike | None, overwrite_a: bool = False, check_finite: bool = True, *,
    everywhere: bool = True, cube: Cube | None = None,
) -> Any: ...
def slogdet(
    a: DistArray | ArrayLike | None, *, check_finite: bool = True, everywhere: bool = True,
    cube: Cube | None = None,
) -> SlogdetResult: ...
@overload
def cholesky(
    a: DistArray, lower: bool = True, overwrite_a: bool = False, check_finite: bool = True, *,
    everywhere: bool = True, cube: Cube | None = None,
) -> DistArray: ...
@overload
def cholesky(
    a: ArrayLike | None, lower: bool = True, overwrite_a: bool = False, check_finite: bool = True, *,
    everywhere: Literal[True] = True, cube: Cube | None = None,
) -> _Array: ...
@overload
def cholesky(
    a: ArrayLike | None, lower: bool = True, overwrite_a: bool = False, check_finite: bool = True, *,
    everywhere: bool, cube: Cube | None = None,
) -> _Array | None: ...
def lu(
    a: DistArray | ArrayLike | None, permute_l: bool = False, overwrite_a: bool = False,
    check_finite: bool = True, p_indices: bool = False, *, everywhere: bool = True,
    cube: Cube | None = None,
) -> tuple[Any, ...]: ...
def lu_factor(
    a: DistArray | ArrayLike | None, overwrite_a: bool = False, check_finite: bool = True, *,
    everywhere: bool = True, cube: Cube | None = None,
) -> tuple[Any, _Array]: ...
def lu_solve(
    lu_and_piv: tuple[ArrayLike | None, _Array], b: ArrayLike | None, trans: Literal[0, 1, 2] = 0,
    overwrite_b: bool = False, check_finite: bool = True, *, everywhere: bool = True,
    cube: Cube | None = None,
) -> Any: ...
def qr(
    a: DistArray | ArrayLike | None, mode: str = "reduced", *, pivoting: bool = False,
    check_finite: bool = True, everywhere: bool = True, cube: Cube | None = None,
) -> Any: ...
def norm(
    a: DistArray | ArrayLike | None, ord: _Order = None,
    axis: int | tuple[int, int] | None = None, keepdims: bool = False, check_finite: bool = True, *,
    everywhere: bool = True, cube: Cube | None = None,
) -> Any: ...
def cond(
    x: DistArray | ArrayLike | None, p: _Order = None, *, everywhere: bool = True,
    cube: Cube | None = None,
) -> Any: ...
@overload
def matmul(
    x1: DistArray, x2: DistArray | ArrayLike | None, *, everywhere: bool = True,
    cube: Cube | None = None,
) -> Any: ...
@overload
def matmul(
    x1: ArrayLike | None, x2: DistArray | ArrayLike | None, *, everywhere: bool = True,
    cube: Cube | None = None,
) -> Any: ...
def lstsq(
    a: DistArray | ArrayLike | None, b: DistArray | ArrayLike | None, rcond: float | None = None, *,
    check_finite: bool = True, everywhere: bool = True, cube: Cube | None = None,
) -> tuple[Any, _Array, int, None]: ...
def eigh(
    a: DistArray | ArrayLike | None, UPLO: str = "L", *, check_finite: bool = True,
    everywhere: bool = True, cube: Cube | None = None,
) -> EighResult: ...
def eigvalsh(
    a: DistArray | ArrayLike | None, UPLO: str = "L", *, check_finite: bool = True,
    everywhere: bool = True, cube: Cube | None = None,
) -> _Array: ...
def svd(
    a: DistArray | ArrayLike | None, full_matrices: bool = True, compute_uv: bool = True,
    hermitian: bool = False, *, check_finite: bool = True, everywhere: bool = True,
    cube: Cube | None = None,
) -> Any: ...
def svdvals(
    a: DistArray | ArrayLike | None, *, check_finite: bool = True, everywhere: bool = True,
    cube: Cube | None = None,
) -> _Array: ...
def pinv(
    a: ArrayLike | None, rcond: ArrayLike | None = None, hermitian: bool = False, *,
    rtol: ArrayLike | None = None, check_finite: bool = True, everywhere: bool = True,
    cube: Cube | None = None,
) -> Any: ...
def matrix_rank(
    A: DistArray | ArrayLike | None, tol: ArrayLike | None = None, hermitian: bool = False, *,
    rtol: ArrayLike | None = None, everywhere: bool = True, cube: Cube | None = None,
) -> Any: ...
