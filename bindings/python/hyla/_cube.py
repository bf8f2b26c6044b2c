"""Cubes.  The first one starts MPI, which ends with the program."""

import atexit
import ctypes
import functools
import weakref

from ._library import HYLA_OK, Checkpoints, Error, Faults, Options, check_mpi4py, load

# All open cubes, to close at the end of the program.
_open: "weakref.WeakSet[Cube]" = weakref.WeakSet()


@functools.lru_cache(maxsize=None)
def library():
    """The library, loaded once, with MPI started."""
    lib = load()
    ready = ctypes.c_int()
    lib.MPI_Initialized(ctypes.byref(ready))
    ours = not ready.value
    if ours:
        provided = ctypes.c_int()
        # 1 is MPI_THREAD_FUNNELED in MPICH and in Open MPI.
        lib.MPI_Init_thread(None, None, 1, ctypes.byref(provided))
    atexit.register(_end, lib, ours)
    return lib


def _end(lib, ours):
    """Closes all cubes, then ends MPI if it was started here."""
    for cube in list(_open):
        cube.close()
    over = ctypes.c_int()
    lib.MPI_Finalized(ctypes.byref(over))
    if ours and not over.value:
        lib.MPI_Finalize()


def text(write):
    """The text of a call that writes a text of any length."""
    size = write(None, 0)
    room = ctypes.create_string_buffer(size + 1)
    write(room, size + 1)
    return room.value.decode()


class Cube:
    """The ranks of a communicator as a Boolean cube: the first 2^d of them are its nodes.

    comm: a communicator of mpi4py, by default all ranks.  Options as in hyla.h, by name:
    variant, collective, machine, timeout, log_level, threads, memory, wisdom, measure,
    private_memory, memory_kept, trace, check_messages, check_results, reproducible, checkpoint,
    checkpoint_every, network, array, delimiter.  Collective.
    close() ends it, as does `with`, after it has closed everything made from it."""

    def __init__(self, comm=None, **options):
        lib = library()
        check_mpi4py()
        self._at = ctypes.c_void_p()
        self._kept = weakref.WeakSet()
        handle = None if comm is None else ctypes.byref(ctypes.c_int(comm.py2f()))
        wanted = Options()
        lib.hyla_options_init(ctypes.byref(wanted))
        for name, value in options.items():
            if not hasattr(wanted, name):
                raise TypeError(f"Cube has no option {name!r}")
            setattr(wanted, name, value.encode() if isinstance(value, str) else value)
        try:
            self.check(
                lib.hyla_cube_create_f(handle, ctypes.byref(wanted), ctypes.byref(self._at))
            )
        except Error:
            lib.hyla_cube_destroy(ctypes.byref(self._at))
            raise
        # The memory of the last array that was transposed, for the next one, whose pages need then
        # not be cleared; and the most bytes of it.
        self._room, self._room_most = None, wanted.memory_kept
        # Factorizations for the next matrices of their shapes (_kept.py).
        self._plans = {}
        # A cube of one rank, which needs no agreement.
        self._alone = lib.hyla_cube_nodes(self._at) == 1
        _open.add(self)

    def close(self):
        """Closes everything made from the cube, then the cube.  Collective."""
        for made in list(self._kept):
            made.close()
        while self._plans:
            library().hyla_factor_destroy(ctypes.byref(self._plans.popitem()[1]))
        self._room = None
        library().hyla_cube_destroy(ctypes.byref(self._at))
        _open.discard(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def check(self, status, pivot=0):
        """Raises Error unless the status is HYLA_OK."""
        if status == HYLA_OK:
            return
        name = self.status_name(status)
        message = library().hyla_cube_message(self._at).decode() or name
        raise Error(name, message, pivot)

    @staticmethod
    def status_name(status):
        """A status as Error has it: "SINGULAR"."""
        return library().hyla_status_name(status).decode().removeprefix("HYLA_")

    dims = property(lambda self: library().hyla_cube_dims(self._at), doc="d, of 2^d nodes")
    nodes = property(lambda self: library().hyla_cube_nodes(self._at), doc="how many nodes")
    address = property(
        lambda self: library().hyla_cube_address(self._at), doc="of this node; -1: no node"
    )
    guests = property(lambda self: library().hyla_cube_guests(self._at), doc="ranks that are no node")

    def describe(self):
        """Nodes, libraries, threads, machine and memory, as lines "key: value"."""
        return text(lambda at, size: library().hyla_cube_describe(self._at, at, size))

    def faults(self):
        """The findings of checks of results (option check_results): checked, damaged, corrected,
        text, as in hyla.h."""
        found = Faults()
        self.check(library().hyla_cube_faults(self._at, ctypes.byref(found)))
        return found

    def checkpoints(self):
        """The history of states (option checkpoint): written, failed, resumed, column, others,
        seconds, text, as in hyla.h."""
        found = Checkpoints()
        self.check(library().hyla_cube_checkpoints(self._at, ctypes.byref(found)))
        return found

    def max(self, values):
        """The largest of all ranks' integers, place by place.  Collective."""
        array = (ctypes.c_int64 * len(values))(*values)
        self.check(library().hyla_cube_max(self._at, array, len(values)))
        return list(array)


@functools.lru_cache(maxsize=None)
def default_cube():
    """The cube of all ranks.  Collective when it is first asked for."""
    return Cube()
