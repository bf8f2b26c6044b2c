"""NumPy arrays to distributed matrices and back."""

import ctypes

import numpy as np

from ._cube import library
from ._library import HYLA_FACE, HYLA_REPLICATED, Error

# By hyla_type: HYLA_FLOAT, HYLA_DOUBLE, HYLA_COMPLEX, HYLA_DOUBLE_COMPLEX.
TYPES = [np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.complex64), np.dtype(np.complex128)]


def _describe(array):
    """What the ranks have to agree on: [bad, double, complex, dimensions, rows, columns]; of None
    nothing, since the others say it."""
    if array is None:
        return [0, 0, 0, -1, -1, -1]
    if array.ndim not in (1, 2) or array.dtype.kind not in "fcbiu" or array.dtype.itemsize > 16:
        return [1, 0, 0, -1, -1, -1]
    kind = array.dtype
    if kind.kind == "f" and kind.itemsize > 8:
        return [1, 0, 0, -1, -1, -1]
    narrow = kind in (np.float16, np.float32, np.complex64)
    rows, cols = (*array.shape, 1)[:2]
    return [0, 0 if narrow else 1, int(kind.kind == "c"), array.ndim, rows, cols]


class Arrays:
    """Arrays that go into one call: each an array on every rank, or None on some but not on node 0.
    They get one type, the one that holds them all."""

    def __init__(self, cube, **arrays):
        self.cube = cube
        self._arrays = {
            name: None if array is None else np.asarray(array) for name, array in arrays.items()
        }
        mine = [_describe(array) for array in self._arrays.values()]
        flat = cube.max([number for one in mine for number in one])
        agreed = [flat[i : i + 6] for i in range(0, len(flat), 6)]
        # What a rank has must be what all have, and node 0 must have it.
        differs = [
            int((one[3] >= 0 and one[3:] != all_[3:]) or (cube.address == 0 and one[3] < 0))
            for one, all_ in zip(mine, agreed)
        ]
        differs = cube.max(differs)
        for name, all_, differ in zip(self._arrays, agreed, differs):
            if all_[0]:
                raise Error(
                    "ARGUMENT",
                    f"{name} must be a vector or a matrix of real or complex numbers, at most double",
                )
            if differ:
                raise Error(
                    "MISMATCH",
                    f"{name}: node 0 gives the array, the other ranks one of the same shape, or None",
                )
        self.shapes = {name: tuple(a[4:]) for name, a in zip(self._arrays, agreed)}
        self.dims = {name: a[3] for name, a in zip(self._arrays, agreed)}
        self.type = max(a[1] for a in agreed) + 2 * max(a[2] for a in agreed)

    def matrix(self, name):
        """The array as a distributed matrix."""
        made = Matrix(self.cube, self.type, *self.shapes[name])
        try:
            made.scatter(self._arrays[name])
        except Error:
            made.close()
            raise
        return made


class Matrix:
    """A distributed matrix of zeros, for as long as `with` or until close()."""

    def __init__(self, cube, type_, rows, cols):
        self.cube, self.type, self.rows, self.cols = cube, type_, rows, cols
        self.at = ctypes.c_void_p()
        cube.check(
            library().hyla_matrix_create(cube._at, type_, rows, cols, None, ctypes.byref(self.at))
        )

    def close(self):
        library().hyla_matrix_destroy(ctypes.byref(self.at))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def scatter(self, array):
        """From node 0's array."""
        whole = None
        if self.cube.address == 0:
            whole = np.asfortranarray(array.reshape(self.rows, self.cols), dtype=TYPES[self.type])
        at = None if whole is None else whole.ctypes.data
        self.cube.check(
            library().hyla_matrix_scatter(self.cube._at, at, max(1, self.rows), self.at)
        )

    def gather(self, everywhere=True, dims=2):
        """The entries in an array, on node 0 alone or on every node; None elsewhere."""
        address = self.cube.address
        whole = None
        if address == 0 or (everywhere and address > 0):
            whole = np.zeros((self.rows, self.cols), dtype=TYPES[self.type], order="F")
        rest = HYLA_REPLICATED if everywhere else HYLA_FACE
        at = None if whole is None else whole.ctypes.data
        self.cube.check(
            library().hyla_matrix_gather(self.cube._at, self.at, rest, at, max(1, self.rows))
        )
        return whole if whole is None or dims == 2 else whole[:, 0]

    def norm(self, kind):
        value = ctypes.c_double()
        self.cube.check(
            library().hyla_matrix_norm(self.cube._at, self.at, kind, ctypes.byref(value))
        )
        return value.value
