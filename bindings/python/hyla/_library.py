"""Finds and loads the shared library, and describes its calls to ctypes."""

import ctypes
import os
import sys
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

from . import _config


class Error(Exception):
    """A call failed, on every rank alike.

    status: the name of the status as in hyla.h, "SINGULAR".  pivot: for a matrix without a
    factorization, the column of the first pivot that failed, from 1; otherwise 0."""

    def __init__(self, status, message, pivot=0):
        super().__init__(message)
        self.status = status
        self.pivot = pivot


class Options(ctypes.Structure):
    _fields_ = [
        ("variant", c_char_p),
        ("collective", c_char_p),
        ("machine", c_char_p),
        ("timeout", c_double),
        ("log_level", c_int),
        ("threads", c_int),
        ("memory", c_int64),
        ("wisdom", c_char_p),
        ("measure", c_bool),
        ("private_memory", c_bool),
        ("memory_kept", c_int64),
        ("trace", c_char_p),
        ("check_messages", c_bool),
        ("check_results", c_bool),
        ("reproducible", c_bool),
        ("checkpoint", c_char_p),
        ("checkpoint_every", c_double),
        ("network", c_char_p),
        ("array", c_char_p),
        ("delimiter", c_char_p),
    ]


class Faults(ctypes.Structure):
    _fields_ = [
        ("checked", c_int64),
        ("damaged", c_int64),
        ("corrected", c_int64),
        ("_text", ctypes.c_char * 256),
    ]

    text = property(lambda self: self._text.decode(), doc="of the last damaged result; '' before")


class Checkpoints(ctypes.Structure):
    _fields_ = [
        ("written", c_int64),
        ("failed", c_int64),
        ("resumed", c_int64),
        ("column", c_int64),
        ("others", c_int64),
        ("seconds", c_double),
        ("_text", ctypes.c_char * 512),
    ]

    text = property(lambda self: self._text.decode(), doc="why the last attempt failed; '' before")


class Embedding(ctypes.Structure):
    _fields_ = [
        ("kind", c_int),
        ("axes", c_int),
        ("side", c_int64 * 20),
        ("dims", c_int),
        ("points", c_int64),
        ("dilation", c_int),
        ("message", ctypes.c_char * 256),
        ("closed", c_bool),
    ]


class Message(ctypes.Structure):
    _fields_ = [
        ("count", c_int64),
        ("size", c_size_t),
        ("apart", c_uint32),
        ("variant", c_char_p),
        ("counts", POINTER(c_int64)),
    ]


class CostC(ctypes.Structure):
    _fields_ = [
        (name, c_int64)
        for name in ("steps", "messages", "words", "flops", "memory", "lent", "copied", "touched", "streamed", "scattered", "read")
    ]


class SolveOptions(ctypes.Structure):
    _fields_ = [("method", c_int), ("variant", c_char_p), ("refinement", c_int), ("equilibrate", c_bool)]


class SolveReport(ctypes.Structure):
    _fields_ = [
        ("method", c_int),
        ("variant", c_char_p),
        ("rcond", c_double),
        ("growth", c_double),
        ("residual", c_double),
        ("backward_error", c_double),
        ("componentwise_error", c_double),
        ("forward_bound", c_double),
        ("refinements", c_int),
        ("reliable", c_bool),
        ("equilibrated", c_bool),
        ("pivot", c_int64),
        ("fallback", c_char_p),
    ]


class LstsqOptions(ctypes.Structure):
    _fields_ = [
        ("op", c_int),
        ("method", c_int),
        ("rcond", c_double),
        ("variant", c_char_p),
        ("pivoting", c_char_p),
        ("extended", c_bool),
        ("lower", c_void_p),
    ]


class LstsqReport(ctypes.Structure):
    _fields_ = [
        ("rank", c_int64),
        ("tolerance", c_double),
        ("rcond", c_double),
        ("residual", c_double),
        ("backward_error", c_double),
        ("bound", c_double),
        ("changes", c_int),
        ("variant", c_char_p),
        ("pivoting", c_char_p),
        ("refinements", c_int),
        ("correction", c_double),
    ]


