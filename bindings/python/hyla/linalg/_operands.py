"""What the functions of hyla.linalg share: operands, stacks, results, errors."""

import warnings
from contextlib import ExitStack

import numpy as np

from .._cube import default_cube, library
from .._dist import DistArray
from .._kept import give, take
from .._library import HYLA_OK, HYLA_UNRELIABLE, Error
from .._matrix import NARROW, TYPES, Matrix, as_matrix
from .._solve import UnreliableWarning

# The most dimensions of an operand.
DIMS = 8


class LinAlgError(Error, np.linalg.LinAlgError, ValueError):
    """numpy.linalg.LinAlgError, with the status and the pivot of Error.  It is a ValueError too, as
    that of NumPy 2 is, and as SciPy raises for shapes and for entries that are not finite."""


class NotFinite(Exception):
    """The answer is NaN, and the caller takes that."""


def _described(array):
    """Numbers on which ranks agree: [bad, double, complex, dimensions, shape ...]; -1 for None."""
    if array is None:
        return [0, 0, 0] + [-1] * (DIMS + 1)
    kind = array.dtype
    good = kind.kind in "bui" or kind.char in "fdFD"
    if not good or array.ndim > DIMS:
        return [1, 0, 0] + [-1] * (DIMS + 1)
    narrow = kind.char in NARROW
    shape = list(array.shape) + [-1] * (DIMS - array.ndim)
    return [0, int(not narrow), int(kind.kind == "c"), array.ndim, *shape]


def _agree(cube, arrays):
    """The numbers of all ranks for each array.  Raises on all ranks alike."""
    mine = [_described(array) for array in arrays.values()]
    agreed, differs = mine, [one[3] < 0 for one in mine]
    if not cube._alone:
        flat = cube.max([number for one in mine for number in one])
        size = DIMS + 4
        agreed = [flat[i : i + size] for i in range(0, len(flat), size)]
        differs = cube.max(
            [
                int((one[3] >= 0 and one[3:] != all_[3:]) or (cube.address == 0 and one[3] < 0))
                for one, all_ in zip(mine, agreed)
            ]
        )
    for (name, array), all_, differ in zip(arrays.items(), agreed, differs):
        if all_[0]:
            came = "of another rank" if array is None else f"{array.dtype}, {array.ndim}-dimensional,"
            raise TypeError(
                f"array type {came} is unsupported in linalg: {name} may be an array of float32, "
                f"float64, complex64, complex128, integers or bool, of at most {DIMS} dimensions"
            )
        if differ:
            raise LinAlgError(
                "MISMATCH",
                f"{name}: node 0 gives the array, the other ranks one of the same shape, or None",
            )
    return agreed


