"""Package hyla, run by test_python.sh with pytest on one rank and on several.

Every rank draws the same arrays, so each compares NumPy's answer with that of all ranks.
"""

import ctypes
import sys
import types

import numpy as np
import pytest

import hyla
from hyla import _cube, _library, _matrix, linalg

CUBE = _cube.default_cube()
NODE = CUBE.address >= 0
TYPES = [np.float32, np.float64, np.complex64, np.complex128]

# These calls are local: one rank is enough.
first_alone = pytest.mark.skipif(CUBE.address != 0, reason="local")


def draw(seed, *shape, dtype=np.float64):
    generator = np.random.default_rng(seed)
    array = generator.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        array = array + 1j * generator.uniform(-1, 1, shape)
    return array.astype(dtype)


def close(found, wanted, dtype=np.float64):
    """Equal up to rounding, on guests too."""
    scale = max(1.0, float(np.max(np.abs(wanted), initial=0)))
    limit = 1e4 * np.finfo(dtype).eps * scale
    return found.shape == wanted.shape and bool(np.all(np.abs(found - wanted) <= limit))


def test_cube():
    assert CUBE.nodes == 2**CUBE.dims
    assert "nodes: " in CUBE.describe()
    assert CUBE.faults().damaged == 0 and CUBE.faults().text == ""
    assert CUBE.checkpoints().written == 0 and CUBE.checkpoints().text == ""
    assert CUBE.max([1, -5]) == [1, -5]
    with hyla.Cube(variant="gemm:summa", timeout=30.0) as other:
        assert hyla.matmul(np.eye(3), np.eye(3), cube=other).variant == "summa"
    with pytest.raises(TypeError, match="colour"):
        hyla.Cube(colour=1)
    with pytest.raises(hyla.Error, match="strassen") as caught:
        hyla.Cube(variant="gemm:strassen")
    assert caught.value.status == "ARGUMENT"


@pytest.mark.skipif(CUBE.nodes + CUBE.guests != 3, reason="three ranks")
@pytest.mark.parametrize("array", ["1x3", "3x1", "auto"])
def test_array_of_nodes(array):
    a, b = draw(1, 9, 9) + 4 * np.eye(9), draw(2, 9, 2)
    with hyla.Cube(array=array) as cube:
        assert cube.nodes == 3 and cube.address in range(3)
        assert np.allclose(hyla.solve(a, b, cube=cube).x, np.linalg.solve(a, b))
        assert np.allclose(hyla.matmul(a, b, cube=cube).c, a @ b)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [0, 1, 7])
def test_solve(dtype, n):
    a, b = draw(1, n, n, dtype=dtype) + 4 * np.eye(n, dtype=dtype), draw(2, n, 3, dtype=dtype)
    solution = hyla.solve(a, b)
    assert solution.x.dtype == dtype
    assert close(a @ solution.x, b, dtype)
    assert solution.reliable and solution.residual < 1 and solution.method == "lu"
    if n > 0:
        assert solution.variant
        exact = 1 / np.linalg.cond(a, 1)
        assert 0.99 * exact <= solution.rcond <= 3.1 * exact
        upper = hyla.factor(a).upper()
        growth = np.max(np.abs(upper)) / np.max(np.abs(a))
        assert abs(solution.growth - growth) < 1e-5 * growth
        # A vector gives a vector.
        assert close(hyla.solve(a, b[:, 0]).x, np.linalg.solve(a, b[:, 0]), dtype)


def test_solve_takes_any_array():
    a = np.array([[4, 1, 0], [1, 4, 1], [0, 1, 4]])
    wanted = np.linalg.solve(a, [1, 2, 3])
    assert close(hyla.solve(a, [1, 2, 3]).x, wanted)
    assert close(hyla.solve(a.tolist(), (1, 2, 3)).x, wanted)
    assert close(hyla.solve(np.asfortranarray(a)[::-1, ::-1], [3, 2, 1]).x, wanted[::-1])
    assert close(hyla.solve(a, [1j, 2, 3]).x, np.linalg.solve(a, [1j, 2, 3]))
    assert close(hyla.solve(a, [1, 2, 3], method="cholesky", refinement="fixed").x, wanted)
    mixed = hyla.solve(a, [1, 2, 3], refinement="mixed")
    assert close(mixed.x, wanted) and mixed.fallback == "" and not mixed.equilibrated
    # Hilbert's matrix times 360360 has integer entries: x is right to the last bit, or nearly.
    hard = 360360 // (np.arange(8)[:, None] + np.arange(8) + 1)
    for refinement in ["extended", "mixed-extended"]:
        exact = hyla.solve(hard.astype(float), hard @ np.arange(8), refinement=refinement)
        assert exact.x is None or np.abs(exact.x - np.arange(8)).max() < 1e-15
        assert exact.forward_bound < 1e-14
        assert (exact.fallback != "") == (refinement == "mixed-extended")
    inverse = hyla.solve(hard[:5, :5].astype(float), np.ones(5), method="gauss-jordan")
    assert inverse.refinements > 0
    scaled = hyla.solve(np.diag([1e40, 1, 1e-40]) @ a, [1e40, 2, 3e-40], equilibrate=True)
    assert close(scaled.x, wanted) and scaled.equilibrated
    # Only node 0 has the arguments, and only node 0 gets the answer.
    first = CUBE.address == 0
    x = hyla.solve(a if first else None, [1, 2, 3] if first else None, everywhere=False).x
    assert np.allclose(x, wanted) if first else x is None


