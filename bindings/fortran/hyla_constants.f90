! The enumerations of hyla.h and hyla_lab.h; tests/bindings/test_fortran.sh compares them with the headers.
module hyla_constants
  implicit none
  public

  integer, parameter :: HYLA_DIMS_MAX = 20, HYLA_EMBED_AXES = 20
  enum, bind(C)
    enumerator :: HYLA_OK = 0, HYLA_ARGUMENT = 1, HYLA_MISMATCH = 2, HYLA_MEMORY = 3
    enumerator :: HYLA_UNSUPPORTED = 4, HYLA_SINGULAR = 5, HYLA_INDEFINITE = 6, HYLA_UNRELIABLE = 7
    enumerator :: HYLA_NOT_FINITE = 8, HYLA_FILE = 9, HYLA_FORMAT = 10, HYLA_COMMUNICATION = 11
    enumerator :: HYLA_TIMEOUT = 12, HYLA_BROKEN = 13, HYLA_DAMAGED = 14
    enumerator :: HYLA_FLOAT = 0, HYLA_DOUBLE = 1, HYLA_COMPLEX = 2, HYLA_DOUBLE_COMPLEX = 3
    enumerator :: HYLA_REPLICATED = 0, HYLA_FACE = 1
    enumerator :: HYLA_ZERO = 0, HYLA_ONES = 1, HYLA_IDENTITY = 2, HYLA_RANDOM = 3
    enumerator :: HYLA_HERMITIAN = 4, HYLA_DOMINANT = 5
    enumerator :: HYLA_NORM_MAX = 0, HYLA_NORM_ONE = 1, HYLA_NORM_INF = 2, HYLA_NORM_FRO = 3
    enumerator :: HYLA_NONE = 0, HYLA_TRANSPOSE = 1, HYLA_CONJUGATE = 2
    enumerator :: HYLA_TURN_LEFT = 3, HYLA_TURN_RIGHT = 4, HYLA_TURN_HALF = 5
    enumerator :: HYLA_LOWER = 0, HYLA_UPPER = 1
    enumerator :: HYLA_LEFT = 0, HYLA_RIGHT = 1
    enumerator :: HYLA_ANY_DIAGONAL = 0, HYLA_UNIT_DIAGONAL = 1
    enumerator :: HYLA_REFINE_DEFAULT = 0, HYLA_REFINE_NONE = 1, HYLA_REFINE_FIXED = 2
    enumerator :: HYLA_REFINE_MIXED = 3, HYLA_REFINE_EXTENDED = 4, HYLA_REFINE_MIXED_EXTENDED = 5
    enumerator :: HYLA_LSTSQ_AUTO = 0, HYLA_LSTSQ_QR = 1, HYLA_LSTSQ_PIVOTED = 2
    enumerator :: HYLA_MESH_NAIVE = 0, HYLA_TORUS = 1, HYLA_MESH_FOLD = 2, HYLA_MESH_STEP = 3
    enumerator :: HYLA_MESH_COMPRESSION = 4, HYLA_TREE_INORDER = 5, HYLA_TREE_GRAY = 6
    enumerator :: HYLA_TREE_CONTRACTED = 7, HYLA_TREE_HEAP = 8
    enumerator :: HYLA_TREE_HEAP_COMPLEMENT = 9
  end enum
end module hyla_constants