class Transfer(ctypes.Structure):
    _fields_ = [("op", c_int), ("alpha", c_double * 2), ("from", c_void_p), ("to", c_void_p)]


class Number(ctypes.Structure):
    """A hyla_scalar by value: a structure of two doubles is passed as a double _Complex is."""

    _fields_ = [("re", c_double), ("im", c_double)]


class Axis(ctypes.Structure):
    _fields_ = [
        ("dims", c_int),
        ("dim", ctypes.c_uint8 * 20),
        ("code", c_int),
        ("storage", c_int),
        ("block", c_int64),
        ("binary", c_int),
        ("parts", c_int),
        ("inner", c_int),
    ]


class LayoutC(ctypes.Structure):
    _fields_ = [("row", Axis), ("col", Axis), ("rest", c_int), ("across", c_int)]


class Structure(ctypes.Structure):
    _fields_ = [
        ("lower", c_int64),
        ("upper", c_int64),
        ("hermitian", c_bool),
        ("nearly_hermitian", c_bool),
        ("positive_diagonal", c_bool),
        ("zero", c_int64),
    ]


class MethodTraits(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("text", c_char_p),
        ("sample", c_char_p),
        ("flops", c_double),
        ("needs_data", c_bool),
        ("rectangular", c_bool),
    ]


# Handles; *_at is the address of a handle, for calls that set it.
_cube = _matrix = _plan = _factor = c_void_p
_cube_at = _matrix_at = _plan_at = _factor_at = POINTER(c_void_p)