@pytest.mark.parametrize("dtype", TYPES)
def test_solve_takes_arrays_as_they_lie(dtype, monkeypatch):
    """On one node the library may work on the caller's array: the array keeps its place, with any
    order and stride.
    """
    monkeypatch.setattr(_matrix, "TURNED_FROM", 1)
    n = 67
    a, b = draw(5, n, n, dtype=dtype) + 4 * np.eye(n, dtype=dtype), draw(6, n, 3, dtype=dtype)
    wanted = np.linalg.solve(a, b)
    room = np.zeros((2 * n, 2 * n), dtype=dtype)
    room[::2, ::2] = a
    rows, columns = np.zeros((n, n + 5), dtype=dtype), np.zeros((n, n + 5), dtype=dtype, order="F")
    rows[:, 5:], columns[:, 5:] = a, a
    apart = np.frombuffer(b"x" + a.tobytes(), dtype=dtype, offset=1).reshape(n, n)
    frozen = a.copy()
    frozen.flags.writeable = False
    swapped = a.astype(a.dtype.newbyteorder())
    for given in [a, np.asfortranarray(a), room[::2, ::2], rows[:, 5:], columns[:, 5:], apart, frozen, swapped]:
        before = given.copy()
        for right in [b, np.asfortranarray(b)]:
            solution = hyla.solve(given, right)
            assert close(solution.x, wanted, dtype) and solution.reliable
        assert np.array_equal(given, before)
        assert close(hyla.matmul(given, b).c, a @ b, dtype)
    with hyla.factor(a, nrhs=3) as factor:
        assert close(factor.solve(b), wanted, dtype) and close(factor.solve(b[:, 0]), wanted[:, 0], dtype)
    # Broadcast arrays have a stride of 0 between columns.
    ones = np.broadcast_to(np.ones(n, dtype=dtype), (2, n)).T
    assert close(hyla.solve(a, ones).x, np.linalg.solve(a, ones), dtype)


@pytest.mark.parametrize("method", ["lu", "cholesky", "gauss-jordan"])
def test_quick_judges_by_the_residual(method):
    n = 30
    a = draw(7, n, n)
    a = a @ a.T + n * np.eye(n)
    b = draw(8, n, 2)
    quick, full = hyla.solve(a, b, method=method, quick=True), hyla.solve(a, b, method=method)
    assert close(quick.x, np.linalg.solve(a, b)) and quick.reliable and quick.variant == full.variant
    assert 0 < quick.residual < 1 and np.isnan(quick.rcond) and np.isnan(quick.forward_bound)
    assert quick.refinements == 0 and not quick.equilibrated and quick.fallback == ""
    # With quick the condition is not estimated; the residual is.
    hilbert = 1 / (np.arange(14)[:, None] + np.arange(14) + 1)
    assert hyla.solve(hilbert, np.ones(14), quick=True).reliable
    with pytest.warns(hyla.UnreliableWarning, match="the answer is wrong"):
        wild = -np.tril(np.ones((n * 3, n * 3)), -1) + np.eye(n * 3)
        wild[:, -1] = 1
        assert not hyla.solve(wild, draw(9, n * 3), quick=True).reliable
    with pytest.raises(ValueError, match="quick leaves out"):
        hyla.solve(a, b, quick=True, refinement="fixed")
    with pytest.raises(ValueError, match="quick leaves out"):
        hyla.solve(a, b, quick=True, equilibrate=True)
    with pytest.raises(hyla.Error, match="singular") as caught:
        hyla.solve(np.ones((4, 4)), np.ones(4), quick=True)
    assert caught.value.pivot == 2


