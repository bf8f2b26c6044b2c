"""A program with the types that the package's stubs promise; mypy reads it, nobody runs it."""

import numpy as np

import hyla
from hyla import linalg

a, b = np.eye(3), np.ones(3)
print(hyla.__version__.upper(), linalg.solve(a, b).sum(), linalg.inv([[1.0]]).shape)
solution: hyla.Solution = hyla.solve(a, b, method="cholesky")
print(solution.rcond + 1, solution.method.upper())
with hyla.Cube(timeout=3.0) as cube, hyla.DistArray((3, 3), layout="rows", cube=cube) as spread:
    spread.local[...] = a[spread.rows]
    product = spread @ spread
    x: hyla.DistArray = linalg.solve(spread, b)
    print(x.shape[0] + 1, x.to_local("rows"), linalg.slogdet(spread).sign, product)
first = linalg.cholesky(a, everywhere=False)
print(None if first is None else first.shape, linalg.qr(a).Q, linalg.norm(a, "fro"))
try:
    linalg.solve(np.ones((2, 2)), b[:2])
except linalg.LinAlgError as error:
    print(error.status.lower(), error.pivot + 1)
