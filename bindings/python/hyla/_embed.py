"""Meshes, tori and trees on the ranks of a cube, as communicators of mpi4py."""

import ctypes
import itertools
import sys

from ._cube import default_cube, library
from ._library import Embedding, Error, check_mpi4py


def _kinds():
    """The names of the kinds, in the order of their numbers."""
    names = map(library().hyla_embedding_name, itertools.count())
    return [name.decode() for name in itertools.takewhile(lambda name: name is not None, names)]


def embed_comm(kind, sides, *, closed=False, cube=None):
    """A communicator of the cube's ranks, renumbered so that neighbours on a mesh, a torus or a
    tree are near each other on the cube.  Collective.

    kind: "naive", "torus", ..., as in `hyla layout --embed`; sides: for a tree the number of its
    levels; closed: the axes of a mesh are closed.  The program must have imported mpi4py.MPI.
    Returns an mpi4py.MPI.Cartcomm, or for a tree a Distgraphcomm, which the caller ends by Free();
    None on ranks without a place.  Raises Error."""
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None:
        raise Error(
            "UNSUPPORTED", "embed_comm gives a communicator of mpi4py: import mpi4py.MPI first"
        )
    check_mpi4py()
    cube = cube or default_cube()
    kinds = _kinds()
    if kind not in kinds:
        raise ValueError(f"the kind {kind!r}; there are {', '.join(kinds)}")
    sides = [int(side) for side in (sides if hasattr(sides, "__iter__") else [sides])]
    given = Embedding(kind=kinds.index(kind), axes=len(sides), closed=closed)
    for axis, side in enumerate(sides[: len(given.side)]):
        given.side[axis] = side
    handle = ctypes.c_int()
    cube.check(
        library().hyla_embed_comm_f(cube._at, ctypes.byref(given), ctypes.byref(handle))
    )
    comm = mpi.Comm.f2py(handle.value)
    if comm == mpi.COMM_NULL:
        return None
    return (mpi.Distgraphcomm if comm.topology == mpi.DIST_GRAPH else mpi.Cartcomm)(comm)
