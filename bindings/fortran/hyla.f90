! hyla for Fortran: dense linear algebra on MPI ranks seen as a Boolean cube or an array.
!
! The functions have the names, the order of arguments and the meaning of those in hyla.h.  That
! header says which are collective, what their arguments are and which statuses they return.  The
! differences:
!   - a cube, a matrix and a factorization are variables of types of their own, which the program
!     owns and ends by _destroy; before they are made they hold no object
!   - arguments that may be NULL in hyla.h are optional, at the end
!   - rows and columns count from 1
!   - sizes are integer(c_int64_t) or default integers, as the program likes; other integers are
!     integer(c_int), alpha and beta complex(c_double)
!   - arrays are real or complex, of single or double precision; a matrix has the type of the array
!     over which it is made.  hyla_matrix_wrap keeps the array's address: the array must be
!     contiguous, have the attribute `target`, and outlive the matrix
! With "if (status == HYLA_OK) status = ..." a program continues as long as all is well.
module hyla
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use hyla_constants
  use hyla_c
  implicit none
  private
  public :: HYLA_DIMS_MAX, HYLA_OK, HYLA_ARGUMENT, HYLA_MISMATCH, HYLA_MEMORY, HYLA_UNSUPPORTED, &
    HYLA_SINGULAR, HYLA_INDEFINITE, HYLA_UNRELIABLE, HYLA_NOT_FINITE, HYLA_FILE, HYLA_FORMAT, &
    HYLA_COMMUNICATION, HYLA_TIMEOUT, HYLA_BROKEN, HYLA_DAMAGED, HYLA_FLOAT, HYLA_DOUBLE, &
    HYLA_COMPLEX, HYLA_DOUBLE_COMPLEX, HYLA_REPLICATED, HYLA_FACE, HYLA_ZERO, HYLA_ONES, HYLA_IDENTITY, &
    HYLA_RANDOM, HYLA_HERMITIAN, HYLA_DOMINANT, HYLA_NORM_MAX, HYLA_NORM_ONE, HYLA_NORM_INF, &
    HYLA_NORM_FRO, HYLA_NONE, HYLA_TRANSPOSE, HYLA_CONJUGATE, HYLA_TURN_LEFT, HYLA_TURN_RIGHT, &
    HYLA_TURN_HALF, HYLA_LOWER, HYLA_UPPER, HYLA_LEFT, HYLA_RIGHT, HYLA_ANY_DIAGONAL, HYLA_UNIT_DIAGONAL, &
    HYLA_REFINE_DEFAULT, HYLA_REFINE_NONE, HYLA_REFINE_FIXED, HYLA_REFINE_MIXED, &
    HYLA_REFINE_EXTENDED, HYLA_REFINE_MIXED_EXTENDED, &
    HYLA_LSTSQ_AUTO, HYLA_LSTSQ_QR, HYLA_LSTSQ_PIVOTED, &
    HYLA_MESH_NAIVE, HYLA_TORUS, HYLA_MESH_FOLD, HYLA_MESH_STEP, HYLA_MESH_COMPRESSION, &
    HYLA_TREE_INORDER, HYLA_TREE_GRAY, HYLA_TREE_CONTRACTED, HYLA_TREE_HEAP, &
    HYLA_TREE_HEAP_COMPLEMENT
  include 'hyla_methods.inc' ! the methods of hyla_methods.h, public
  public :: hyla_axis, hyla_layout
  public :: hyla_cube_create, hyla_cube_destroy, hyla_cube_dims, hyla_cube_nodes, &
    hyla_cube_address, hyla_cube_guests, hyla_cube_message, &
    hyla_cube_faults, hyla_cube_checkpoints, hyla_status_text, hyla_embed_comm
  public :: hyla_exchange_bands_plan, hyla_broadcast_bands_plan, hyla_partial_exchange_plan, &
    hyla_partial_gather_plan, hyla_window_plan, hyla_plan_run_on, hyla_plan_destroy
  public :: hyla_layout_parse
  public :: hyla_matrix_destroy, hyla_matrix_rows, hyla_matrix_cols, hyla_matrix_type, &
    hyla_matrix_generate, hyla_matrix_gather, hyla_matrix_scatter, hyla_matrix_convert, &
    hyla_matrix_norm
  public :: hyla_redistribute, hyla_gemm, hyla_gemv, hyla_symv, hyla_hemv, hyla_ger, hyla_trsm, &
    hyla_solve, hyla_solve_expert, &
    hyla_residual, hyla_eigen, hyla_eigen_check, hyla_svd, hyla_lstsq
  public :: hyla_factor_compute, &
    hyla_factor_solve, hyla_factor_lower, hyla_factor_upper, hyla_factor_permutation, &
    hyla_factor_condition, hyla_factor_pivot, hyla_factor_destroy

  type, public :: hyla_cube
    private
    type(c_ptr) :: at = c_null_ptr
  end type hyla_cube

  type, public :: hyla_matrix
    private
    type(c_ptr) :: at = c_null_ptr
  end type hyla_matrix

  type, public :: hyla_factor
    private
    type(c_ptr) :: at = c_null_ptr
    integer(c_int64_t) :: rows = 0 ! of the factored matrices
  end type hyla_factor

  type, public :: hyla_solve_report
    integer(c_int) :: method = HYLA_LU
    character(len=:), allocatable :: variant
    real(c_double) :: rcond = 0, growth = 0, residual = 0
    real(c_double) :: backward_error = 0, componentwise_error = 0, forward_bound = 0
    integer(c_int) :: refinements = 0
    logical :: reliable = .false., equilibrated = .false.
    integer(c_int64_t) :: pivot = 0
    character(len=:), allocatable :: fallback
  end type hyla_solve_report

  ! pivoting: empty if there are no pivots.
  type, public :: hyla_lstsq_report
    integer(c_int64_t) :: rank = 0
    real(c_double) :: tolerance = 0, rcond = 0, residual = 0, backward_error = 0, bound = 0
    integer(c_int) :: changes = 0
    character(len=:), allocatable :: variant, pivoting
    integer(c_int) :: refinements = 0
    real(c_double) :: correction = 0
  end type hyla_lstsq_report

  type, public :: hyla_faults
    integer(c_int64_t) :: checked = 0, damaged = 0, corrected = 0
    character(len=:), allocatable :: text
  end type hyla_faults

  type, public :: hyla_checkpoints
    integer(c_int64_t) :: written = 0, failed = 0, resumed = 0, column = 0, others = 0
    real(c_double) :: seconds = 0
    character(len=:), allocatable :: text
  end type hyla_checkpoints

  ! A mesh or torus with these sides, or a tree of side(1) levels.
  type, public :: hyla_embedding
    integer(c_int) :: kind = HYLA_MESH_NAIVE
    integer(c_int64_t), allocatable :: side(:)
    logical :: closed = .false.
  end type hyla_embedding

  ! The message of one rank for another, as in hyla_collective.h: `count' elements of `size' bytes.
  type, public :: hyla_message
    integer(c_int64_t) :: count = 0
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: apart = 0
    character(len=:), allocatable :: variant
  end type hyla_message

  ! The plan of a collective, for hyla_plan_run_on.
  type, public :: hyla_plan
    private
    type(c_ptr) :: at = c_null_ptr
  end type hyla_plan

  ! comm: a communicator of module mpi (or mpif.h), or of mpi_f08.
  interface hyla_cube_create
    module procedure create_from_integer, create_from_type
  end interface

  ! comm: of either kind; see hyla_lab.h.
  interface hyla_embed_comm
    module procedure embed_integer, embed_type
  end interface

  ! If an array of numbers of rows fits into memory, they fit a default integer.
  interface hyla_matrix_generate
    module procedure generate_long, generate_default
  end interface
  interface hyla_factor_permutation
    module procedure permutation_long, permutation_default
  end interface
  interface hyla_solve
    module procedure solve_long, solve_default
  end interface

  include 'hyla_names.inc' ! the generic names of the functions sized_..., public