def test_solve_failures():
    with pytest.raises(hyla.Error, match="singular") as caught:
        hyla.solve(np.ones((4, 4)), np.ones(4))
    assert (caught.value.status, caught.value.pivot) == ("SINGULAR", 2)
    with pytest.raises(hyla.Error) as caught:
        hyla.solve(-np.eye(4), np.ones(4), method="cholesky")
    assert (caught.value.status, caught.value.pivot) == ("INDEFINITE", 1)
    with pytest.raises(ValueError, match="lu, cholesky"):
        hyla.solve(np.eye(2), np.ones(2), method="cramer")
    with pytest.raises(hyla.Error, match="3"):
        hyla.solve(np.eye(3), np.ones(2))
    with pytest.raises(hyla.Error, match="doolittle"):
        hyla.solve(np.eye(3), np.ones(3), variant="doolittle")
    hilbert = 1 / (np.arange(14)[:, None] + np.arange(14) + 1)
    with pytest.warns(hyla.UnreliableWarning):
        solution = hyla.solve(hilbert, np.ones(14))
    assert not solution.reliable and solution.rcond < 1e-14
    with pytest.warns(hyla.UnreliableWarning):
        assert hyla.solve(hilbert, np.ones(14), refinement="mixed").fallback
    with pytest.raises(hyla.Error, match="half precision"):
        hyla.solve(np.eye(3, dtype=np.float32), np.ones(3, dtype=np.float32), refinement="mixed")
    with pytest.raises(ValueError, match="mixed-extended"):
        hyla.solve(np.eye(3), np.ones(3), refinement="exact")


def test_bad_arrays_are_refused_everywhere():
    for bad in ["text", np.ones((2, 2, 2)), 5.0, np.ones(3, dtype=np.longdouble), [None, 1]]:
        with pytest.raises(hyla.Error, match="a must be a vector or a matrix"):
            hyla.matmul(bad, np.eye(2))
    # One rank's argument is bad; no rank has one; one rank's differs.
    first = CUBE.address == 0
    with pytest.raises(hyla.Error, match="b must be"):
        hyla.matmul(np.eye(2), "text" if first else np.eye(2))
    with pytest.raises(hyla.Error, match="a: node 0 gives"):
        hyla.matmul(None, np.eye(2))
    if CUBE.nodes > 1:
        with pytest.raises(hyla.Error, match="b: node 0 gives"):
            hyla.matmul(np.eye(2), np.eye(2) if first else np.eye(3))


@pytest.mark.parametrize("dtype", TYPES)
def test_factor(dtype):
    n = 11
    a, b = draw(3, n, n, dtype=dtype), draw(4, n, 2, dtype=dtype)
    with hyla.factor(a, nrhs=2) as factor:
        for op, matrix in [("N", a), ("T", a.T), ("C", a.conj().T)]:
            x = factor.solve(b, op)
            assert close(matrix @ x, b, dtype)
        permutation, lower, upper = factor.permutation(), factor.lower(), factor.upper()
        inverse = factor.inverse()
        assert sorted(permutation) == list(range(n))
        assert close(lower @ upper, a[permutation], dtype)
        assert close(inverse @ a, np.eye(n), dtype)
        assert np.all(np.triu(lower, 1) == 0) and np.all(np.tril(upper, -1) == 0)
        exact = 1 / np.linalg.cond(a, 1)
        assert 0.9 * exact <= factor.rcond() <= 3.1 * exact
        assert factor.variant in factor.text and factor.cost.flops > 0 and factor.seconds > 0
        assert factor.n == n and factor.method == "lu"
        with pytest.raises(ValueError, match="'H'"):
            factor.solve(b, "H")
        if np.dtype(dtype).kind == "f":
            with pytest.raises(TypeError, match="complex"):
                factor.solve(1j * b)
    ends = np.finfo(dtype).max * np.array([[1, 0.5], [0.5, 1]], dtype=dtype)
    with hyla.factor(ends) as factor:  # |A|_1 is infinite
        assert abs(factor.rcond() - 1 / 3) < 1e-6
    for shape in [(7, 12), (12, 7)]:
        a = draw(5, *shape, dtype=dtype)
        with hyla.factor(a) as factor:
            permutation, lower, upper = factor.permutation(), factor.lower(), factor.upper()
            assert (factor.m, factor.n) == shape
            assert lower.shape == (shape[0], 7) and upper.shape == (7, shape[1])
            assert close(lower @ upper, a[permutation], dtype)
            with pytest.raises(hyla.Error, match="square"):
                factor.rcond()
        with hyla.factor(a, method="qr") as factor:
            upper = factor.upper()
            assert close(upper.conj().T @ upper, a.conj().T @ a, dtype)
            with pytest.raises(hyla.Error, match="no lower triangle"):
                factor.lower()
    with pytest.raises(hyla.Error, match="takes square matrices"):
        hyla.factor(a, method="ldl")
    with pytest.raises(hyla.Error) as caught:
        hyla.factor(np.zeros((3, 3)))
    assert (caught.value.status, caught.value.pivot) == ("SINGULAR", 1)


