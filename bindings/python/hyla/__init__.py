"""hyla: dense linear algebra on MPI ranks seen as a Boolean cube or an array, with NumPy arrays.

    import hyla
    solution = hyla.solve(a, b)
    print(solution.x, solution.residual, solution.rcond)

Started by python alone this works on one rank.  Started by mpiexec it works on all ranks, and every
rank makes each call, as in a C program.  Whole arrays go in and come out.  An array that goes in is
taken from node 0; the other ranks give the same array, or None if they have none.  A result is on
every rank, also on one that is no node (of 5 ranks one), or with everywhere=False on node 0 alone.

Every call takes a cube; the default is a cube over all ranks, made when it is first needed.
Cube(comm) makes another one, over a communicator of mpi4py.  A failure raises Error, on every rank
alike.

    linalg            the functions of numpy.linalg and scipy.linalg, by their names; DistArray, a
                      matrix of which each rank holds a part
    solve, factor     linear systems, with all that is known about the answer
    matmul, gemv      products of matrices, of a matrix and a vector
    explain, simulate, layout   the cost of a variant and why it is chosen; runs on a virtual cube;
                                owners of entries: tables, by the command hyla, on one rank
    exchange_bands, broadcast_bands, partial_exchange, partial_gather, window
                      messages between ranks when not all ranks send, or not to all; each rank
                      has an array of its own
    embed_comm        communicators of mpi4py for meshes, tori and trees on the cube
"""

from . import _config, linalg
from ._collective import broadcast_bands, exchange_bands, partial_exchange, partial_gather, window
from ._cube import Cube, Error
from ._dist import DistArray
from ._embed import embed_comm
from ._product import Cost, Product, gemv, matmul
from ._solve import Factor, Solution, UnreliableWarning, factor, solve
from ._tables import Explanation, Layout, Run, Simulation, explain, layout, simulate

__version__ = _config.VERSION

__all__ = [
    "Cost",
    "Cube",
    "DistArray",
    "Error",
    "Explanation",
    "Factor",
    "Layout",
    "Product",
    "Run",
    "Simulation",
    "Solution",
    "UnreliableWarning",
    "broadcast_bands",
    "embed_comm",
    "exchange_bands",
    "explain",
    "factor",
    "gemv",
    "layout",
    "linalg",
    "matmul",
    "partial_exchange",
    "partial_gather",
    "simulate",
    "solve",
    "window",
]
