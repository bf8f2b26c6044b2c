#!/usr/bin/env python3
"""A system of which each rank makes its own part: no rank has room for all of A.

    mpiexec -n 2 python3 rows_per_rank.py [N [rows]]

N: the order, 1000 by default.  In hyla's own layout A is factored where it lies; with `rows' each
rank gives consecutive rows, as mpi4py programs often have them, and A is moved once."""

import resource
import sys

import numpy as np

import hyla
from hyla.linalg import DistArray, local_shape, norm, solve


def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


n = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
cube = hyla.Cube()
random = np.random.default_rng(cube.address + 1)
before = megabytes()

if "rows" in sys.argv[2:]:
    mine, _ = local_shape((n, n), "rows", cube=cube)
    a = DistArray.from_local(random.uniform(-1, 1, (mine, n)), cube=cube)
else:
    a = DistArray((n, n), cube=cube)
    for column in a.local.T:
        column[:] = random.uniform(-1, 1, len(column))

ones = DistArray(n, cube=cube)
ones.local[...] = 1
x = solve(a, a @ ones, overwrite_a=True)  # a's memory becomes that of the factors
x.local[...] -= 1
error, share = norm(x, np.inf), 8 * n * n / cube.nodes / 2**20
most = cube.max([int(megabytes() - before)])[0]
if cube.address == 0:
    print(f"n = {n} on {cube.nodes} ranks: largest error {error:.1e}")
    print(f"a rank's part of A {share:.0f} MiB; the most that a rank took {most} MiB")
