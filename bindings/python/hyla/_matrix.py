"""Turns NumPy arrays into distributed matrices and back."""

import ctypes
import math

import numpy as np

from ._cube import library
from ._library import (
    HYLA_FACE,
    HYLA_NONE,
    HYLA_NORM_ONE,
    HYLA_REPLICATED,
    HYLA_TRANSPOSE,
    OPERATIONS,
    Error,
    Transfer,
)

# In the order of hyla_type: HYLA_FLOAT, HYLA_DOUBLE, HYLA_COMPLEX, HYLA_DOUBLE_COMPLEX.
TYPES = [np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.complex64), np.dtype(np.complex128)]


# From this number of bytes on the library transposes an array faster than NumPy.
TURNED_FROM = 1 << 20

# The codes of types narrower than double: float16, float32, complex64.
NARROW = "efF"

# A matrix is scaled by 2^-DOWN if its norm overflows.
DOWN = 64


def _describe(array):
    """The numbers on which ranks must agree: [bad, double, complex, dimensions, rows, columns]; for
    None -1, because other ranks have them."""
    if array is None:
        return [0, 0, 0, -1, -1, -1]
    if array.ndim not in (1, 2) or array.dtype.kind not in "fcbiu" or array.dtype.itemsize > 16:
        return [1, 0, 0, -1, -1, -1]
    kind = array.dtype
    if kind.kind == "f" and kind.itemsize > 8:
        return [1, 0, 0, -1, -1, -1]
    narrow = kind.char in NARROW and kind.isnative
    rows, cols = (*array.shape, 1)[:2]
    return [0, 0 if narrow else 1, int(kind.kind == "c"), array.ndim, rows, cols]


def _agree(cube, mine):
    """For each array the numbers of all ranks, and whether any rank's array differs."""
    if cube._alone:
        return mine, [one[3] < 0 for one in mine]
    flat = cube.max([number for one in mine for number in one])
    agreed = [flat[i : i + 6] for i in range(0, len(flat), 6)]
    # A rank's array must be like the others', and node 0 must have one.
    differs = [
        int((one[3] >= 0 and one[3:] != all_[3:]) or (cube.address == 0 and one[3] < 0))
        for one, all_ in zip(mine, agreed)
    ]
    return agreed, cube.max(differs)


class Arrays:
    """The arrays of one call: each is an array on every rank, or None on some but not on node 0.
    They get one type, which holds them all."""

    def __init__(self, cube, **arrays):
        self.cube = cube
        self._arrays = {
            name: None if array is None else np.asarray(array) for name, array in arrays.items()
        }
        mine = [_describe(array) for array in self._arrays.values()]
        agreed, differs = _agree(cube, mine)
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
        """The array as a distributed matrix, which is only read.  On one node it may be the array
        itself, which must then live as long."""
        return as_matrix(self.cube, self.type, self._arrays[name], self.shapes[name])


def as_matrix(cube, type_, array, shape):
    """Node 0's array as a distributed matrix, which is only read.  On one node it may be the array
    itself, which must then live as long."""
    if cube._alone:
        return _alone(cube, type_, array, shape)
    made = Matrix(cube, type_, *shape)
    try:
        made.scatter(array)
    except Error:
        made.close()
        raise
    return made


def _step(array):
    """The distance of two columns in entries, if columns are dense; else 0."""
    rows, cols = array.shape
    size = array.itemsize
    if array.size == 0:
        return max(1, rows)
    if not array.flags.aligned or (rows > 1 and array.strides[0] != size):
        return 0
    if cols < 2:
        return max(1, rows)
    step, rest = divmod(array.strides[1], size)
    return step if rest == 0 and step >= max(1, rows) else 0


def _alone(cube, type_, array, shape):
    """The array as the matrix of a cube of one node: in place; or, if it is stored by rows,
    transposed by the library, which works by tiles; any other array as a copy."""
    whole = np.asarray(array.reshape(shape), dtype=TYPES[type_])
    turned = whole.nbytes >= TURNED_FROM and _step(whole) == 0 and _step(whole.T) != 0
    if _step(whole) == 0 and not turned:
        whole = np.asfortranarray(whole)
    given = Matrix.over(cube, type_, whole.T if turned else whole)
    if not turned:
        return given
    with given:
        fits = whole.nbytes <= cube._room_most
        made = (Matrix.in_room if fits else Matrix)(cube, type_, *shape)
        transfer = Transfer(HYLA_TRANSPOSE, (1, 0), given.at, made.at)
        try:
            cube.check(library().hyla_redistribute(cube._at, 1, ctypes.byref(transfer)))
        except Error:
            made.close()
            raise
    return made