@pytest.mark.parametrize("dtype", TYPES)
def test_matmul(dtype):
    a, b = draw(5, 7, 5, dtype=dtype), draw(6, 7, 9, dtype=dtype)
    product = hyla.matmul(a, b, alpha=2, op_a="C")
    assert close(product.c, 2 * a.conj().T @ b, dtype)
    assert product.variant in product.text and product.seconds > 0
    assert product.cost.flops > 0 and product.cost.words >= 0
    assert close(hyla.matmul(a.T, b, variant="cannon").c, a.T @ b, dtype)
    assert close(hyla.matmul(a, b[:, 0], op_a="T").c, a.T @ b[:, 0], dtype)
    assert close(hyla.matmul(a[:, 0], b).c, a[:, 0] @ b, dtype)
    assert close(hyla.matmul(a[:, 0], b, op_a="C").c, a[:, 0].conj() @ b, dtype)
    assert close(hyla.matmul(a[:, 0], b[:, 0]).c, a[:, 0] @ b[:, 0], dtype)
    assert close(hyla.matmul(a, b, alpha=1j, op_a="T").c, 1j * (a.T @ b), dtype)
    assert close(hyla.matmul(np.zeros((3, 0)), np.zeros((0, 4))).c, np.zeros((3, 4)))
    with pytest.raises(hyla.Error, match="b must have as many rows as a has columns"):
        hyla.matmul(a, b)
    with pytest.raises(hyla.Error, match="no variant 'strassen'"):
        hyla.matmul(a.T, b, variant="strassen")


@pytest.mark.parametrize("dtype", TYPES)
def test_gemv(dtype):
    a, x, y = draw(15, 9, 5, dtype=dtype), draw(16, 5, dtype=dtype), draw(17, 9, dtype=dtype)
    product = hyla.gemv(a, x, alpha=2)
    assert close(product.c, 2 * (a @ x), dtype)
    assert product.variant in product.text and product.cost.flops > 0
    assert close(hyla.gemv(a, y, op="C", variant="tree").c, a.conj().T @ y, dtype)
    assert close(hyla.gemv(a, y, op="T", alpha=1j).c, 1j * (a.T @ y), dtype)
    assert close(hyla.gemv(a, x[:, None], variant="sweep").c, (a @ x)[:, None], dtype)
    with pytest.raises(hyla.Error):
        hyla.gemv(a, y)
    with pytest.raises(hyla.Error, match="no variant 'cannon'"):
        hyla.gemv(a, x, variant="cannon")


