"""Functions of numpy.linalg and scipy.linalg that hyla does not have yet."""

from typing import NoReturn


def not_yet(name: str, why: str) -> NoReturn:
    raise NotImplementedError(f"hyla.linalg.{name}: {why}")


def lstsq(a, b, rcond="warn", *, everywhere=True, cube=None):
    """Not there yet."""
    not_yet("lstsq", "least squares are not there yet; hyla.linalg.qr is")


def svd(a, full_matrices=True, compute_uv=True, *, everywhere=True, cube=None):
    """Not there yet."""
    not_yet("svd", "singular values are not there yet")


def svdvals(a, *, everywhere=True, cube=None):
    """Not there yet."""
    not_yet("svdvals", "singular values are not there yet")


def pinv(a, *, everywhere=True, cube=None):
    """Not there yet."""
    not_yet("pinv", "singular values are not there yet")


def matrix_rank(A, *, everywhere=True, cube=None):
    """Not there yet."""
    not_yet("matrix_rank", "singular values are not there yet")
