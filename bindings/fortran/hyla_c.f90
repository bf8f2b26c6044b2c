! The calls of hyla.h as in C, and conversions of texts, arrays and optional arguments for C.
! Module hyla uses this module; programs use that one.
module hyla_c
  use, intrinsic :: iso_c_binding
  use hyla_constants
  implicit none
  public

  type, bind(C) :: hyla_axis
    integer(c_int) :: dims
    integer(c_int8_t) :: dim(HYLA_DIMS_MAX)
    integer(c_int) :: code
    integer(c_int) :: storage
    integer(c_int64_t) :: block
    integer(c_int) :: binary, parts, inner
  end type hyla_axis

  ! How a matrix lies on the cube; hyla_layout_parse makes it.
  type, bind(C) :: hyla_layout
    type(hyla_axis) :: row, col
    integer(c_int) :: rest, across
  end type hyla_layout

  type, bind(C) :: c_transfer
    integer(c_int) :: op
    complex(c_double_complex) :: alpha
    type(c_ptr) :: from, to
  end type c_transfer

  type, bind(C) :: c_faults
    integer(c_int64_t) :: checked, damaged, corrected
    character(kind=c_char) :: text(256)
  end type c_faults

  type, bind(C) :: c_checkpoints
    integer(c_int64_t) :: written, failed, resumed, column, others
    real(c_double) :: seconds
    character(kind=c_char) :: text(512)
  end type c_checkpoints

  type, bind(C) :: c_report
    integer(c_int) :: method
    type(c_ptr) :: variant
    real(c_double) :: rcond, growth, residual, backward_error, componentwise_error, forward_bound
    integer(c_int) :: refinements
    logical(c_bool) :: reliable, equilibrated
    integer(c_int64_t) :: pivot
    type(c_ptr) :: fallback
  end type c_report

  type, bind(C) :: c_lstsq_options
    integer(c_int) :: op, method
    real(c_double) :: rcond
    type(c_ptr) :: variant, pivoting
    logical(c_bool) :: extended
    type(c_ptr) :: lower
  end type c_lstsq_options

  type, bind(C) :: c_lstsq_report
    integer(c_int64_t) :: rank
    real(c_double) :: tolerance, rcond, residual, backward_error, bound
    integer(c_int) :: changes
    type(c_ptr) :: variant, pivoting
    integer(c_int) :: refinements
    real(c_double) :: correction
  end type c_lstsq_report

  type, bind(C) :: c_message
    integer(c_int64_t) :: count
    integer(c_size_t) :: size
    integer(c_int32_t) :: apart
    type(c_ptr) :: variant, counts
  end type c_message

  type, bind(C) :: c_embedding
    integer(c_int) :: kind, axes
    integer(c_int64_t) :: side(HYLA_EMBED_AXES)
    integer(c_int) :: dims
    integer(c_int64_t) :: points
    integer(c_int) :: dilation
    character(kind=c_char) :: message(256)
    logical(c_bool) :: closed
  end type c_embedding

  type, bind(C) :: c_solve_options
    integer(c_int) :: method
    type(c_ptr) :: variant
    integer(c_int) :: refinement
    logical(c_bool) :: equilibrate
  end type c_solve_options

  interface
    integer(c_size_t) function c_strlen(text) bind(C, name="strlen")
      import
      type(c_ptr), value :: text
    end function
    type(c_ptr) function c_status_text(status) bind(C, name="hyla_status_text")
      import
      integer(c_int), value :: status
    end function
    integer(c_int) function c_cube_create(comm, options, cube) bind(C, name="hyla_cube_create_f")
      import
      integer(c_int), intent(in) :: comm
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: cube
    end function
    integer(c_int) function c_cube_destroy(cube) bind(C, name="hyla_cube_destroy")
      import
      type(c_ptr), intent(inout) :: cube
    end function
    integer(c_int) function c_cube_dims(cube) bind(C, name="hyla_cube_dims")
      import
      type(c_ptr), value :: cube
    end function
    integer(c_int) function c_cube_nodes(cube) bind(C, name="hyla_cube_nodes")
      import
      type(c_ptr), value :: cube
    end function
    integer(c_int) function c_cube_address(cube) bind(C, name="hyla_cube_address")
      import
      type(c_ptr), value :: cube
    end function
    integer(c_int) function c_cube_guests(cube) bind(C, name="hyla_cube_guests")
      import
      type(c_ptr), value :: cube
    end function
    integer(c_int) function c_cube_faults(cube, faults) bind(C, name="hyla_cube_faults")
      import
      type(c_ptr), value :: cube
      type(c_faults), intent(out) :: faults
    end function
    integer(c_int) function c_cube_checkpoints(cube, checkpoints) &
        bind(C, name="hyla_cube_checkpoints")
      import
      type(c_ptr), value :: cube
      type(c_checkpoints), intent(out) :: checkpoints
    end function
    integer(c_int) function c_embed_comm(cube, embedding, comm) bind(C, name="hyla_embed_comm_f")
      import
      type(c_ptr), value :: cube
      type(c_embedding), intent(in) :: embedding
      integer(c_int), intent(inout) :: comm
    end function
    integer(c_int) function c_subcube_ranks(cube, apart) bind(C, name="hyla_subcube_ranks")
      import
      type(c_ptr), value :: cube
      integer(c_int32_t), value :: apart
    end function
    integer(c_int) function c_exchange_bands_plan(cube, message, b, matrices, plan) &
        bind(C, name="hyla_exchange_bands_plan")
      import
      type(c_ptr), value :: cube
      type(c_message), intent(in) :: message
      integer(c_int), value :: b, matrices
      type(c_ptr), intent(inout) :: plan
    end function
    integer(c_int) function c_broadcast_bands_plan(cube, message, b, matrices, plan) &
        bind(C, name="hyla_broadcast_bands_plan")
      import
      type(c_ptr), value :: cube
      type(c_message), intent(in) :: message
      integer(c_int), value :: b, matrices
      type(c_ptr), intent(inout) :: plan
    end function
    integer(c_int) function c_partial_exchange_plan(cube, message, active, plan) &
        bind(C, name="hyla_partial_exchange_plan")
      import
      type(c_ptr), value :: cube, active
      type(c_message), intent(in) :: message
      type(c_ptr), intent(inout) :: plan
    end function
    integer(c_int) function c_partial_gather_plan(cube, message, active, plan) &
        bind(C, name="hyla_partial_gather_plan")
      import
      type(c_ptr), value :: cube, active
      type(c_message), intent(in) :: message
      type(c_ptr), intent(inout) :: plan
    end function
    integer(c_int) function c_window_plan(cube, message, dims, plan) bind(C, name="hyla_window_plan")
      import
      type(c_ptr), value :: cube
      type(c_message), intent(in) :: message
      integer(c_int), value :: dims
      type(c_ptr), intent(inout) :: plan
    end function
    integer(c_int) function c_plan_run_on(cube, plan, send, receive) bind(C, name="hyla_plan_run_on")
      import
      type(c_ptr), value :: cube, plan
      type(*), dimension(*), intent(in), optional :: send
      type(*), dimension(*), intent(inout), optional :: receive
    end function
    integer(c_int) function c_plan_destroy(plan) bind(C, name="hyla_plan_destroy")
      import
      type(c_ptr), intent(inout) :: plan
    end function
    type(c_ptr) function c_cube_message(cube) bind(C, name="hyla_cube_message")
      import
      type(c_ptr), value :: cube
    end function
    integer(c_int) function c_layout_parse(cube, text, layout) bind(C, name="hyla_layout_parse")
      import
      type(c_ptr), value :: cube
      character(kind=c_char), intent(in) :: text(*)
      type(hyla_layout), intent(out) :: layout
    end function
    integer(c_int) function c_layout_default(cube, rows, cols, layout) &
        bind(C, name="hyla_layout_default")
      import
      type(c_ptr), value :: cube
      integer(c_int64_t), value :: rows, cols
      type(hyla_layout), intent(out) :: layout
    end function
    integer(c_int) function c_layout_local(cube, layout, rows, cols, local_rows, local_cols) &
        bind(C, name="hyla_layout_local")
      import
      type(c_ptr), value :: cube
      type(hyla_layout), intent(in) :: layout
      integer(c_int64_t), value :: rows, cols
      integer(c_int64_t), intent(out) :: local_rows, local_cols
    end function
    integer(c_int) function c_matrix_create(cube, type, rows, cols, layout, matrix) &
        bind(C, name="hyla_matrix_create")
      import
      type(c_ptr), value :: cube
      integer(c_int), value :: type
      integer(c_int64_t), value :: rows, cols
      type(c_ptr), value :: layout
      type(c_ptr), intent(out) :: matrix
    end function
    integer(c_int) function c_matrix_wrap(cube, type, rows, cols, layout, local, ld, matrix) &
        bind(C, name="hyla_matrix_wrap")
      import
      type(c_ptr), value :: cube
      integer(c_int), value :: type
      integer(c_int64_t), value :: rows, cols
      type(c_ptr), value :: layout, local
      integer(c_int64_t), value :: ld
      type(c_ptr), intent(out) :: matrix
    end function
    integer(c_int) function c_matrix_destroy(matrix) bind(C, name="hyla_matrix_destroy")
      import
      type(c_ptr), intent(inout) :: matrix
    end function
    integer(c_int64_t) function c_matrix_rows(matrix) bind(C, name="hyla_matrix_rows")
      import
      type(c_ptr), value :: matrix
    end function
    integer(c_int64_t) function c_matrix_cols(matrix) bind(C, name="hyla_matrix_cols")
      import
      type(c_ptr), value :: matrix
    end function
    integer(c_int) function c_matrix_type(matrix) bind(C, name="hyla_matrix_type")
      import
      type(c_ptr), value :: matrix
    end function
    integer(c_int64_t) function c_matrix_row(matrix, local) bind(C, name="hyla_matrix_row")
      import
      type(c_ptr), value :: matrix
      integer(c_int64_t), value :: local
    end function
    integer(c_int64_t) function c_matrix_col(matrix, local) bind(C, name="hyla_matrix_col")
      import
      type(c_ptr), value :: matrix
      integer(c_int64_t), value :: local
    end function
    integer(c_int) function c_matrix_generate(cube, matrix, generator, seed) &
        bind(C, name="hyla_matrix_generate")
      import
      type(c_ptr), value :: cube, matrix
      integer(c_int), value :: generator
      integer(c_int64_t), value :: seed
    end function
    integer(c_int) function c_matrix_set(cube, matrix, row, col, value) &
        bind(C, name="hyla_matrix_set")
      import
      type(c_ptr), value :: cube, matrix
      integer(c_int64_t), value :: row, col
      complex(c_double_complex), value :: value
    end function
    integer(c_int) function c_matrix_get(cube, matrix, row, col, value) &
        bind(C, name="hyla_matrix_get")
      import
      type(c_ptr), value :: cube, matrix
      integer(c_int64_t), value :: row, col
      complex(c_double_complex), intent(out) :: value
    end function
    integer(c_int) function c_matrix_gather(cube, from, rest, array, ld) &
        bind(C, name="hyla_matrix_gather")
      import
      type(c_ptr), value :: cube, from
      integer(c_int), value :: rest
      type(c_ptr), value :: array
      integer(c_int64_t), value :: ld
    end function
    integer(c_int) function c_matrix_scatter(cube, array, ld, to) &
        bind(C, name="hyla_matrix_scatter")
      import
      type(c_ptr), value :: cube, array
      integer(c_int64_t), value :: ld
      type(c_ptr), value :: to
    end function
    integer(c_int) function c_matrix_convert(cube, from, to) bind(C, name="hyla_matrix_convert")
      import
      type(c_ptr), value :: cube, from, to
    end function
    integer(c_int) function c_matrix_norm(cube, matrix, kind, value) &
        bind(C, name="hyla_matrix_norm")
      import
      type(c_ptr), value :: cube, matrix
      integer(c_int), value :: kind
      real(c_double), intent(out) :: value
    end function
    integer(c_int) function c_redistribute(cube, count, transfers) &
        bind(C, name="hyla_redistribute")
      import
      type(c_ptr), value :: cube
      integer(c_int), value :: count
      type(c_transfer), intent(in) :: transfers(*)
    end function
    integer(c_int) function c_gemm(cube, op_a, op_b, alpha, a, b, beta, c) bind(C, name="hyla_gemm")
      import
      type(c_ptr), value :: cube
      integer(c_int), value :: op_a, op_b
      complex(c_double_complex), value :: alpha
      type(c_ptr), value :: a, b
      complex(c_double_complex), value :: beta
      type(c_ptr), value :: c
    end function
    integer(c_int) function c_gemv(cube, op, alpha, a, x, beta, y) bind(C, name="hyla_gemv")
      import
      type(c_ptr), value :: cube
      integer(c_int), value :: op
      complex(c_double_complex), value :: alpha
      type(c_ptr), value :: a, x
      complex(c_double_complex), value :: beta
      type(c_ptr), value :: y
    end function
    integer(c_int) function c_symv(cube, triangle, alpha, a, x, beta, y) bind(C, name="hyla_symv")
      import
      type(c_ptr), value :: cube
      integer(c_int), value :: triangle
      complex(c_double_complex), value :: alpha
      type(c_ptr), value :: a, x
      complex(c_double_complex), value :: beta
      type(c_ptr), value :: y
    end function
    integer(c_int) function c_hemv(cube, triangle, alpha, a, x, beta, y) bind(C, name="hyla_hemv")
      import
      type(c_ptr), value :: cube
      integer(c_int), value :: triangle
      complex(c_double_complex), value :: alpha
      type(c_ptr), value :: a, x
      complex(c_double_complex), value :: beta
      type(c_ptr), value :: y
    end function
    integer(c_int) function c_ger(cube, op, alpha, x, y, a) bind(C, name="hyla_ger")
      import
      type(c_ptr), value :: cube
      integer(c_int), value :: op
      complex(c_double_complex), value :: alpha
      type(c_ptr), value :: x, y, a
    end function
    integer(c_int) function c_trsm(cube, side, triangle, op, diagonal, alpha, a, b) &
        bind(C, name="hyla_trsm")
      import
      type(c_ptr), value :: cube
      integer(c_int), value :: side, triangle, op, diagonal
      complex(c_double_complex), value :: alpha
      type(c_ptr), value :: a, b
    end function
    integer(c_int) function c_eigen(cube, triangle, a, values, vectors) bind(C, name="hyla_eigen")
      import
      type(c_ptr), value :: cube
      integer(c_int), value :: triangle
      type(c_ptr), value :: a, values, vectors
    end function
    integer(c_int) function c_eigen_check(cube, triangle, a, values, vectors, errors) &
        bind(C, name="hyla_eigen_check")
      import
      type(c_ptr), value :: cube
      integer(c_int), value :: triangle
      type(c_ptr), value :: a, values, vectors
      real(c_double), intent(out) :: errors(2)
    end function
    integer(c_int) function c_factor_create_rectangular(cube, method, type, m, n, nrhs, layout, &
        variant, factor) bind(C, name="hyla_factor_create_rectangular")
      import
      type(c_ptr), value :: cube
      integer(c_int), value :: method, type
      integer(c_int64_t), value :: m, n, nrhs
      type(c_ptr), value :: layout, variant
      type(c_ptr), intent(out) :: factor
    end function
    integer(c_int) function c_factor_compute(cube, factor, a) bind(C, name="hyla_factor_compute")
      import
      type(c_ptr), value :: cube, factor, a
    end function
    integer(c_int) function c_factor_solve(cube, factor, op, b, x) bind(C, name="hyla_factor_solve")
      import
      type(c_ptr), value :: cube, factor
      integer(c_int), value :: op
      type(c_ptr), value :: b, x
    end function
    integer(c_int) function c_factor_lower(cube, factor, l) bind(C, name="hyla_factor_lower")
      import
      type(c_ptr), value :: cube, factor, l
    end function
    integer(c_int) function c_factor_upper(cube, factor, u) bind(C, name="hyla_factor_upper")
      import
      type(c_ptr), value :: cube, factor, u
    end function
    integer(c_int) function c_factor_permutation(cube, factor, rows) &
        bind(C, name="hyla_factor_permutation")
      import
      type(c_ptr), value :: cube, factor, rows
    end function
    integer(c_int) function c_factor_condition(cube, factor, norm, rcond) &
        bind(C, name="hyla_factor_condition")
      import
      type(c_ptr), value :: cube, factor
      real(c_double), value :: norm
      real(c_double), intent(out) :: rcond
    end function
    integer(c_int64_t) function c_factor_pivot(factor) bind(C, name="hyla_factor_pivot")
      import
      type(c_ptr), value :: factor
    end function
    integer(c_int) function c_factor_destroy(factor) bind(C, name="hyla_factor_destroy")
      import
      type(c_ptr), intent(inout) :: factor
    end function
    integer(c_int) function c_solve(cube, a, b, x, pivot) bind(C, name="hyla_solve")
      import
      type(c_ptr), value :: cube, a, b, x
      integer(c_int64_t), intent(out) :: pivot
    end function
    integer(c_int) function c_solve_expert(cube, options, a, b, x, report) &
        bind(C, name="hyla_solve_expert")
      import
      type(c_ptr), value :: cube
      type(c_solve_options), intent(in) :: options
      type(c_ptr), value :: a, b, x
      type(c_report), intent(inout) :: report
    end function
    integer(c_int) function c_lstsq(cube, options, a, b, x, report) bind(C, name="hyla_lstsq")
      import
      type(c_ptr), value :: cube
      type(c_lstsq_options), intent(in) :: options
      type(c_ptr), value :: a, b, x, report
    end function
    integer(c_int) function c_svd(cube, a, values, left, right) bind(C, name="hyla_svd")
      import
      type(c_ptr), value :: cube, a
      real(c_double), intent(inout) :: values(*)
      type(c_ptr), value :: left, right
    end function
    integer(c_int) function c_residual(cube, a, x, b, residual) bind(C, name="hyla_residual")
      import
      type(c_ptr), value :: cube, a, x, b
      real(c_double), intent(out) :: residual
    end function
  end interface