# Each call of hyla.h, hyla_collective.h and hyla_lab.h that is used here: its result, then its
# arguments.
SIGNATURES = {
    "hyla_status_name": (c_char_p, c_int),
    "hyla_version": (c_char_p,),
    "hyla_options_init": (None, POINTER(Options)),
    "hyla_cube_create_f": (c_int, POINTER(c_int), POINTER(Options), _cube_at),
    "hyla_cube_destroy": (c_int, _cube_at),
    "hyla_cube_dims": (c_int, _cube),
    "hyla_cube_nodes": (c_int, _cube),
    "hyla_cube_address": (c_int, _cube),
    "hyla_cube_guests": (c_int, _cube),
    "hyla_cube_message": (c_char_p, _cube),
    "hyla_cube_faults": (c_int, _cube, POINTER(Faults)),
    "hyla_cube_checkpoints": (c_int, _cube, POINTER(Checkpoints)),
    "hyla_embedding_name": (c_char_p, c_int),
    "hyla_embed_comm_f": (c_int, _cube, POINTER(Embedding), POINTER(c_int)),
    "hyla_cube_describe": (c_size_t, _cube, c_char_p, c_size_t),
    "hyla_cube_barrier": (c_int, _cube),
    "hyla_cube_max": (c_int, _cube, POINTER(c_int64), c_int),
    "hyla_cube_tell": (c_int, _cube, c_void_p, c_int64),
    "hyla_layout_parse": (c_int, _cube, c_char_p, POINTER(LayoutC)),
    "hyla_layout_default": (c_int, _cube, c_int64, c_int64, POINTER(LayoutC)),
    "hyla_layout_format": (c_size_t, c_void_p, c_char_p, c_size_t),
    "hyla_layout_local": (c_int, _cube, c_void_p, c_int64, c_int64, POINTER(c_int64), POINTER(c_int64)),
    "hyla_matrix_layout": (c_void_p, _matrix),
    "hyla_matrix_local": (
        c_int, _matrix, POINTER(c_void_p), POINTER(c_int64), POINTER(c_int64), POINTER(c_int64),
    ),
    "hyla_matrix_row": (c_int64, _matrix, c_int64),
    "hyla_matrix_col": (c_int64, _matrix, c_int64),
    "hyla_matrix_copy": (c_int, _cube, _matrix, _matrix),
    "hyla_matrix_convert": (c_int, _cube, _matrix, _matrix),
    "hyla_matrix_view": (c_int, _matrix, c_int64, c_int64, c_int64, c_int64, _matrix_at),
    "hyla_matrix_structure": (c_int, _cube, _matrix, POINTER(Structure)),
    "hyla_matrix_create": (c_int, _cube, c_int, c_int64, c_int64, c_void_p, _matrix_at),
    "hyla_matrix_wrap": (c_int, _cube, c_int, c_int64, c_int64, c_void_p, c_void_p, c_int64, _matrix_at),
    "hyla_matrix_destroy": (c_int, _matrix_at),
    "hyla_matrix_scatter": (c_int, _cube, c_void_p, c_int64, _matrix),
    "hyla_matrix_gather": (c_int, _cube, _matrix, c_int, c_void_p, c_int64),
    "hyla_matrix_norm": (c_int, _cube, _matrix, c_int, POINTER(c_double)),
    "hyla_exchange_bands_plan": (c_int, _cube, POINTER(Message), c_int, c_int, _plan_at),
    "hyla_broadcast_bands_plan": (c_int, _cube, POINTER(Message), c_int, c_int, _plan_at),
    "hyla_partial_exchange_plan": (c_int, _cube, POINTER(Message), POINTER(c_bool), _plan_at),
    "hyla_partial_gather_plan": (c_int, _cube, POINTER(Message), POINTER(c_bool), _plan_at),
    "hyla_window_plan": (c_int, _cube, POINTER(Message), c_int, _plan_at),
    "hyla_plan_run_on": (c_int, _cube, _plan, c_void_p, c_void_p),
    "hyla_plan_run": (c_int, _cube, _plan),
    "hyla_plan_variant": (c_char_p, _plan),
    "hyla_plan_cost": (CostC, _plan),
    "hyla_plan_seconds": (c_double, _plan),
    "hyla_plan_explain": (c_size_t, _plan, c_char_p, c_size_t),
    "hyla_plan_destroy": (c_int, _plan_at),
    "hyla_gemm_plan_by_address": (
        c_int,
        _cube,
        c_int,
        c_int,
        POINTER(c_double),
        _matrix,
        _matrix,
        POINTER(c_double),
        _matrix,
        c_char_p,
        _plan_at,
    ),
    "hyla_gemv_plan_by_address": (
        c_int,
        _cube,
        c_int,
        POINTER(c_double),
        _matrix,
        _matrix,
        POINTER(c_double),
        _matrix,
        c_char_p,
        _plan_at,
    ),
    "hyla_redistribute": (c_int, _cube, c_int, POINTER(Transfer)),
    "hyla_residual": (c_int, _cube, _matrix, _matrix, _matrix, POINTER(c_double)),
    "hyla_method_at": (POINTER(MethodTraits), c_int),
    "hyla_factor_create_rectangular": (
        c_int,
        _cube,
        c_int,
        c_int,
        c_int64,
        c_int64,
        c_int64,
        c_void_p,
        c_char_p,
        _factor_at,
    ),
    "hyla_factor_compute": (c_int, _cube, _factor, _matrix),
    "hyla_factor_solve": (c_int, _cube, _factor, c_int, _matrix, _matrix),
    "hyla_factor_lower": (c_int, _cube, _factor, _matrix),
    "hyla_factor_upper": (c_int, _cube, _factor, _matrix),
    "hyla_factor_permutation": (c_int, _cube, _factor, POINTER(c_int64)),
    "hyla_factor_inverse": (c_int, _cube, _factor, _matrix),
    "hyla_factor_condition": (c_int, _cube, _factor, c_double, POINTER(c_double)),
    "hyla_factor_packed": (c_int, _cube, _factor, c_int, _matrix),
    "hyla_factor_reflections": (c_int, _cube, _factor, c_void_p),
    "hyla_packed_q": (c_int, _cube, _matrix, c_void_p, _matrix),
    "hyla_lstsq": (c_int, _cube, c_void_p, _matrix, _matrix, _matrix, c_void_p),
    "hyla_eigen": (c_int, _cube, c_int, _matrix, c_void_p, _matrix),
    "hyla_svd": (c_int, _cube, _matrix, c_void_p, _matrix, _matrix),
    "hyla_factor_determinant": (c_int, _cube, _factor, POINTER(c_double), POINTER(c_double)),
    "hyla_factor_check": (
        c_int, _cube, _factor, _matrix, _matrix, c_int, _matrix, POINTER(SolveReport),
    ),
    "hyla_trsm": (c_int, _cube, c_int, c_int, c_int, c_int, Number, _matrix, _matrix),
    "hyla_trtri": (c_int, _cube, c_int, c_int, _matrix),
    "hyla_trsm_check": (c_int, _cube, c_int, _matrix, _matrix, _matrix, POINTER(SolveReport)),
    "hyla_gemm": (c_int, _cube, c_int, c_int, Number, _matrix, _matrix, Number, _matrix),
    "hyla_invert": (c_int, _cube, c_int, _matrix, _matrix, POINTER(c_int64)),
    "hyla_invert_check": (c_int, _cube, _matrix, _matrix, POINTER(SolveReport)),
    "hyla_solve_in_place": (c_int, _cube, _matrix, _matrix, _matrix, POINTER(c_int64)),
    "hyla_factor_pivot": (c_int64, _factor),
    "hyla_factor_plan": (_plan, _factor),
    "hyla_factor_destroy": (c_int, _factor_at),
    "hyla_solve_expert": (
        c_int,
        _cube,
        POINTER(SolveOptions),
        _matrix,
        _matrix,
        _matrix,
        POINTER(SolveReport),
    ),
}