contains

  integer(c_int) function create_from_integer(comm, cube) result(status)
    integer, intent(in) :: comm
    type(hyla_cube), intent(inout) :: cube
    status = c_cube_create(comm, c_null_ptr, cube%at)
  end function

  integer(c_int) function create_from_type(comm, cube) result(status)
    type(MPI_Comm), intent(in) :: comm
    type(hyla_cube), intent(inout) :: cube
    status = c_cube_create(comm%mpi_val, c_null_ptr, cube%at)
  end function

  integer(c_int) function embed_integer(cube, embedding, comm) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_embedding), intent(in) :: embedding
    integer, intent(inout) :: comm
    type(c_embedding) :: given
    integer :: axes
    given%kind = embedding%kind
    given%axes = 0
    given%closed = logical(embedding%closed, c_bool)
    if (allocated(embedding%side)) then
      given%axes = size(embedding%side)
      axes = min(given%axes, HYLA_EMBED_AXES)
      given%side(:axes) = embedding%side(:axes)
    end if
    status = c_embed_comm(cube%at, given, comm)
  end function

  integer(c_int) function embed_type(cube, embedding, comm) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_embedding), intent(in) :: embedding
    type(MPI_Comm), intent(inout) :: comm
    status = embed_integer(cube, embedding, comm%mpi_val)
  end function

  ! variant: holds the text to which the message in C points.
  type(c_message) function message_in_c(message, variant) result(given)
    type(hyla_message), intent(in) :: message
    character(kind=c_char), allocatable, target, intent(out) :: variant(:)
    integer :: i
    given = c_message(message%count, message%size, message%apart, c_null_ptr, c_null_ptr)
    if (.not. allocated(message%variant)) return
    allocate (variant(len(message%variant) + 1))
    variant = [(message%variant(i:i), i=1, len(message%variant)), c_null_char]
    given%variant = c_loc(variant)
  end function

  integer(c_int) function hyla_exchange_bands_plan(cube, message, b, matrices, plan) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_message), intent(in) :: message
    integer(c_int), intent(in) :: b, matrices
    type(hyla_plan), intent(inout) :: plan
    character(kind=c_char), allocatable, target :: variant(:)
    status = c_exchange_bands_plan(cube%at, message_in_c(message, variant), b, matrices, plan%at)
  end function

  integer(c_int) function hyla_broadcast_bands_plan(cube, message, b, matrices, plan) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_message), intent(in) :: message
    integer(c_int), intent(in) :: b, matrices
    type(hyla_plan), intent(inout) :: plan
    character(kind=c_char), allocatable, target :: variant(:)
    status = c_broadcast_bands_plan(cube%at, message_in_c(message, variant), b, matrices, plan%at)
  end function

  ! Flags as in C; NULL, which C refuses, if there are fewer flags than ranks.
  type(c_ptr) function flags_in_c(cube, message, active, flags) result(at)
    type(hyla_cube), intent(in) :: cube
    type(hyla_message), intent(in) :: message
    logical, intent(in) :: active(:)
    logical(c_bool), allocatable, target, intent(out) :: flags(:)
    at = c_null_ptr
    if (size(active) < c_subcube_ranks(cube%at, message%apart)) return
    allocate (flags(size(active)))
    flags = logical(active, c_bool)
    at = c_loc(flags)
  end function

  integer(c_int) function hyla_partial_exchange_plan(cube, message, active, plan) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_message), intent(in) :: message
    logical, intent(in) :: active(:)
    type(hyla_plan), intent(inout) :: plan
    character(kind=c_char), allocatable, target :: variant(:)
    logical(c_bool), allocatable, target :: flags(:)
    type(c_ptr) :: at
    at = flags_in_c(cube, message, active, flags)
    status = c_partial_exchange_plan(cube%at, message_in_c(message, variant), at, plan%at)
  end function

  integer(c_int) function hyla_partial_gather_plan(cube, message, active, plan) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_message), intent(in) :: message
    logical, intent(in) :: active(:)
    type(hyla_plan), intent(inout) :: plan
    character(kind=c_char), allocatable, target :: variant(:)
    logical(c_bool), allocatable, target :: flags(:)
    type(c_ptr) :: at
    at = flags_in_c(cube, message, active, flags)
    status = c_partial_gather_plan(cube%at, message_in_c(message, variant), at, plan%at)
  end function

  integer(c_int) function hyla_window_plan(cube, message, dims, plan) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_message), intent(in) :: message
    integer(c_int), intent(in) :: dims
    type(hyla_plan), intent(inout) :: plan
    character(kind=c_char), allocatable, target :: variant(:)
    status = c_window_plan(cube%at, message_in_c(message, variant), dims, plan%at)
  end function

  ! Arrays of any type, contiguous; an array that a rank does not use is left out.
  integer(c_int) function hyla_plan_run_on(cube, plan, send, receive) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_plan), intent(in) :: plan
    type(*), dimension(*), intent(in), optional :: send
    type(*), dimension(*), intent(inout), optional :: receive
    status = c_plan_run_on(cube%at, plan%at, send, receive)
  end function

  integer(c_int) function hyla_plan_destroy(plan) result(status)
    type(hyla_plan), intent(inout) :: plan
    status = c_plan_destroy(plan%at)
  end function

  integer(c_int) function hyla_cube_destroy(cube) result(status)
    type(hyla_cube), intent(inout) :: cube
    status = c_cube_destroy(cube%at)
  end function

  integer(c_int) function hyla_cube_dims(cube) result(dims)
    type(hyla_cube), intent(in) :: cube
    dims = c_cube_dims(cube%at)
  end function

  integer(c_int) function hyla_cube_nodes(cube) result(nodes)
    type(hyla_cube), intent(in) :: cube
    nodes = c_cube_nodes(cube%at)
  end function

  integer(c_int) function hyla_cube_address(cube) result(address)
    type(hyla_cube), intent(in) :: cube
    address = c_cube_address(cube%at)
  end function

  integer(c_int) function hyla_cube_guests(cube) result(guests)
    type(hyla_cube), intent(in) :: cube
    guests = c_cube_guests(cube%at)
  end function

  function hyla_cube_message(cube) result(text)
    type(hyla_cube), intent(in) :: cube
    character(len=:), allocatable :: text
    text = fortran_text(c_cube_message(cube%at))
  end function

  integer(c_int) function hyla_cube_faults(cube, faults) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_faults), intent(out) :: faults
    type(c_faults) :: found
    integer :: i
    status = c_cube_faults(cube%at, found)
    if (status /= HYLA_OK) return
    faults%checked = found%checked
    faults%damaged = found%damaged
    faults%corrected = found%corrected
    faults%text = ''
    do i = 1, size(found%text)
      if (found%text(i) == c_null_char) exit
      faults%text = faults%text//found%text(i)
    end do
  end function

  integer(c_int) function hyla_cube_checkpoints(cube, checkpoints) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_checkpoints), intent(out) :: checkpoints
    type(c_checkpoints) :: found
    integer :: i
    status = c_cube_checkpoints(cube%at, found)
    if (status /= HYLA_OK) return
    checkpoints%written = found%written
    checkpoints%failed = found%failed
    checkpoints%resumed = found%resumed
    checkpoints%column = found%column
    checkpoints%others = found%others
    checkpoints%seconds = found%seconds
    checkpoints%text = ''
    do i = 1, size(found%text)
      if (found%text(i) == c_null_char) exit
      checkpoints%text = checkpoints%text//found%text(i)
    end do
  end function

  function hyla_status_text(status) result(text)
    integer(c_int), intent(in) :: status
    character(len=:), allocatable :: text
    text = fortran_text(c_status_text(status))
  end function

  integer(c_int) function hyla_layout_parse(cube, text, layout) result(status)
    type(hyla_cube), intent(in) :: cube
    character(len=*), intent(in) :: text
    type(hyla_layout), intent(out) :: layout
    status = c_layout_parse(cube%at, trim(text)//c_null_char, layout)
  end function

  integer(c_int) function sized_layout_default(cube, rows, cols, layout) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int64_t), intent(in) :: rows, cols
    type(hyla_layout), intent(out) :: layout
    status = c_layout_default(cube%at, rows, cols, layout)
  end function

  integer(c_int) function sized_layout_local(cube, layout, rows, cols, local_rows, local_cols) &
      result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_layout), intent(in) :: layout
    integer(c_int64_t), intent(in) :: rows, cols
    integer(c_int64_t), intent(out) :: local_rows, local_cols
    status = c_layout_local(cube%at, layout, rows, cols, local_rows, local_cols)
  end function

  integer(c_int) function sized_matrix_create(cube, type, rows, cols, matrix, layout) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int), intent(in) :: type
    integer(c_int64_t), intent(in) :: rows, cols
    type(hyla_matrix), intent(inout) :: matrix
    type(hyla_layout), intent(in), target, optional :: layout
    status = c_matrix_create(cube%at, type, rows, cols, layout_at(layout), matrix%at)
  end function

  ! local: this rank's part, an array of at least hyla_layout_local rows and columns.
  integer(c_int) function sized_matrix_wrap(cube, rows, cols, local, matrix, layout) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int64_t), intent(in) :: rows, cols
    class(*), intent(in), target, contiguous :: local(:, :)
    type(hyla_matrix), intent(inout) :: matrix
    type(hyla_layout), intent(in), target, optional :: layout
    integer(c_int) :: type
    type(c_ptr) :: at
    call look_at(local, type, at)
    status = c_matrix_wrap(cube%at, type, rows, cols, layout_at(layout), at, leading(local), &
      matrix%at)
  end function

  integer(c_int) function hyla_matrix_destroy(matrix) result(status)
    type(hyla_matrix), intent(inout) :: matrix
    status = c_matrix_destroy(matrix%at)
  end function

  integer(c_int64_t) function hyla_matrix_rows(matrix) result(rows)
    type(hyla_matrix), intent(in) :: matrix
    rows = c_matrix_rows(matrix%at)
  end function

  integer(c_int64_t) function hyla_matrix_cols(matrix) result(cols)
    type(hyla_matrix), intent(in) :: matrix
    cols = c_matrix_cols(matrix%at)
  end function

  integer(c_int) function hyla_matrix_type(matrix) result(type)
    type(hyla_matrix), intent(in) :: matrix
    type = c_matrix_type(matrix%at)
  end function

  ! Counts from 1; 0 outside.
  integer(c_int64_t) function sized_matrix_row(matrix, local) result(row)
    type(hyla_matrix), intent(in) :: matrix
    integer(c_int64_t), intent(in) :: local
    row = c_matrix_row(matrix%at, local - 1) + 1
  end function

  integer(c_int64_t) function sized_matrix_col(matrix, local) result(col)
    type(hyla_matrix), intent(in) :: matrix
    integer(c_int64_t), intent(in) :: local
    col = c_matrix_col(matrix%at, local - 1) + 1
  end function

  integer(c_int) function generate_long(cube, matrix, generator, seed) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: matrix
    integer(c_int), intent(in) :: generator
    integer(c_int64_t), intent(in), optional :: seed
    integer(c_int64_t) :: given
    given = 0
    if (present(seed)) given = seed
    status = c_matrix_generate(cube%at, matrix%at, generator, given)
  end function

  integer(c_int) function generate_default(cube, matrix, generator, seed) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: matrix
    integer(c_int), intent(in) :: generator, seed
    status = generate_long(cube, matrix, generator, int(seed, c_int64_t))
  end function

  integer(c_int) function sized_matrix_set(cube, matrix, row, col, value) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: matrix
    integer(c_int64_t), intent(in) :: row, col
    complex(c_double_complex), intent(in) :: value
    status = c_matrix_set(cube%at, matrix%at, row - 1, col - 1, value)
  end function

  integer(c_int) function sized_matrix_get(cube, matrix, row, col, value) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: matrix
    integer(c_int64_t), intent(in) :: row, col
    complex(c_double_complex), intent(out) :: value
    status = c_matrix_get(cube%at, matrix%at, row - 1, col - 1, value)
  end function

  ! The address for gather and scatter: NULL if the array has another shape or type than the matrix,
  ! which they then refuse on all ranks.  An array that they do not use may be empty.
  type(c_ptr) function whole_at(matrix, array)
    type(hyla_matrix), intent(in) :: matrix
    class(*), intent(in), target, contiguous :: array(:, :)
    integer(c_int) :: type
    integer(c_int64_t) :: rows, cols
    call look_at(array, type, whole_at)
    rows = hyla_matrix_rows(matrix)
    cols = hyla_matrix_cols(matrix)
    if (type /= hyla_matrix_type(matrix) .or. size(array, 1) < rows .or. size(array, 2) < cols) &
      whole_at = c_null_ptr
  end function

  ! everywhere: on every node, not only on node 0.
  integer(c_int) function hyla_matrix_gather(cube, from, array, everywhere) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: from
    class(*), intent(inout), target, contiguous :: array(:, :)
    logical, intent(in), optional :: everywhere
    integer(c_int) :: rest
    rest = HYLA_FACE
    if (present(everywhere)) rest = merge(HYLA_REPLICATED, HYLA_FACE, everywhere)
    status = c_matrix_gather(cube%at, from%at, rest, whole_at(from, array), leading(array))
  end function

  integer(c_int) function hyla_matrix_scatter(cube, array, to) result(status)
    type(hyla_cube), intent(in) :: cube
    class(*), intent(in), target, contiguous :: array(:, :)
    type(hyla_matrix), intent(in) :: to
    status = c_matrix_scatter(cube%at, whole_at(to, array), leading(array), to%at)
  end function

  integer(c_int) function hyla_matrix_convert(cube, from, to) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: from, to
    status = c_matrix_convert(cube%at, from%at, to%at)
  end function

  integer(c_int) function hyla_matrix_norm(cube, matrix, kind, value) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: matrix
    integer(c_int), intent(in) :: kind
    real(c_double), intent(out) :: value
    status = c_matrix_norm(cube%at, matrix%at, kind, value)
  end function

  ! Moves one matrix: to := alpha op(from), in any layouts.
  integer(c_int) function hyla_redistribute(cube, op, alpha, from, to) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int), intent(in) :: op
    complex(c_double_complex), intent(in) :: alpha
    type(hyla_matrix), intent(in) :: from, to
    status = c_redistribute(cube%at, 1_c_int, [c_transfer(op, alpha, from%at, to%at)])
  end function

  integer(c_int) function hyla_gemm(cube, op_a, op_b, alpha, a, b, beta, c) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int), intent(in) :: op_a, op_b
    complex(c_double_complex), intent(in) :: alpha, beta
    type(hyla_matrix), intent(in) :: a, b, c
    status = c_gemm(cube%at, op_a, op_b, alpha, a%at, b%at, beta, c%at)
  end function

  integer(c_int) function hyla_gemv(cube, op, alpha, a, x, beta, y) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int), intent(in) :: op
    complex(c_double_complex), intent(in) :: alpha, beta
    type(hyla_matrix), intent(in) :: a, x, y
    status = c_gemv(cube%at, op, alpha, a%at, x%at, beta, y%at)
  end function

  integer(c_int) function hyla_symv(cube, triangle, alpha, a, x, beta, y) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int), intent(in) :: triangle
    complex(c_double_complex), intent(in) :: alpha, beta
    type(hyla_matrix), intent(in) :: a, x, y
    status = c_symv(cube%at, triangle, alpha, a%at, x%at, beta, y%at)
  end function

  integer(c_int) function hyla_hemv(cube, triangle, alpha, a, x, beta, y) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int), intent(in) :: triangle
    complex(c_double_complex), intent(in) :: alpha, beta
    type(hyla_matrix), intent(in) :: a, x, y
    status = c_hemv(cube%at, triangle, alpha, a%at, x%at, beta, y%at)
  end function

  integer(c_int) function hyla_ger(cube, op, alpha, x, y, a) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int), intent(in) :: op
    complex(c_double_complex), intent(in) :: alpha
    type(hyla_matrix), intent(in) :: x, y, a
    status = c_ger(cube%at, op, alpha, x%at, y%at, a%at)
  end function

  integer(c_int) function hyla_trsm(cube, side, triangle, op, diagonal, alpha, a, b) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int), intent(in) :: side, triangle, op, diagonal
    complex(c_double_complex), intent(in) :: alpha
    type(hyla_matrix), intent(in) :: a, b
    status = c_trsm(cube%at, side, triangle, op, diagonal, alpha, a%at, b%at)
  end function

  integer(c_int) function sized_factor_create(cube, method, type, n, nrhs, factor, layout, variant) &
      result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int), intent(in) :: method, type
    integer(c_int64_t), intent(in) :: n, nrhs
    type(hyla_factor), intent(inout) :: factor
    type(hyla_layout), intent(in), target, optional :: layout
    character(len=*), intent(in), optional :: variant
    status = sized_factor_create_rectangular(cube, method, type, n, n, nrhs, factor, layout, variant)
  end function

  integer(c_int) function sized_factor_create_rectangular(cube, method, type, m, n, nrhs, factor, &
      layout, variant) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int), intent(in) :: method, type
    integer(c_int64_t), intent(in) :: m, n, nrhs
    type(hyla_factor), intent(inout) :: factor
    type(hyla_layout), intent(in), target, optional :: layout
    character(len=*), intent(in), optional :: variant
    character(len=:), allocatable, target :: name
    name = c_name(variant)
    status = c_factor_create_rectangular(cube%at, method, type, m, n, nrhs, layout_at(layout), &
      name_at(name), factor%at)
    factor%rows = m
  end function

  integer(c_int) function hyla_factor_compute(cube, factor, a) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_factor), intent(in) :: factor
    type(hyla_matrix), intent(in) :: a
    status = c_factor_compute(cube%at, factor%at, a%at)
  end function

  integer(c_int) function hyla_factor_solve(cube, factor, op, b, x) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_factor), intent(in) :: factor
    integer(c_int), intent(in) :: op
    type(hyla_matrix), intent(in) :: b, x
    status = c_factor_solve(cube%at, factor%at, op, b%at, x%at)
  end function

  integer(c_int) function hyla_factor_lower(cube, factor, l) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_factor), intent(in) :: factor
    type(hyla_matrix), intent(in) :: l
    status = c_factor_lower(cube%at, factor%at, l%at)
  end function

  integer(c_int) function hyla_factor_upper(cube, factor, u) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_factor), intent(in) :: factor
    type(hyla_matrix), intent(in) :: u
    status = c_factor_upper(cube%at, factor%at, u%at)
  end function

  ! Row i of P A is row rows(i) of A.  Too small an array is refused; further elements of a larger
  ! one are not changed.
  integer(c_int) function permutation_long(cube, factor, rows) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_factor), intent(in) :: factor
    integer(c_int64_t), intent(inout), target, contiguous :: rows(:)
    type(c_ptr) :: room
    room = c_null_ptr
    if (size(rows, kind=c_int64_t) >= factor%rows) room = c_loc(rows)
    status = c_factor_permutation(cube%at, factor%at, room)
    if (status == HYLA_OK) rows(:factor%rows) = rows(:factor%rows) + 1
  end function

  integer(c_int) function permutation_default(cube, factor, rows) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_factor), intent(in) :: factor
    integer(c_int), intent(inout) :: rows(:)
    integer(c_int64_t), allocatable, target :: long(:)
    allocate (long(size(rows)))
    status = permutation_long(cube, factor, long)
    if (status == HYLA_OK) rows(:factor%rows) = int(long(:factor%rows), c_int)
  end function

  integer(c_int) function hyla_factor_condition(cube, factor, norm, rcond) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_factor), intent(in) :: factor
    real(c_double), intent(in) :: norm
    real(c_double), intent(out) :: rcond
    status = c_factor_condition(cube%at, factor%at, norm, rcond)
  end function

  integer(c_int64_t) function hyla_factor_pivot(factor) result(pivot)
    type(hyla_factor), intent(in) :: factor
    pivot = c_factor_pivot(factor%at)
  end function

  integer(c_int) function hyla_factor_destroy(factor) result(status)
    type(hyla_factor), intent(inout) :: factor
    status = c_factor_destroy(factor%at)
  end function

  integer(c_int) function solve_long(cube, a, b, x, pivot) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: a, b, x
    integer(c_int64_t), intent(out), optional :: pivot
    integer(c_int64_t) :: found
    found = 0
    status = c_solve(cube%at, a%at, b%at, x%at, found)
    if (present(pivot)) pivot = found
  end function

  integer(c_int) function solve_default(cube, a, b, x, pivot) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: a, b, x
    integer(c_int), intent(out) :: pivot
    integer(c_int64_t) :: found
    status = solve_long(cube, a, b, x, found)
    pivot = int(found, c_int)
  end function

  integer(c_int) function hyla_solve_expert(cube, a, b, x, report, method, refinement, variant, &
                                             equilibrate) &
      result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: a, b, x
    type(hyla_solve_report), intent(out) :: report
    integer(c_int), intent(in), optional :: method, refinement
    character(len=*), intent(in), optional :: variant
    logical, intent(in), optional :: equilibrate
    character(len=:), allocatable, target :: name
    type(c_solve_options) :: options
    type(c_report) :: from
    name = c_name(variant)
    options = c_solve_options(HYLA_LU, name_at(name), HYLA_REFINE_DEFAULT, .false.)
    if (present(method)) options%method = method
    if (present(refinement)) options%refinement = refinement
    if (present(equilibrate)) options%equilibrate = logical(equilibrate, c_bool)
    from = c_report(HYLA_LU, c_null_ptr, 0, 0, 0, 0, 0, 0, 0, .false., .false., 0, c_null_ptr)
    status = c_solve_expert(cube%at, options, a%at, b%at, x%at, from)
    report%method = from%method
    report%variant = fortran_text(from%variant)
    report%rcond = from%rcond
    report%growth = from%growth
    report%residual = from%residual
    report%backward_error = from%backward_error
    report%componentwise_error = from%componentwise_error
    report%forward_bound = from%forward_bound
    report%refinements = from%refinements
    report%reliable = from%reliable
    report%equilibrated = from%equilibrated
    report%pivot = from%pivot
    report%fallback = fortran_text(from%fallback)
  end function

  integer(c_int) function hyla_residual(cube, a, x, b, residual) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: a, x, b
    real(c_double), intent(out) :: residual
    status = c_residual(cube%at, a%at, x%at, b%at, residual)
  end function

  ! Without a report none is made.
  integer(c_int) function hyla_lstsq(cube, a, b, x, report, op, method, rcond, variant, pivoting, &
                                     extended, lower) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: a, b, x
    type(hyla_lstsq_report), intent(out), optional :: report
    integer(c_int), intent(in), optional :: op, method
    real(c_double), intent(in), optional :: rcond
    character(len=*), intent(in), optional :: variant, pivoting
    logical, intent(in), optional :: extended
    type(hyla_matrix), intent(in), optional :: lower
    character(len=:), allocatable, target :: name, pivots
    type(c_lstsq_options) :: options
    type(c_lstsq_report), target :: from
    type(c_ptr) :: at
    name = c_name(variant)
    pivots = c_name(pivoting)
    options = c_lstsq_options(HYLA_NONE, HYLA_LSTSQ_AUTO, 0, name_at(name), name_at(pivots), .false., &
      c_null_ptr)
    if (present(op)) options%op = op
    if (present(method)) options%method = method
    if (present(rcond)) options%rcond = rcond
    if (present(extended)) options%extended = logical(extended, c_bool)
    if (present(lower)) options%lower = lower%at
    from = c_lstsq_report(0, 0, 0, 0, 0, 0, 0, c_null_ptr, c_null_ptr, 0, 0)
    at = c_null_ptr
    if (present(report)) at = c_loc(from)
    status = c_lstsq(cube%at, options, a%at, b%at, x%at, at)
    if (.not. present(report)) return
    report%rank = from%rank
    report%tolerance = from%tolerance
    report%rcond = from%rcond
    report%residual = from%residual
    report%backward_error = from%backward_error
    report%bound = from%bound
    report%changes = from%changes
    report%variant = fortran_text(from%variant)
    report%pivoting = fortran_text(from%pivoting)
    report%refinements = from%refinements
    report%correction = from%correction
  end function

  ! Without left or right these vectors are not found.
  integer(c_int) function hyla_svd(cube, a, values, left, right) result(status)
    type(hyla_cube), intent(in) :: cube
    type(hyla_matrix), intent(in) :: a
    real(c_double), intent(inout) :: values(*)
    type(hyla_matrix), intent(in), optional :: left, right
    type(c_ptr) :: u, vh
    u = c_null_ptr
    vh = c_null_ptr
    if (present(left)) u = left%at
    if (present(right)) vh = right%at
    status = c_svd(cube%at, a%at, values, u, vh)
  end function

  ! Values, ascending, on every rank; without vectors they are not computed.  Too small an array is
  ! refused; further elements of a larger one are not changed.
  integer(c_int) function hyla_eigen(cube, triangle, a, values, vectors) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int), intent(in) :: triangle
    type(hyla_matrix), intent(in) :: a
    real(c_double), intent(inout), target, contiguous :: values(:)
    type(hyla_matrix), intent(in), optional :: vectors
    type(c_ptr) :: at
    at = c_null_ptr
    if (present(vectors)) at = vectors%at
    status = c_eigen(cube%at, triangle, a%at, room_of(values, hyla_matrix_rows(a)), at)
  end function

  integer(c_int) function hyla_eigen_check(cube, triangle, a, values, vectors, residual, &
                                           orthogonality) result(status)
    type(hyla_cube), intent(in) :: cube
    integer(c_int), intent(in) :: triangle
    type(hyla_matrix), intent(in) :: a, vectors
    real(c_double), intent(in), target, contiguous :: values(:)
    real(c_double), intent(out) :: residual, orthogonality
    real(c_double) :: errors(2)
    errors = 0
    status = c_eigen_check(cube%at, triangle, a%at, room_of(values, hyla_matrix_cols(vectors)), &
      vectors%at, errors)
    residual = errors(1)
    orthogonality = errors(2)
  end function

  ! The address of numbers; none if there are fewer than are wanted.
  function room_of(values, wanted) result(at)
    real(c_double), intent(in), target, contiguous :: values(:)
    integer(c_int64_t), intent(in) :: wanted
    type(c_ptr) :: at
    at = c_null_ptr
    if (size(values, kind=c_int64_t) >= wanted .and. size(values) > 0) at = c_loc(values)
  end function

  include 'hyla_bodies.inc' ! the same functions for default integers
end module hyla
