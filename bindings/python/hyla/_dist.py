"""Matrices and vectors of which each rank holds a part."""

import ctypes

import numpy as np

from ._cube import default_cube, library
from ._library import LayoutC
from ._matrix import TYPES, Matrix, _describe


class _Lent:
    """A matrix' part for NumPy, which keeps this object, and so the matrix, as long as its array."""

    def __init__(self, matrix, shape, ld):
        size = TYPES[matrix.type].itemsize
        place = ctypes.c_void_p()
        library().hyla_matrix_local(matrix.at, ctypes.byref(place), None, None, None)
        self._matrix = matrix
        self.__array_interface__ = {
            "version": 3,
            "typestr": TYPES[matrix.type].str,
            "shape": shape,
            "strides": (size, size * ld),
            "data": (place.value or 0, False),
        }


def _parsed(cube, layout, rows, cols):
    """The layout that a text names, or None for the default."""
    if layout is None:
        return None
    nodes = cube.nodes
    named = {
        "rows": f"binary/consecutive@{nodes}x1",
        "columns": f"binary/consecutive@1x{nodes}",
        "whole": "binary/consecutive@1x1:face",
    }
    made = LayoutC()
    text = named.get(layout, layout)
    cube.check(library().hyla_layout_parse(cube._at, text.encode(), ctypes.byref(made)))
    return made


def _local_shape(cube, layout, rows, cols):
    m, n = ctypes.c_int64(), ctypes.c_int64()
    at = None if layout is None else ctypes.byref(layout)
    if at is None:
        made = LayoutC()
        cube.check(library().hyla_layout_default(cube._at, rows, cols, ctypes.byref(made)))
        at = ctypes.byref(made)
    cube.check(
        library().hyla_layout_local(cube._at, at, rows, cols, ctypes.byref(m), ctypes.byref(n))
    )
    return m.value, n.value


def local_shape(shape, layout=None, *, cube=None):
    """The shape of this rank's part of an array of that shape; (0, 0), or (0,) of a vector, on a
    rank that holds nothing.  Local.

    layout: as in DistArray."""
    cube = cube or default_cube()
    rows, cols = (*shape, 1)[:2]
    return _local_shape(cube, _parsed(cube, layout, rows, cols), rows, cols)[: len(shape)]