@pytest.mark.parametrize("dtype", TYPES)
def test_linalg_is_numpys(dtype):
    """The same shapes, types and numbers on every rank; arrays from node 0 suffice."""
    first = CUBE.address == 0
    for n in (0, 1, 19):
        a, b = draw(n, n, n, dtype=dtype) + 4 * np.eye(n, dtype=dtype), draw(n + 1, n, 3, dtype=dtype)
        definite = a @ a.conj().T + np.eye(n, dtype=dtype)
        cases = [
            ("solve", a, b), ("solve", np.tril(a), b[:, 0]), ("solve", definite, b), ("inv", a),
            ("inv", definite), ("det", a), ("slogdet", a), ("cholesky", definite),
            ("matmul", a, b), ("matmul", a, b[:, 0]), ("matmul", b[:, 0], a), ("matmul", b[:, 1], b[:, 1]),
            ("norm", a), ("norm", b[:, 0], 2), ("norm", b[None, :]),
        ]  # fmt: skip
        cases += [("norm", a, np.inf), ("norm", b[:, 0], 1), ("norm", b, 1)] if n > 0 else []
        for name, *given in cases:
            wanted = getattr(np if name == "matmul" else np.linalg, name)(*given)
            mine = [x if first or not isinstance(x, np.ndarray) else None for x in given]
            found = getattr(linalg, name)(*mine)
            pairs = zip(found, wanted) if name == "slogdet" else [(found, wanted)]
            for one, other in pairs:
                assert np.asarray(one).dtype == np.asarray(other).dtype and close(one, other, dtype), name
    for ord in [1, -1, np.inf, -np.inf, "fro"]:
        assert np.isclose(linalg.cond(a, ord), np.linalg.cond(a, ord), 1e-2)
    for matrix in (a, b, b.T):
        u, s, vh = linalg.svd(matrix if first else None)
        assert s.dtype == np.finfo(dtype).dtype and close(s, np.linalg.svd(matrix, compute_uv=False), dtype)
        assert u.shape == (len(u),) * 2 and vh.shape == (len(vh),) * 2
        assert close(u[:, : len(s)] * s @ vh[: len(s)], matrix, dtype)
        assert close(u.conj().T @ u, np.eye(len(u)), dtype) and close(vh.conj().T @ vh, np.eye(len(vh)), dtype)
        assert np.array_equal(linalg.svdvals(matrix), s)
        assert linalg.matrix_rank(matrix) == np.linalg.matrix_rank(matrix)
        if len(s) > 0:
            assert close(linalg.pinv(b) @ b, np.eye(b.shape[1]), dtype) or b.shape[1] > len(b)
            assert np.isclose(linalg.cond(matrix), np.linalg.cond(matrix), 1e-2)
    w, v = linalg.eigh(definite, "U")
    assert w.dtype == np.finfo(dtype).dtype and v.dtype == dtype and np.all(np.diff(w) >= 0)
    assert close(definite @ v, v * w, dtype) and close(v.conj().T @ v, np.eye(n), dtype)
    assert close(linalg.eigvalsh(np.stack([definite, a + a.conj().T])), np.stack([w, np.linalg.eigvalsh(a + a.conj().T)]), dtype)
    assert linalg.cond(np.ones((3, 3)), 1) == np.inf and linalg.det(np.ones((3, 3))) == 0
    assert linalg.slogdet(np.zeros((2, 2))) == (0, -np.inf)
    x = linalg.inv(a, everywhere=False)
    assert close(x, np.linalg.inv(a), dtype) if first else x is None
    stack = draw(6, 2, 1, 5, 5, dtype=dtype)
    assert close(linalg.inv(stack), np.linalg.inv(stack), dtype)
    assert close(linalg.matmul(stack, stack[0, 0]), stack @ stack[0, 0], dtype)
    assert close(linalg.solve(stack, stack[0]), np.linalg.solve(stack, stack[0]), dtype)
    assert linalg.det(stack[:0]).shape == (0, 1)
    subclass = type("Subclass", (np.ndarray,), {})
    assert type(linalg.inv(a.view(subclass))) is subclass


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(5, 5), (140, 7), (6, 11), (3, 0)])
def test_linalg_factors(dtype, shape):
    m, n = shape
    a, k = draw(m, m, n, dtype=dtype), min(shape)
    for mode, cols in [("reduced", k), ("full", m)]:
        q, r = linalg.qr(a, mode)
        assert q.shape == (m, cols) and r.shape == (cols, n) and q.dtype == r.dtype == dtype
        assert close(q @ r, a, dtype) and close(q.conj().T @ q, np.eye(cols), dtype)
        assert np.all(np.tril(r, -1) == 0)
    assert close(linalg.qr(a, "r"), linalg.qr(a).R, dtype)
    p, lower, upper = linalg.lu(a)
    assert close(p @ lower @ upper, a, dtype) and np.all(np.triu(lower, 1) == 0)
    pl, upper = linalg.lu(a, permute_l=True)
    assert close(pl @ upper, a, dtype) and close(lower[linalg.lu(a, p_indices=True)[0]], pl, dtype)
    if m == n:
        factors, b = linalg.lu_factor(a), draw(9, n, 2, dtype=dtype)
        for trans, matrix in enumerate([a, a.T, a.conj().T]):
            assert close(matrix @ linalg.lu_solve(factors, b, trans), b, dtype)
            one = linalg.solve(a, b[:, 0], transposed=trans == 1)
            assert trans == 2 or close(matrix @ one, b[:, 0], dtype)
        h = a + a.conj().T + 9 * np.eye(n, dtype=dtype)
        for assume in ["gen", "sym", "her", "pos"]:
            full = np.triu(a).T + np.triu(a, 1) if assume == "sym" else h
            lower = linalg.solve(np.tril(full), b, lower=True, assume_a=assume) if assume != "gen" else None
            found = linalg.solve(np.triu(full) if assume != "gen" else full, b, assume_a=assume)
            assert close(full @ found, b, dtype) and (lower is None or close(full @ lower, b, dtype))
        upper = linalg.cholesky(np.triu(h), lower=False)
        assert close(upper.conj().T @ upper, h, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(9, 4, 4), (4, 9, 4), (11, 8, 3), (3, 0, 0)])
