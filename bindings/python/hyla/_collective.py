"""Collectives in which not all ranks send, or not to all: for banded matrices, for active ranks."""

import ctypes

import numpy as np

from ._cube import default_cube, library
from ._library import Message

_DIMS = 16  # axes of an array that ranks can agree on


def _described(array):
    """Type and shape as integers from 0, which differ for different arrays; zeros for no array."""
    if array is None:
        return [0] * (_DIMS + 2)
    if array.ndim > _DIMS or array.dtype.hasobject or len(array.dtype.str) > 7:
        raise ValueError("an array of numbers, of at most 16 axes")
    kind = int.from_bytes(array.dtype.str.encode(), "big")
    return [kind, array.ndim + 1] + list(array.shape) + [0] * (_DIMS - array.ndim)


def _agree(cube, array):
    """Type and shape of the arrays of all ranks that have one.  Collective."""
    array = None if array is None else np.ascontiguousarray(array)
    mine = _described(array)
    most = cube.max(mine)
    if cube.max([int(array is not None and mine != most)])[0]:
        raise ValueError("the ranks have arrays of different types or shapes")
    if most[1] == 0:
        raise ValueError("no rank has an array")
    dtype = np.dtype(most[0].to_bytes(8, "big").lstrip(b"\0").decode())
    return array, dtype, tuple(most[2 : 1 + most[1]])


def _run(cube, plan, message, receive, send, variant):
    """Plans by this call and runs once.  Collective."""
    lib, made = library(), ctypes.c_void_p()
    count = int(np.prod(message.shape, dtype=np.int64))
    given = Message(count, message.dtype.itemsize, 0, variant and variant.encode(), None)
    try:
        cube.check(plan(lib, ctypes.byref(given), ctypes.byref(made)))
        at = [None if x is None else x.ctypes.data for x in (send, receive)]
        cube.check(lib.hyla_plan_run_on(cube._at, made, *at))
    finally:
        lib.hyla_plan_destroy(ctypes.byref(made))
    return receive


def _bands(call, send, b, leading, inner, cube, variant):
    cube = cube or default_cube()
    send, dtype, shape = _agree(cube, send)
    blocks = (cube.nodes,) if inner else ()
    if len(shape) < 1 + len(blocks) or shape[1 : 1 + len(blocks)] != blocks:
        raise ValueError(f"the shape {shape}; its first axes are {leading}")
    message = np.empty(shape[1 + len(blocks) :], dtype)
    node = cube.address >= 0
    receive = np.zeros((shape[0], cube.nodes) + message.shape, dtype) if node else None
    return _run(
        cube,
        lambda lib, given, made: getattr(lib, call)(cube._at, given, b, shape[0], made),
        message, receive, send if node else None, variant,
    )


def exchange_bands(send, b, *, cube=None, variant=None):
    """The exchange within the bands of several matrices at once: for each matrix j, send[j, x] goes
    to each rank x whose column is at most 2^b from the own one.  Collective.

    Returns an array of the same shape, for each matrix what each rank sent here; 0 from ranks
    outside the band; None on ranks that are no nodes.  Raises Error, ValueError."""
    return _bands("hyla_exchange_bands_plan", send, b, "matrices and ranks", True, cube, variant)


def broadcast_bands(send, b, *, cube=None, variant=None):
    """For each of several matrices send[j] goes to all ranks whose columns are at most 2^b from the
    own one.  Collective.

    Returns an array with one more axis: [j, x] is from rank x; 0 from ranks outside the band; None
    on ranks that are no nodes.  Raises Error, ValueError."""
    return _bands("hyla_broadcast_bands_plan", send, b, "matrices", False, cube, variant)


def _flags(cube, active):
    active = [bool(flag) for flag in active]
    if len(active) != cube.nodes:
        raise ValueError(f"{len(active)} flags for {cube.nodes} ranks")
    return active, (ctypes.c_bool * cube.nodes)(*active)


def _partial(call, send, active, gives, gets, cube, variant):
    cube = cube or default_cube()
    active, flags = _flags(cube, active)
    mine = cube.address >= 0 and active[cube.address]
    if not any(active):
        raise ValueError("no rank is active")
    given = cube.address >= 0 and (mine or not gives)
    send, dtype, shape = _agree(cube, send if given else None)
    if not shape or shape[0] != cube.nodes:
        raise ValueError(f"the shape {shape}; its first axis is {cube.nodes} ranks")
    gotten = cube.address >= 0 and (mine or not gets)
    receive = np.zeros(shape, dtype) if gotten else None
    return _run(
        cube,
        lambda lib, message, made: getattr(lib, call)(cube._at, message, flags, made),
        np.empty(shape[1:], dtype), receive, send, variant,
    )


def partial_exchange(send, active, *, cube=None, variant=None):
    """Each rank x with active[x] has send[y] for each rank y; the others give None.  Collective.

    Returns an array of the same shape on every node: [x] is from rank x, 0 if x is not active; None
    on ranks that are no nodes.  Raises Error, ValueError."""
    return _partial("hyla_partial_exchange_plan", send, active, True, False, cube, variant)


def partial_gather(send, active, *, cube=None, variant=None):
    """Every node has send[x] for each rank x with active[x].  Collective.

    Returns an array of the same shape on the active ranks: [y] is from rank y; None elsewhere.
    Raises Error, ValueError."""
    return _partial("hyla_partial_gather_plan", send, active, False, True, cube, variant)


def window(send, dims, *, cube=None, variant=None):
    """Each of the first 2^dims ranks has `send` for all of these.  The others give None; their
    links are used too.  Collective.

    Returns an array with one more axis on the first 2^dims ranks: [x] is from rank x; None
    elsewhere. Raises Error, ValueError."""
    cube = cube or default_cube()
    if dims < 0 or 2**dims > cube.nodes:
        raise ValueError(f"a window of {dims} dimensions; there are {cube.nodes} ranks")
    inside = 0 <= cube.address < 2**dims
    send, dtype, shape = _agree(cube, send if inside else None)
    receive = np.zeros((2**dims,) + shape, dtype) if inside else None
    return _run(
        cube,
        lambda lib, message, made: lib.hyla_window_plan(cube._at, message, dims, made),
        np.empty(shape, dtype), receive, send, variant,
    )
