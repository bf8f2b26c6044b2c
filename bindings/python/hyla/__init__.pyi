from dataclasses import dataclass
from typing import Any, Iterable, Literal, Sequence

from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import linalg as linalg

_Array = NDArray[Any]

__version__: str

class Error(Exception):
    status: str
    pivot: int
    def __init__(self, status: str, message: str, pivot: int = 0) -> None: ...

class UnreliableWarning(UserWarning): ...

class Cube:
    def __init__(self, comm: Any = None, **options: Any) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Cube: ...
    def __exit__(self, *_: object) -> None: ...
    def check(self, status: int, pivot: int = 0) -> None: ...
    @staticmethod
    def status_name(status: int) -> str: ...
    @property
    def dims(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def address(self) -> int: ...
    @property
    def guests(self) -> int: ...
    def describe(self) -> str: ...
    def faults(self) -> Any: ...
    def checkpoints(self) -> Any: ...
    def max(self, values: Sequence[int]) -> list[int]: ...

class DistArray:
    matrix: Any
    ndim: int
    cube: Cube
    def __init__(
        self, shape: int | Sequence[int], dtype: DTypeLike = ..., layout: str | None = None, *,
        cube: Cube | None = None,
    ) -> None: ...
    @classmethod
    def of(cls, matrix: Any, ndim: int = 2) -> DistArray: ...
    @classmethod
    def from_local(
        cls, local: ArrayLike | None, shape: Sequence[int] | None = None, layout: str | None = "rows",
        *, cube: Cube | None = None,
    ) -> DistArray: ...
    @classmethod
    def from_array(
        cls, array: ArrayLike | None, layout: str | None = None, *, cube: Cube | None = None
    ) -> DistArray: ...
    def to_local(self, layout: str | None = None) -> _Array: ...
    def to_array(self, everywhere: bool = True) -> Any: ...
    def moved(self, layout: str | None) -> DistArray: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def layout(self) -> str: ...
    @property
    def local(self) -> _Array: ...
    @property
    def rows(self) -> NDArray[Any]: ...
    @property
    def cols(self) -> NDArray[Any]: ...
    def __matmul__(self, other: DistArray | ArrayLike) -> Any: ...
    def close(self) -> None: ...
    def __del__(self) -> None: ...
    def __enter__(self) -> DistArray: ...
    def __exit__(self, *_: object) -> None: ...

@dataclass(frozen=True)
class Cost:
    steps: int
    messages: int
    words: int
    flops: int
    memory: int
    lent: int
    copied: int
    touched: int
    streamed: int
    scattered: int
    read: int

@dataclass(frozen=True)
class Product:
    c: Any
    variant: str
    cost: Cost
    seconds: float
    text: str

@dataclass(frozen=True)
class Solution:
    x: Any
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

@dataclass(frozen=True)
class Run:
    variant: str
    time: float
    steps: int
    messages: int
    words: int
    messages_predicted: int
    words_predicted: int
    memory: int
    details: dict[str, Any]

@dataclass(frozen=True)
class Simulation:
    operation: str
    runs: list[Run]

@dataclass(frozen=True)
class Explanation:
    operation: str
    variant: str
    seconds: float
    steps: int
    messages: int
    words: int
    memory: int
    text: str
    fits: bool
    details: dict[str, Any]
    @property
    def variants(self) -> list[dict[str, Any]]: ...

@dataclass(frozen=True)
class Layout:
    text: str
    dims: int
    copies: int
    owner: _Array
    nodes: list[dict[str, Any]]
    array: str = ""

class Factor:
    method: str
    m: int
    n: int
    def __init__(
        self, a: ArrayLike | None, method: str = "lu", nrhs: int = 1, variant: str | None = None,
        cube: Cube | None = None,
    ) -> None: ...
    def close(self) -> None: ...
    def __del__(self) -> None: ...
    def __enter__(self) -> Factor: ...
    def __exit__(self, *_: object) -> None: ...
    def solve(self, b: ArrayLike | None, op: Literal["N", "T", "C"] = "N", everywhere: bool = True) -> Any: ...
    def lower(self, everywhere: bool = True) -> Any: ...
    def upper(self, everywhere: bool = True) -> Any: ...
    def permutation(self) -> _Array: ...
    def inverse(self, everywhere: bool = True) -> Any: ...
    def rcond(self) -> float: ...
    @property
    def variant(self) -> str: ...
    @property
    def cost(self) -> Cost: ...
    @property
    def seconds(self) -> float: ...
    @property
    def text(self) -> str: ...

_Op = Literal["N", "T", "C"]

def solve(
    a: ArrayLike | None, b: ArrayLike | None, *, method: str = "lu", variant: str | None = None,
    refinement: str = "default", equilibrate: bool = False, quick: bool = False,
    everywhere: bool = True, cube: Cube | None = None,
) -> Solution: ...
def factor(
    a: ArrayLike | None, *, method: str = "lu", nrhs: int = 1, variant: str | None = None,
    cube: Cube | None = None,
) -> Factor: ...
def matmul(
    a: ArrayLike | None, b: ArrayLike | None, *, alpha: complex = 1, op_a: _Op = "N",
    op_b: _Op = "N", variant: str | None = None, everywhere: bool = True, cube: Cube | None = None,
) -> Product: ...
def gemv(
    a: ArrayLike | None, x: ArrayLike | None, *, alpha: complex = 1, op: _Op = "N",
    variant: str | None = None, everywhere: bool = True, cube: Cube | None = None,
) -> Product: ...
def simulate(operation: str, **options: Any) -> Simulation: ...
def explain(operation: str, **options: Any) -> Explanation: ...
def layout(
    rows: int, cols: int, text: str | None = None, dims: int | None = None, array: str | None = None
) -> Layout: ...
def exchange_bands(
    send: _Array | None, b: int, *, cube: Cube | None = None, variant: str | None = None
) -> Any: ...
def broadcast_bands(
    send: _Array | None, b: int, *, cube: Cube | None = None, variant: str | None = None
) -> Any: ...
def partial_exchange(
    send: _Array | None, active: Iterable[bool], *, cube: Cube | None = None,
    variant: str | None = None,
) -> Any: ...
def partial_gather(
    send: _Array | None, active: Iterable[bool], *, cube: Cube | None = None,
    variant: str | None = None,
) -> Any: ...
def window(
    send: _Array | None, dims: int, *, cube: Cube | None = None, variant: str | None = None
) -> Any: ...
def embed_comm(
    kind: str, sides: int | Iterable[int], *, closed: bool = False, cube: Cube | None = None
) -> Any: ...