def test_least_squares(dtype, shape):
    m, n, rank = shape
    a = draw(m, m, rank, dtype=dtype) @ draw(n, rank, n, dtype=dtype) if rank < min(m, n) else draw(m, m, n, dtype=dtype)
    b, rcond = draw(3, m, 2, dtype=dtype), 1e-4
    x, residuals, found, s = linalg.lstsq(a, b, rcond)
    assert found == rank and s is None and residuals.shape == (0,) and x.dtype == dtype
    assert close(x, np.linalg.lstsq(a, b, rcond)[0], dtype)
    assert close(linalg.lstsq(a, b[:, 0], rcond)[0], x[:, 0], dtype)
    with linalg.DistArray.from_array(a) as spread:
        assert close(linalg.lstsq(spread, b, rcond)[0].to_array(), x, dtype)
    with pytest.raises(np.linalg.LinAlgError, match="rows"):
        linalg.lstsq(a, np.ones(m + 1))


def test_linalg_errors():
    """NumPy's class for all, SciPy's for shapes and what is not finite."""
    square, b = np.eye(3), np.ones(3)
    wrong = [
        (lambda: linalg.solve(np.ones((3, 3)), b), "pivot 2"),
        (lambda: linalg.solve(np.diag([1.0, 0, 1]), b), "entry 2"),
        (lambda: linalg.inv(np.ones((4, 4))), "pivot 2"),
        (lambda: linalg.cholesky(-square), "not positive definite"),
        (lambda: linalg.inv(np.ones((2, 3))), r"\(2, 3\).*square"),
        (lambda: linalg.det(b), "1-dimensional"),
        (lambda: linalg.solve(square, np.ones(4)), r"\(4,\).*3 rows"),
        (lambda: linalg.solve(square * np.nan, b), "not finite|NaN|infinite"),
        (lambda: linalg.inv(None), "node 0 gives"),
    ]
    for call, text in wrong:
        with pytest.raises(np.linalg.LinAlgError, match=text) as caught:
            call()
        assert isinstance(caught.value, (ValueError, hyla.Error)) and caught.value.status
    assert np.all(np.isnan(linalg.solve(square * np.nan, b, check_finite=False)))
    for one in (np.eye(2, dtype=object), np.eye(2, dtype=np.float16), [["a"]], np.eye(2, dtype=np.longdouble)):
        with pytest.raises(TypeError, match="float32, float64"):
            linalg.inv(one)
    with pytest.raises(NotImplementedError, match="singular values"):
        linalg.norm(square, 2)
    with pytest.raises(ValueError, match="'gen'"):
        linalg.solve(square, b, assume_a="banded")
    with pytest.raises(ValueError, match="mode='best'"):
        linalg.qr(square, "best")
    with pytest.raises(ValueError, match="2 columns meet 3 rows"):
        linalg.matmul(np.ones((3, 2)), square)
    hilbert = 1 / (np.arange(14)[:, None] + np.arange(14) + 1)
    for call in (lambda: linalg.solve(hilbert, np.ones(14)), lambda: linalg.inv(hilbert, method="lu")):
        with pytest.warns(hyla.UnreliableWarning) as caught:
            call()
        assert caught[0].filename == __file__


