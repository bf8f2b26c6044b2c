"""Factorizations that are kept for the next matrix of their shape: planning one takes longer than
the arithmetic of a small system."""

import ctypes

from ._cube import library

# At most MOST of them are kept, each of at most ENTRIES entries.
MOST = 8
ENTRIES = 512 * 512


def take(cube, method, type_, m, n, nrhs):
    """The key and the handle of a factorization without factors.  Collective.  Each rank has made
    the same calls before, so all have one, or none."""
    key = (method, type_, m, n, nrhs)
    at = cube._plans.pop(key, None)
    if at is None:
        at = ctypes.c_void_p()
        cube.check(
            library().hyla_factor_create_rectangular(
                cube._at, method, type_, m, n, nrhs, None, None, ctypes.byref(at)
            )
        )
    return key, at


def give(cube, key, at):
    """Keeps it, or ends it; the one that was used least recently goes first.  Local."""
    if key[2] * key[3] <= ENTRIES:
        cube._plans[key] = at
        if len(cube._plans) <= MOST:
            return
        at = cube._plans.pop(next(iter(cube._plans)))
    library().hyla_factor_destroy(ctypes.byref(at))