contains

  ! Copies a C string.
  function fortran_text(at) result(text)
    type(c_ptr), intent(in) :: at
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    if (.not. c_associated(at)) then
      text = ''
      return
    end if
    call c_f_pointer(at, letters, [c_strlen(at)])
    allocate (character(len=size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  ! The address of an optional layout; NULL if it is absent.
  type(c_ptr) function layout_at(layout)
    type(hyla_layout), intent(in), target, optional :: layout
    layout_at = c_null_ptr
    if (present(layout)) layout_at = c_loc(layout)
  end function

  ! Converts an optional name for C; name_at gives its address, NULL if absent.
  function c_name(name) result(text)
    character(len=*), intent(in), optional :: name
    character(len=:), allocatable :: text
    text = c_null_char
    if (present(name)) text = trim(name)//c_null_char
  end function

  type(c_ptr) function name_at(text)
    character(len=*), intent(in), target :: text
    name_at = c_null_ptr
    if (len(text) > 1) name_at = c_loc(text)
  end function

  ! Finds the type of an array, and its address; type -1 for a type that hyla does not have, which
  ! the call that gets it refuses on all ranks.
  subroutine look_at(array, type, at)
    class(*), intent(in), target, contiguous :: array(:, :)
    integer(c_int), intent(out) :: type
    type(c_ptr), intent(out) :: at
    type = -1
    at = c_null_ptr
    select type (array)
    type is (real(c_float))
      type = HYLA_FLOAT
      at = c_loc(array)
    type is (real(c_double))
      type = HYLA_DOUBLE
      at = c_loc(array)
    type is (complex(c_float_complex))
      type = HYLA_COMPLEX
      at = c_loc(array)
    type is (complex(c_double_complex))
      type = HYLA_DOUBLE_COMPLEX
      at = c_loc(array)
    end select
  end subroutine

  integer(c_int64_t) function leading(array)
    class(*), intent(in) :: array(:, :)
    leading = max(1, size(array, 1))
  end function
end module hyla_c
