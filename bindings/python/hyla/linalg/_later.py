"""Functions of numpy.linalg and scipy.linalg that hyla does not have yet."""

from typing import NoReturn


def not_yet(name: str, why: str) -> NoReturn:
    raise NotImplementedError(f"hyla.linalg.{name}: {why}")
