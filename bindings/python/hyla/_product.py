"""Products."""

import ctypes
from dataclasses import dataclass

import numpy as np

from ._cube import default_cube, library, text
from ._library import HYLA_TRANSPOSE, OPERATIONS
from ._matrix import Arrays, Matrix


@dataclass(frozen=True)
class Cost:
    """The cost on the busiest rank, in exact counts, as hyla_cost in hyla.h.

    steps, messages, words: of communication; flops; memory: bytes of workspace; lent: the words
    that are read in place; copied, touched: entries inside a rank; streamed, scattered: copied
    entries that go past the caches, and those of single rows; read: entries of large matrices that
    are used once."""

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


def cost_of(plan):
    """The cost of a plan."""
    cost = library().hyla_plan_cost(plan)
    return Cost(**{name: getattr(cost, name) for name, _ in cost._fields_})


@dataclass(frozen=True)
class Product:
    """c: the product; variant: the one that computed it; cost; seconds: predicted for this machine;
    text: why this variant, and why not the others."""

    c: np.ndarray
    variant: str
    cost: Cost
    seconds: float
    text: str


def _number(value):
    return (ctypes.c_double * 2)(complex(value).real, complex(value).imag)


def operation(name):
    """The number of the operation "N", "T" or "C"."""
    if name not in OPERATIONS:
        raise ValueError(f"the operation {name!r}; there are 'N', 'T' (transpose), 'C' (conjugate)")
    return OPERATIONS[name]


def _run(cube, plan, c, everywhere, dims, row=False):
    """Runs a plan once, and returns the result; of one row without its axis."""
    lib = library()
    try:
        cube.check(lib.hyla_plan_run(cube._at, plan))
        found = c.gather(everywhere, dims)
        return Product(
            found[0] if row and found is not None else found,
            lib.hyla_plan_variant(plan).decode(),
            cost_of(plan),
            lib.hyla_plan_seconds(plan),
            text(lambda at, size: lib.hyla_plan_explain(plan, at, size)),
        )
    finally:
        lib.hyla_plan_destroy(ctypes.byref(plan))


def _widen(arrays, alpha):
    """The common type; a complex alpha makes it complex."""
    if complex(alpha).imag != 0:
        arrays.type = max(arrays.type, 2 + arrays.type % 2)
    return arrays.type


def matmul(a, b, *, alpha=1, op_a="N", op_b="N", variant=None, everywhere=True, cube=None):
    """alpha op(a) op(b), op being "N", "T" (transpose) or "C" (conjugate transpose).  Collective.

    variant: its name, as `hyla info` lists them; by default the one predicted to be the fastest.
    Vectors as NumPy takes them: a is a row, b a column, and their axis is left out of the result; of
    two vectors a number.  Returns a Product; raises Error."""
    ops = operation(op_a), operation(op_b)
    cube = cube or default_cube()
    arrays = Arrays(cube, a=a, b=b)
    row = arrays.dims["a"] == 1
    if row:
        ops = ops[0] or HYLA_TRANSPOSE, ops[1]
    rows = arrays.shapes["a"][1 if ops[0] else 0]
    cols = arrays.shapes["b"][0 if ops[1] else 1]
    kind = _widen(arrays, alpha)
    plan = ctypes.c_void_p()
    with arrays.matrix("a") as x, arrays.matrix("b") as y, Matrix(cube, kind, rows, cols) as c:
        name = None if variant is None else variant.encode()
        cube.check(
            library().hyla_gemm_plan_by_address(
                cube._at, *ops, _number(alpha), x.at, y.at, _number(0), c.at, name, ctypes.byref(plan)
            )
        )
        dims = 1 if arrays.dims["b"] == 1 and not ops[1] else 2
        return _run(cube, plan, c, everywhere, dims, row)


def gemv(a, x, *, alpha=1, op="N", variant=None, everywhere=True, cube=None):
    """alpha op(a) x, op being "N", "T" (transpose) or "C" (conjugate transpose).  a is not moved,
    only the vectors travel.  Collective.

    x: a vector, or a matrix of one column; the result is of the same kind.  variant: its name, as
    `hyla info` lists them under gemv; by default the one predicted to be the fastest.  Returns a
    Product; raises Error."""
    turned = operation(op)
    cube = cube or default_cube()
    arrays = Arrays(cube, a=a, x=x)
    rows = arrays.shapes["a"][1 if turned else 0]
    kind = _widen(arrays, alpha)
    plan = ctypes.c_void_p()
    with arrays.matrix("a") as left, arrays.matrix("x") as given, Matrix(cube, kind, rows, 1) as y:
        name = None if variant is None else variant.encode()
        cube.check(
            library().hyla_gemv_plan_by_address(
                cube._at,
                turned,
                _number(alpha),
                left.at,
                given.at,
                _number(0),
                y.at,
                name,
                ctypes.byref(plan),
            )
        )
        return _run(cube, plan, y, everywhere, arrays.dims["x"])