class Matrix:
    """A distributed matrix of zeros, which lives until the end of `with` or until close()."""

    def __init__(self, cube, type_, rows, cols, layout=None):
        self.cube, self.type, self.rows, self.cols = cube, type_, rows, cols
        self.at, self._array, self._room = ctypes.c_void_p(), None, None
        place = None if layout is None else ctypes.byref(layout)
        cube.check(
            library().hyla_matrix_create(cube._at, type_, rows, cols, place, ctypes.byref(self.at))
        )

    @classmethod
    def over(cls, cube, type_, array):
        """A matrix over an array of that type whose columns are dense, on a cube of one node."""
        self = cls.__new__(cls)
        self.cube, self.type, (self.rows, self.cols) = cube, type_, array.shape
        self.at, self._array, self._room = ctypes.c_void_p(), array, None
        place = array.__array_interface__["data"][0] if array.size else None
        cube.check(
            library().hyla_matrix_wrap(
                cube._at, type_, self.rows, self.cols, None, place, _step(array), ctypes.byref(self.at)
            )
        )
        return self

    @classmethod
    def answer(cls, cube, type_, rows, cols):
        """A matrix whose entries will all be written, then gathered once."""
        if not cube._alone:
            return cls(cube, type_, rows, cols)
        return cls.over(cube, type_, np.empty((rows, cols), dtype=TYPES[type_], order="F"))

    @classmethod
    def in_room(cls, cube, type_, rows, cols):
        """A matrix whose entries will all be written, on a cube of one node, in the memory that the
        last such matrix has left."""
        size = rows * cols * TYPES[type_].itemsize
        room, cube._room = cube._room, None
        if room is None or room.nbytes < size:
            room = np.empty(size, dtype=np.uint8)
        array = room[:size].view(TYPES[type_]).reshape((rows, cols), order="F")
        self = cls.over(cube, type_, array)
        self._room = room
        return self

    def lent(self):
        """This matrix for another object, which does not end it."""
        other = Matrix.__new__(Matrix)
        other.__dict__.update(self.__dict__)
        other.at, other._room = ctypes.c_void_p(self.at.value), None
        other.close = lambda: None
        return other

    def part(self, row, col, rows, cols):
        """A view, which the caller closes first."""
        other = Matrix.__new__(Matrix)
        other.cube, other.type, other.rows, other.cols = self.cube, self.type, rows, cols
        other.at, other._array, other._room = ctypes.c_void_p(), None, None
        self.cube.check(
            library().hyla_matrix_view(self.at, row, col, rows, cols, ctypes.byref(other.at))
        )
        return other

    def handed_over(self):
        """The same matrix; this object, when it is closed, ends nothing."""
        other = Matrix.__new__(Matrix)
        other.__dict__.update(self.__dict__)
        self.at, self._room = ctypes.c_void_p(), None
        return other

    def turned(self, op):
        """A copy transposed, "T", or transposed and conjugated, "C".  Collective."""
        made = Matrix(self.cube, self.type, self.cols, self.rows)
        transfer = Transfer(OPERATIONS[op], (1, 0), self.at, made.at)
        try:
            self.cube.check(library().hyla_redistribute(self.cube._at, 1, ctypes.byref(transfer)))
        except Error:
            made.close()
            raise
        return made

    def close(self):
        library().hyla_matrix_destroy(ctypes.byref(self.at))
        if self._room is not None:
            self.cube._room, self._room = self._room, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def scatter(self, array):
        """Sets the entries from node 0's array."""
        whole = None
        if self.cube.address == 0:
            whole = np.asfortranarray(array.reshape(self.rows, self.cols), dtype=TYPES[self.type])
        at = None if whole is None else whole.ctypes.data
        self.cube.check(
            library().hyla_matrix_scatter(self.cube._at, at, max(1, self.rows), self.at)
        )

    def gather(self, everywhere=True, dims=2):
        """The entries in an array, on every rank or on node 0 alone; None elsewhere."""
        if self._array is not None:
            return self._array if dims == 2 else self._array[:, 0]
        whole = None
        if everywhere or self.cube.address == 0:
            whole = np.zeros((self.rows, self.cols), dtype=TYPES[self.type], order="F")
        rest = HYLA_REPLICATED if everywhere else HYLA_FACE
        at = None if whole is None else whole.ctypes.data
        self.cube.check(
            library().hyla_matrix_gather(self.cube._at, self.at, rest, at, max(1, self.rows))
        )
        if everywhere and self.cube.guests > 0:
            self.cube.check(library().hyla_cube_tell(self.cube._at, at, whole.nbytes))
        return whole if whole is None or dims == 2 else whole[:, 0]

    def norm(self, kind):
        value = ctypes.c_double()
        self.cube.check(
            library().hyla_matrix_norm(self.cube._at, self.at, kind, ctypes.byref(value))
        )
        return value.value

    def norm_one(self):
        """|A|_1 times 2^-exponent, and the exponent, which is 0 unless the norm itself
        overflows."""
        norm = self.norm(HYLA_NORM_ONE)
        if not math.isinf(norm):
            return norm, 0
        with Matrix(self.cube, self.type, self.rows, self.cols) as copy:
            transfer = Transfer(HYLA_NONE, (math.ldexp(1, -DOWN), 0), self.at, copy.at)
            self.cube.check(library().hyla_redistribute(self.cube._at, 1, ctypes.byref(transfer)))
            return copy.norm(HYLA_NORM_ONE), DOWN
