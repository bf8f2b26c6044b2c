"""A first program in Python: a system solved and checked, a product, a table.

    python3 first_solve.py
    mpiexec -n 4 python3 first_solve.py
"""

import numpy as np

import hyla

n = 200
a = 1 / (1 + np.abs(np.arange(n)[:, None] - np.arange(n)))
b = a @ np.arange(n)

solution = hyla.solve(a, b, everywhere=False)
product = hyla.matmul(a, a, variant="summa", everywhere=False)

# Node 0 has the answers.
if solution.x is not None:
    error = np.max(np.abs(solution.x - np.arange(n)))
    print("reliable," if solution.reliable else "unreliable,", "solved by", solution.variant)
    print("error", "below 1e-9" if error < 1e-9 else error)
    print("product by", product.variant, "with", product.cost.flops, "operations on the busiest rank")
    print(hyla.simulate("lu", size=64, dims=2, ports="one").runs[0].words, "words sent by LU on 4 nodes")

try:
    hyla.factor(np.ones((n, n)))
except hyla.Error as failure:
    if solution.x is not None:
        print(failure.status, "pivot", failure.pivot)