@pytest.mark.parametrize("dtype", TYPES)
def test_distributed_arrays(dtype):
    n = 13
    a, b = draw(3, n, n, dtype=dtype) + 4 * np.eye(n, dtype=dtype), draw(4, n, 2, dtype=dtype)
    each = -(-n // CUBE.nodes)
    begin = each * CUBE.address if NODE else n
    mine = slice(begin, begin + each)
    x, y = linalg.DistArray.from_local(a[mine]), linalg.DistArray.from_local(b[mine])
    assert x.shape == (n, n) and x.dtype == dtype
    assert np.array_equal(x.local, a[mine]) if NODE else x.local.size == 0
    assert linalg.local_shape((n, n), "rows") == x.local.shape
    assert np.array_equal(x.rows, np.arange(n)[mine]) and x.layout in repr(x)
    solution = linalg.solve(x, y)
    assert close(a @ solution.to_array(), b, dtype)
    part = solution.to_local("rows")
    assert close(part, np.linalg.solve(a, b)[mine], dtype) if NODE else part.size == 0
    assert close(linalg.inv(x).to_array(), np.linalg.inv(a), dtype)
    assert close((x @ y).to_array(), a @ b, dtype) and close(linalg.matmul(x, b[:, 0]).to_array(), a @ b[:, 0], dtype)
    assert close(linalg.det(x), np.linalg.det(a), dtype) and close(linalg.norm(x, 1), np.linalg.norm(a, 1), dtype)
    q, r = linalg.qr(x)
    assert close((q @ r).to_array(), a, dtype)
    w, v = linalg.eigh(x)
    lower = np.tril(a) + np.tril(a, -1).conj().T
    assert close((lower - 1j * np.diag(np.diag(lower).imag)) @ v.to_array(), v.to_array() * w, dtype)
    rows, lower, upper = linalg.lu(x, p_indices=True)
    assert close((lower @ upper).to_array()[rows], a, dtype)
    with linalg.DistArray((n, n), dtype) as made:
        made.local[...] = a[np.ix_(made.rows, made.cols)]
        assert close(made.to_array(), a, dtype)
        vector = linalg.DistArray.from_array(b[:, 0] if CUBE.address == 0 else None, "rows")
        assert close(a @ linalg.solve(made, vector, overwrite_a=True).to_array(), b[:, 0], dtype)
        assert vector.local.shape == (len(x.rows),)
    with pytest.raises(ValueError, match="rank 0"):
        linalg.DistArray.from_local(a[mine] if CUBE.address else a[:0], (n, n))
    with pytest.raises(TypeError, match="float32"):
        linalg.DistArray((2, 2), np.int64)


@first_alone
def test_simulate():
    simulation = hyla.simulate("gemm", size=(16, 16, 16), dims=2, variant="all")
    variants = [run.variant for run in simulation.runs]
    assert "cannon" in variants and "summa" in variants
    for run in simulation.runs:
        assert run.time > 0 and run.words == run.words_predicted
        assert run.details["residual"] < 1
    lines = str(simulation).split("\n")
    assert len(lines) == 1 + len(variants) and lines[0].split()[0] == "variant"
    assert len({len(line) for line in lines}) == 1
    # The value of a closed form of the papers.
    one = hyla.simulate("collective", name="broadcast", variant="sw90-4", dims=5, words=25200, alpha=100)
    assert one.runs[0].time == one.runs[0].details["formula_value"] == 8280
    assert hyla.simulate("gemm", size=64, dims=3, dry=True).runs[0].details["dry"]
    with pytest.raises(hyla.Error, match="needs --size"):
        hyla.simulate("ldl", size=(64, 3))


@first_alone
def test_explain():
    explanation = hyla.explain("gemm", size=(300, 200, 100), ranks=16)
    assert explanation.variant in str(explanation) and explanation.seconds > 0
    assert explanation.steps > 0 and explanation.words > 0
    assert explanation.details["m"] == 300 and explanation.details["ranks"] == 16
    assert hyla.explain("gemm", size=32, variant="cannon").variant == "cannon"
    chosen = [v for v in explanation.variants if v["chosen"]]
    assert [v["name"] for v in chosen] == [explanation.variant] and explanation.fits is None
    assert chosen[0]["cost"]["words"] == explanation.words
    assert hyla.explain("solve", size=500, ranks=16, memory="1G").fits is True
    assert hyla.explain("solve", size=500, ranks=16, memory="1k").fits is False
    with pytest.raises(hyla.Error):
        hyla.explain("gemm", size=32, variant="strassen")


@first_alone
def test_layout():
    layout = hyla.layout(4, 6, "binary/cyclic:1@2x2", dims=2)
    rows, cols = np.indices((4, 6)) % 2
    assert np.array_equal(layout.owner, 2 * rows + cols) and layout.dims == 2
    assert len(layout.nodes) == 4 and layout.copies == 1
    six = hyla.layout(4, 6, "binary/cyclic", array="2x3")
    assert six.owner[:2].tolist() == [[0, 1, 2, 0, 1, 2], [3, 4, 5, 3, 4, 5]] and six.array == "2x3"
    assert str(layout).startswith(layout.text) and len(str(layout).split("\n")) == 5
    with pytest.raises(hyla.Error, match="grey"):
        hyla.layout(4, 4, "grey/cyclic", dims=2)


def sent(x, y, dtype, matrix=0):
    """The part of a matrix that rank x has for rank y."""
    return np.array([x, 1000 * y, matrix]).astype(dtype)


def column(matrix, rank, b):
    call = _cube.library().hyla_bands_column
    call.restype, call.argtypes = ctypes.c_int, [ctypes.c_int] * 4
    return call(CUBE.nodes, b, matrix, rank)


@pytest.mark.parametrize("dtype", [np.int16, np.float64, np.complex64])
@pytest.mark.parametrize("matrices", [1, 2])
def test_bands(dtype, matrices):
    nodes, me = CUBE.nodes, CUBE.address
    for b in range(max(1, CUBE.dims)):
        send = [[sent(me, y, dtype, j) for y in range(nodes)] for j in range(matrices)]
        once = [sent(me, 7, dtype, j) for j in range(matrices)]
        exchanged = hyla.exchange_bands(np.array(send) if NODE else None, b)
        spread = hyla.broadcast_bands(np.array(once) if NODE else None, b)
        if not NODE:
            assert exchanged is None and spread is None
            continue
        for j in range(matrices):
            for x in range(nodes):
                apart = abs(column(j, x, b) - column(j, me, b))
                near = min(apart, nodes - apart) <= 2**b
                if x != me:
                    assert np.array_equal(exchanged[j, x], near * sent(x, me, dtype, j))
                    assert np.array_equal(spread[j, x], near * sent(x, 7, dtype, j))


@pytest.mark.parametrize("dtype", [np.int16, np.float64, np.complex64])
def test_active_ranks(dtype):
    nodes, me = CUBE.nodes, CUBE.address
    active = [x % 3 == 0 for x in range(nodes)]
    mine = NODE and active[me]
    send = np.array([sent(me, y, dtype) for y in range(nodes)])
    from_active = hyla.partial_exchange(send if mine else None, active)
    to_active = hyla.partial_gather(send if NODE else None, active)
    assert (from_active is not None) == NODE and (to_active is not None) == mine
    for x in range(nodes if NODE else 0):
        assert np.array_equal(from_active[x], active[x] * sent(x, me, dtype))
        assert not mine or np.array_equal(to_active[x], sent(x, me, dtype))
    with pytest.raises(ValueError, match="flags"):
        hyla.partial_gather(send if NODE else None, [True] * (nodes + 1))


@pytest.mark.parametrize("dtype", [np.int16, np.float64])
def test_window(dtype):
    for dims in range(CUBE.dims + 1):
        inside = 0 <= CUBE.address < 2**dims
        found = hyla.window(sent(CUBE.address, 1, dtype) if inside else None, dims)
        assert (found is not None) == inside
        for x in range(2**dims if inside else 0):
            assert np.array_equal(found[x], sent(x, 1, dtype))
    for dims in (-1, CUBE.dims + 1):
        with pytest.raises(ValueError, match="dimensions; there are"):
            hyla.window(np.zeros(1), dims)
    with pytest.raises(ValueError, match="no rank has"):
        hyla.window(None, 0)
    if CUBE.nodes > 1:
        wrong = np.zeros(1 + CUBE.address) if NODE else None
        with pytest.raises(ValueError, match="different types or shapes"):
            hyla.window(wrong, CUBE.dims)


def test_embed_comm_asks_for_mpi4py(monkeypatch):
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)
    with pytest.raises(hyla.Error, match="import mpi4py.MPI first") as caught:
        hyla.embed_comm("torus", [CUBE.nodes])
    assert caught.value.status == "UNSUPPORTED"
    module = types.SimpleNamespace(Get_library_version=lambda: _library._config.MPI)
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", module)
    with pytest.raises(ValueError, match="naive, torus"):
        hyla.embed_comm("ring", 2)


def test_another_mpi(monkeypatch):
    """mpi4py for another MPI is refused with one message; one for the same is not."""
    fake = types.SimpleNamespace(Get_library_version=lambda: "Open MPI v4.1.4, package: x")
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", fake)
    with pytest.raises(hyla.Error, match="another MPI .Open MPI v4.1.4.*hyla .MPICH") as caught:
        _library.check_mpi4py("MPICH Version: 4.0.2")
    assert "\n" not in str(caught.value)
    _library.check_mpi4py("Open MPI v4.1.4")


def test_communicator():
    """A communicator of mpi4py is passed as its Fortran handle; here that of MPI_COMM_SELF in
    MPICH.
    """
    if "MPICH" not in CUBE.describe():
        pytest.skip("the handle is MPICH's")
    comm = types.SimpleNamespace(py2f=lambda: ctypes.c_int(0x44000001).value)
    with hyla.Cube(comm) as alone:
        assert (alone.nodes, alone.address) == (1, 0)
        x = hyla.solve(2 * np.eye(3), np.ones(3), cube=alone).x
        assert np.array_equal(x, np.full(3, 0.5))