# Enumerations of hyla.h; tests/bindings/test_python.sh compares them with the header.
HYLA_OK = 0
HYLA_UNRELIABLE = 7
HYLA_REPLICATED = 0
HYLA_FACE = 1
HYLA_NONE = 0
HYLA_TRANSPOSE = 1
HYLA_CONJUGATE = 2
HYLA_NORM_MAX = 0
HYLA_NORM_ONE = 1
HYLA_NORM_INF = 2
HYLA_NORM_FRO = 3
HYLA_LOWER = 0
HYLA_UPPER = 1
HYLA_LEFT = 0
HYLA_ANY_DIAGONAL = 0
HYLA_UNIT_DIAGONAL = 1
HYLA_REFINE_DEFAULT = 0
HYLA_REFINE_NONE = 1
HYLA_REFINE_FIXED = 2
HYLA_REFINE_MIXED = 3
HYLA_REFINE_EXTENDED = 4
HYLA_REFINE_MIXED_EXTENDED = 5

OPERATIONS = {"N": HYLA_NONE, "T": HYLA_TRANSPOSE, "C": HYLA_CONJUGATE}


def check_mpi4py(mine=None):
    """Raises Error if mpi4py has been imported and is built for another MPI than hyla: two MPIs in
    one program take each other's calls.  mine: the name that hyla's MPI gives itself."""
    module = sys.modules.get("mpi4py.MPI")
    if module is None:
        return
    mine = mine or _config.MPI
    theirs = module.Get_library_version().strip().split("\n")[0]
    family = mine.split(" ")[0]
    if family in ("MPICH", "Open") and not theirs.startswith(family):
        raise Error(
            "ARGUMENT",
            f"mpi4py is built for another MPI ({theirs[:40]}) than hyla ({mine[:40]}); install an "
            "mpi4py that is built for hyla's, or do not import mpi4py: without it hyla takes all "
            "ranks",
        )


def _open():
    """The library: the one that HYLA_LIBRARY names, or this installation's, or the system's."""
    named = os.environ.get("HYLA_LIBRARY")
    candidates = [named] if named else [_config.LIBRARY, os.path.basename(_config.LIBRARY)]
    failures = []
    for path in candidates:
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            failures.append(str(error))
    raise ImportError(
        "hyla's shared library is not found: " + "; ".join(failures) + ".  HYLA_LIBRARY may name it"
    )


def load():
    """The library with its calls described, once mpi4py is known to use the same MPI."""
    check_mpi4py()
    library = _open()
    for name, (result, *arguments) in SIGNATURES.items():
        try:
            call = getattr(library, name)
        except AttributeError:
            raise ImportError(f"the library {library._name} has no {name}: not hyla's {_config.VERSION}")
        call.restype = result
        call.argtypes = arguments
    version = library.hyla_version().decode()
    if version != _config.VERSION:
        raise ImportError(
            f"the library {library._name} is hyla {version}, this package is of {_config.VERSION}"
        )
    return library