class Operands:
    """The operands of a call: whole arrays, or DistArrays.  They get one type, which holds them
    all."""

    def __init__(self, cube, everywhere, check_finite=True, **given):
        spread = [one for one in given.values() if isinstance(one, DistArray)]
        self.spread = bool(spread)
        self.cube = cube or (spread[0].cube if spread else default_cube())
        self.everywhere, self.check_finite = everywhere, check_finite
        # Why answers cannot be trusted.
        self.doubts = []
        self.given = {
            name: one if one is None or isinstance(one, DistArray) else np.asanyarray(one)
            for name, one in given.items()
        }
        whole = {k: v for k, v in self.given.items() if not isinstance(v, DistArray)}
        agreed = dict(zip(whole, _agree(self.cube, whole))) if whole else {}
        for name, one in self.given.items():
            if name not in agreed:
                number = TYPES.index(one.dtype)
                agreed[name] = [0, number % 2, number // 2, one.ndim, *one.shape]
        self.shape = {name: tuple(all_[4 : 4 + all_[3]]) for name, all_ in agreed.items()}
        self.classes = {name: type(one) for name, one in self.given.items()}
        self.type = max(a[1] for a in agreed.values()) + 2 * max(a[2] for a in agreed.values())
        if self.spread and any(len(shape) > 2 for shape in self.shape.values()):
            raise LinAlgError("ARGUMENT", "a DistArray meets no stack of matrices")

    dtype = property(lambda self: TYPES[self.type])
    real = property(lambda self: TYPES[self.type % 2])

    def demand(self, name, square=False):
        """Raises, as NumPy does, unless the operand is a matrix or a stack of matrices."""
        shape = self.shape[name]
        if len(shape) < 2:
            raise LinAlgError(
                "ARGUMENT",
                f"{name} is {len(shape)}-dimensional; it must be a matrix, or a stack of matrices, "
                "of at least two dimensions",
            )
        if square and shape[-1] != shape[-2]:
            raise LinAlgError(
                "ARGUMENT",
                f"{name} has the shape {shape}; its last 2 dimensions must be square, of equal "
                "length",
            )

    def matrix(self, undo, name, index=(), turned=""):
        """An operand, or one matrix of a stack, as a distributed matrix that is only read, until
        `undo' ends.  turned: "T" or "C" for its transpose."""
        one = self.given[name]
        if isinstance(one, DistArray):
            return self._spread(undo, one, turned)
        shape = self.shape[name]
        part = one
        if index and one is not None:
            lead = shape[:-2]
            at = tuple(0 if n == 1 else i for i, n in zip(index[len(index) - len(lead) :], lead))
            part = one[at] if lead else one
        rows, cols = (shape[-2:] if len(shape) > 1 else (*shape, 1))
        if turned:
            rows, cols = cols, rows
            if part is not None:
                part = part.T.conj() if turned == "C" else part.T
        made = as_matrix(self.cube, self.type, part, (rows, cols))
        undo.callback(made.close)
        return made

    def _spread(self, undo, one, turned):
        made = one.matrix
        if made.type != self.type:
            other = Matrix(self.cube, self.type, made.rows, made.cols)
            undo.callback(other.close)
            self.check(library().hyla_matrix_convert(self.cube._at, made.at, other.at))
            made = other
        if turned:
            made = made.turned(turned)
            undo.callback(made.close)
        return made

    def answer(self, undo, rows, cols, type_=None):
        """A matrix whose entries will all be written; a result, or closed when `undo' ends."""
        type_ = self.type if type_ is None else type_
        make = Matrix if self.spread else Matrix.answer
        made = make(self.cube, type_, rows, cols)
        undo.callback(made.close)
        return made

    def factor(self, undo, method, m, n, nrhs=0):
        """A factorization without factors, until `undo' ends."""
        key, at = take(self.cube, method, self.type, m, n, nrhs)
        undo.callback(give, self.cube, key, at)
        return at

    def check(self, status, pivot=0):
        """Raises LinAlgError unless the status is OK; NotFinite if the caller takes NaN."""
        if status == HYLA_OK:
            return
        try:
            self.cube.check(status, pivot)
        except Error as error:
            if error.status == "NOT_FINITE" and not self.check_finite:
                raise NotFinite from None
            raise LinAlgError(error.status, str(error), error.pivot) from None

    def judged(self, status, pivot=0):
        """As check, but an answer that cannot be trusted only leaves a doubt."""
        if status == HYLA_UNRELIABLE:
            self.doubts.append(library().hyla_cube_message(self.cube._at).decode())
            return
        self.check(status, pivot)

    def columns(self, name):
        """Makes the operand's vectors matrices of one column."""
        one, shape = self.given[name], self.shape[name]
        if one is None or not isinstance(one, DistArray):
            self.given[name] = None if one is None else np.asarray(one)[..., None]
            self.shape[name] = (*shape, 1)

    def rows(self, name):
        """Makes a vector a matrix of one row; a DistArray is then taken transposed."""
        one, shape = self.given[name], self.shape[name]
        if not isinstance(one, DistArray):
            self.given[name] = None if one is None else np.asarray(one)[None]
        self.shape[name] = (1, *shape)

    def flatten(self, name):
        """Makes an array a vector."""
        one, shape = self.given[name], self.shape[name]
        self.given[name] = None if one is None else np.asarray(one).reshape(-1)
        self.shape[name] = (int(np.prod(shape, dtype=np.int64)),)

    def _taken(self, result, dims):
        """A result as the caller gets it."""
        if not isinstance(result, Matrix):
            return result
        if self.spread:
            return DistArray.of(result.handed_over(), dims)
        return result.gather(self.everywhere, dims)

    def each(self, core, stack, *results):
        """Calls core(undo, index) for each matrix of a stack, and gives its results, put together.
        results: a shape of each without the stack's, and a type.  Warns the caller's caller of
        answers that cannot be trusted."""
        found = self._each(core, stack, results)
        for doubt in dict.fromkeys(self.doubts):
            warnings.warn(doubt, UnreliableWarning, stacklevel=3)
        return found

    def _each(self, core, stack, results):
        if not stack:
            with ExitStack() as undo:
                found = self._tried(core, undo, (), results)
                return [self._taken(one, len(shape)) for one, (shape, _) in zip(found, results)]
        mine = self.everywhere or self.cube.address == 0
        whole = [
            np.empty(stack + shape, dtype) if mine or shape == () else None for shape, dtype in results
        ]
        for index in np.ndindex(*stack):
            with ExitStack() as undo:
                found = self._tried(core, undo, index, results)
                for room, one, (shape, _) in zip(whole, found, results):
                    one = self._taken(one, len(shape))
                    if room is not None:
                        room[index] = one
        return whole

    def _tried(self, core, undo, index, results):
        try:
            return core(undo, index)
        except NotFinite:
            return [np.full(shape, np.nan, dtype) for shape, dtype in results]

    def like(self, name, result):
        """A whole array in the class of an operand: a numpy.matrix gives a numpy.matrix."""
        came = self.classes[name]
        if result is None or not issubclass(came, np.ndarray) or came is np.ndarray:
            return result
        return result.view(came)