class DistArray:
    """A matrix or a vector of which each rank holds a part: no rank needs memory for all of it.

    Made by DistArray(shape), of zeros; by from_local, from the parts that the ranks have; by
    from_array, from node 0's array.  The functions of hyla.linalg take them, with other DistArrays
    or with whole arrays, and return DistArrays.

    shape, ndim, dtype.  layout: a text as `hyla layout` reads it, "rows" (each rank has consecutive
    rows, as many as ceil(m / ranks)), "columns", or None, in which matrices are factored fastest:
    cyclic, in blocks; as an attribute the text.  local: this rank's part, an array in Fortran
    order, whose entries may be set; rows, cols: the numbers that its rows and columns have in the
    whole.  A rank that holds nothing has an empty part.  cube: Cube.

    close() ends it, as the end of `with` and the end of its cube do; local must not be used then."""

    def __init__(self, shape, dtype=float, layout=None, *, cube=None):
        cube = cube or default_cube()
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        rows, cols = (*shape, 1)[:2]
        if np.dtype(dtype) not in TYPES or len(shape) not in (1, 2):
            raise TypeError(
                f"a DistArray of {np.dtype(dtype)} with the shape {shape}; it has one or two "
                "dimensions, and is of float32, float64, complex64 or complex128"
            )
        given = _parsed(cube, layout, rows, cols)
        made = Matrix(cube, TYPES.index(np.dtype(dtype)), rows, cols, given)
        self._take(made, len(shape))

    def _take(self, matrix, ndim):
        self.matrix, self.ndim, self.cube = matrix, ndim, matrix.cube
        self.cube._kept.add(self)

    @classmethod
    def of(cls, matrix, ndim=2):
        """Of a matrix (_matrix.py), which it owns from now on.  Local."""
        self = cls.__new__(cls)
        self._take(matrix, ndim)
        return self

    @classmethod
    def from_local(cls, local, shape=None, layout="rows", *, cube=None):
        """From this rank's part, which is copied.  Collective.

        local: a vector or a matrix, of the same type and dimensions on each rank; on a rank that
        holds nothing it may be None.  shape: of the whole; with "rows" and "columns" it may be left
        out."""
        cube = cube or default_cube()
        local = None if local is None else np.asarray(local)
        kind = _describe(local)
        most = cube.max(kind[:4])
        if most[0]:
            raise TypeError("a part is an array of one or two dimensions of numbers, at most double")
        if cube.max([int(local is not None and kind[3] != most[3])])[0]:
            raise ValueError("the parts of some ranks are vectors, those of others matrices")
        ndim = most[3]
        if ndim < 0:
            raise ValueError("no rank has a part")
        if shape is None:
            shape = _whole_shape(cube, local, layout)[:ndim]
        made = cls(shape, TYPES[most[1] + 2 * most[2]], layout, cube=cube)
        room = made.local
        fits = room.size == 0 if local is None else local.shape == room.shape or local.size == room.size == 0
        wrong = [-1] * 3 if fits else [cube.address, *(*local.shape, 1)[:2]]
        wrong = cube.max(wrong)
        if wrong[0] >= 0:
            made.close()
            raise ValueError(
                f"the parts do not fit: of an array of shape {tuple(shape)} in layout {layout!r} "
                f"rank {wrong[0]} has another part than it gives; local_shape tells each rank's"
            )
        if local is not None and room.size:
            room[...] = local
        return made

    @classmethod
    def from_array(cls, array, layout=None, *, cube=None):
        """From an array that node 0 has; other ranks give None, or anything.  Collective."""
        cube = cube or default_cube()
        first = cube.address == 0
        kind = _describe(np.asarray(array) if first else None)
        most = cube.max(kind)
        if most[0] or most[3] < 0:
            raise TypeError("node 0 gives an array of one or two dimensions of numbers, at most double")
        made = cls(most[4 : 4 + most[3]], TYPES[most[1] + 2 * most[2]], layout, cube=cube)
        made.matrix.scatter(np.asarray(array) if first else None)
        return made

    def to_local(self, layout=None):
        """This rank's part, in an array of its own; in another layout if one is named.
        Collective."""
        if layout is None:
            return np.array(self.local, order="F")
        with self.moved(layout) as other:
            return np.array(other.local, order="F")

    def to_array(self, everywhere=True):
        """The whole, on every rank, or with everywhere=False on node 0 alone and None elsewhere.
        Collective."""
        return self.matrix.gather(everywhere, self.ndim)

    def moved(self, layout):
        """A copy in another layout.  Collective."""
        made = DistArray(self.shape, self.dtype, layout, cube=self.cube)
        self.cube.check(
            library().hyla_matrix_copy(self.cube._at, self.matrix.at, made.matrix.at)
        )
        return made

    @property
    def shape(self):
        return (self.matrix.rows, self.matrix.cols)[: self.ndim]

    @property
    def dtype(self):
        return TYPES[self.matrix.type]

    @property
    def layout(self):
        lib = library()
        room = ctypes.create_string_buffer(160)
        lib.hyla_layout_format(lib.hyla_matrix_layout(self.matrix.at), room, len(room))
        return room.value.decode()

    @property
    def local(self):
        m, n, ld = (ctypes.c_int64() for _ in range(3))
        library().hyla_matrix_local(self.matrix.at, None, ctypes.byref(m), ctypes.byref(n), ctypes.byref(ld))
        if m.value * n.value == 0:
            part = np.zeros((m.value, n.value), self.dtype, order="F")
        else:
            part = np.asarray(_Lent(self.matrix, (m.value, n.value), ld.value))
        return part if self.ndim == 2 else part[:, 0] if n.value else part.reshape(-1)

    def _numbers(self, call, axis):
        m, n = ctypes.c_int64(), ctypes.c_int64()
        library().hyla_matrix_local(self.matrix.at, None, ctypes.byref(m), ctypes.byref(n), None)
        count = (m, n)[axis].value
        if self.cube._alone:
            return np.arange(count)
        return np.fromiter((call(self.matrix.at, i) for i in range(count)), np.int64, count)

    @property
    def rows(self):
        return self._numbers(library().hyla_matrix_row, 0)

    @property
    def cols(self):
        return self._numbers(library().hyla_matrix_col, 1)

    def __matmul__(self, other):
        from .linalg import matmul

        return matmul(self, other, cube=self.cube)

    def __repr__(self):
        return f"<DistArray {self.shape} of {self.dtype}, {self.layout}>"

    def close(self):
        """Local."""
        self.matrix.close()

    def __del__(self):
        if "matrix" in self.__dict__:
            self.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _whole_shape(cube, local, layout):
    """The shape of the whole whose parts follow each other along one axis."""
    if layout not in ("rows", "columns"):
        raise ValueError(f"the layout {layout!r} needs shape=; 'rows' and 'columns' do without")
    rows, cols = (0, 0) if local is None else (*local.shape, 1)[:2]
    along, across = (rows, cols) if layout == "rows" else (cols, rows)
    counts = [0] * cube.nodes
    if cube.address >= 0:
        counts[cube.address] = along
    *counts, across = cube.max([*counts, across])
    return (sum(counts), across) if layout == "rows" else (across, sum(counts))
