! The promises of module hyla that examples/fortran_solve.f90 does not show; run by test_fortran.sh.
program fortran
  use, intrinsic :: iso_c_binding
  use mpi, only: MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_SELF
  use hyla
  use hyla_simple
  implicit none
  integer(c_int64_t), parameter :: one = 1
  complex(c_double_complex), parameter :: unit = (1, 0), nothing = (0, 0)
  type(hyla_cube) :: cube, none
  type(hyla_faults) :: faults
  type(hyla_checkpoints) :: states
  integer :: failures = 0, error

  call MPI_Init(error)
  if (command_argument_count() > 0) call unchecked()
  call must(hyla_cube_create(MPI_COMM_WORLD, cube), 'create')
  call expect(hyla_cube_nodes(cube) == 2**hyla_cube_dims(cube), 'nodes')
  call expect(hyla_cube_guests(cube) >= 0 .and. hyla_cube_message(cube) == '', 'guests, message')
  call must(hyla_cube_faults(cube, faults), 'faults')
  call expect(faults%damaged == 0 .and. faults%text == '', 'no faults')
  call must(hyla_cube_checkpoints(cube, states), 'states')
  call expect(states%written == 0 .and. states%text == '', 'no states')
  call expect(hyla_cube_create(MPI_COMM_NULL, none) == HYLA_ARGUMENT, 'no communicator')
  call expect(index(hyla_cube_message(none), 'communicator') > 0, 'the message of a failed cube')
  call must(hyla_cube_destroy(none), 'destroy what was not created')
  call expect(hyla_status_text(HYLA_SINGULAR) == 'the matrix is singular', 'the text of a status')
  call whole_matrices()
  call every_type()
  call own_memory()
  call products()
  call vectors()
  call systems()
  call squares()
  call triangles(7, 4)
  call triangles(3, 8)
  call triangles(5, 5)
  call sizes_of_both_kinds()
  call meshes()
  call messages()
  call spectra()
  call one_call()
  call must(hyla_cube_destroy(cube), 'destroy')
  call expect(hyla_cube_nodes(cube) == 0, 'a cube that was destroyed')
  call MPI_Finalize(error)
  if (failures > 0) stop 1

contains

  ! Without info a singular matrix stops the program.
  subroutine unchecked()
    real(c_double) :: a(3, 3) = 1, b(3) = 1
    call hyla_dgesv(3, 1, a, b)
    print '(a)', 'fortran: the program goes on'
  end subroutine

  ! Systems in arrays, on all ranks or on rank 0; of sections too.
  subroutine one_call()
    integer, parameter :: n = 6
    real(c_double) :: a(n, n), b(n), whole(2 * n, n)
    complex(c_float_complex) :: c(n, n), d(n, 2)
    real(c_double), allocatable :: first(:, :), side(:, :)
    integer :: i, info, rank
    a = reshape([(cos(real(i * i, c_double)), i=1, n * n)], [n, n]) + placed(n, n) / 1000
    whole = 0
    whole(::2, :) = a
    b = matmul(a, [(real(i, c_double), i=1, n)])
    call hyla_dgesv(n, 1, a, b, info)
    call expect(info == 0 .and. all(abs(b - [(i, i=1, n)]) < 1e-10), 'dgesv')
    b = matmul(a, [(real(i, c_double), i=1, n)])
    call hyla_dgesv(n, 1, whole(::2, :), b, comm=MPI_COMM_SELF)
    call expect(all(abs(b - [(i, i=1, n)]) < 1e-10), 'dgesv of a section, on this rank alone')
    c = cmplx(matmul(a, transpose(a)), kind=c_float)
    d = 2 * c(:, :2)
    call hyla_cposv(n, 2, c, d)
    call expect(all(abs(d(:, 1) - [2, (0, i=2, n)]) < 1e-2), 'cposv')
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    if (rank == 0) first = a
    if (rank == 0) side = matmul(a, a)
    call hyla_dgesv(n, n, first, side, info)
    call expect(info == 0, 'dgesv with arrays on rank 0')
    if (rank == 0) call expect(maxval(abs(side - a)) < 1e-9, 'its solution')
    call hyla_dgesv(n, n, a(:2, :), a, info)
    call expect(info == -HYLA_ARGUMENT, 'dgesv with too small an array')
    a(:, 2) = 0
    call hyla_dgesv(n, 1, a, b, info)
    call expect(info == 2, 'dgesv of a singular matrix')
    call one_spectrum()
  end subroutine

  ! The values of ones beside a diagonal of zeros are 2 cos(k pi / (n + 1)); of its upper triangle
  ! times i too.
  subroutine one_spectrum()
    integer, parameter :: n = 20
    real(c_double), parameter :: pi = acos(-1.0_c_double)
    real(c_double) :: a(n, n), z(n, n), w(n), alone(n), known(n)
    complex(c_double_complex) :: c(n, n)
    integer :: i, info
    a = 0
    do i = 1, n - 1
      a(i + 1, i) = 1
      a(i, i + 1) = 9
    end do
    c = cmplx(0, transpose(a), c_double)
    known = [(-2 * cos(pi * i / (n + 1)), i=1, n)]
    call hyla_dsyev('L', n, a, w, z, info)
    call expect(info == 0 .and. all(abs(w - known) < 1e-13), 'dsyev')
    do i = 1, n - 1
      a(i, i + 1) = 1
    end do
    call expect(maxval(abs(matmul(a, z) - z * spread(w, 1, n))) < 1e-13, 'the vectors of dsyev')
    call hyla_zheev('U', n, c, alone)
    call expect(all(abs(alone - known) < 1e-13), 'zheev, values alone')
    call hyla_dsyev('L', n, a(:2, :), w, info=info)
    call expect(info == -HYLA_ARGUMENT, 'dsyev with too small an array')
  end subroutine

  subroutine spectra()
    integer, parameter :: n = 30
    type(hyla_matrix) :: a, v
    real(c_double) :: values(n), alone(n + 1), residual, orthogonality
    call must(hyla_matrix_create(cube, HYLA_DOUBLE, n, n, a), 'a')
    call must(hyla_matrix_create(cube, HYLA_DOUBLE, n, n, v), 'v')
    call must(hyla_matrix_generate(cube, a, HYLA_RANDOM, one), 'generate')
    alone(n + 1) = 7
    call must(hyla_eigen(cube, HYLA_UPPER, a, values, v), 'eigen')
    call must(hyla_eigen(cube, HYLA_UPPER, a, alone), 'eigen, values alone')
    call expect(all(values == alone(:n)) .and. alone(n + 1) == 7, 'values with and without vectors')
    call must(hyla_eigen_check(cube, HYLA_UPPER, a, values, v, residual, orthogonality), 'eigen_check')
    call expect(residual > 0 .and. orthogonality > 0, 'errors')
    call expect(hyla_eigen(cube, HYLA_UPPER, a, values(:n - 1)) == HYLA_ARGUMENT, 'too few values')
    call must(hyla_matrix_destroy(a), 'destroy')
    call must(hyla_matrix_destroy(v), 'destroy')
  end subroutine

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(2a)', 'fortran: ', what
    failures = failures + 1
  end subroutine

  subroutine must(status, what)
    integer(c_int), intent(in) :: status
    character(len=*), intent(in) :: what
    call expect(status == HYLA_OK, what//': '//hyla_status_text(status)//', '//hyla_cube_message(cube))
  end subroutine

  ! Every entry tells its place.
  function placed(rows, cols) result(array)
    integer, intent(in) :: rows, cols
    real(c_double) :: array(rows, cols)
    integer :: i, j
    array = reshape([((real(100 * i + j, c_double), i=1, rows), j=1, cols)], [rows, cols])
  end function

  subroutine make(type, rows, cols, matrix)
    integer(c_int), intent(in) :: type
    integer, intent(in) :: rows, cols
    type(hyla_matrix), intent(inout) :: matrix
    call must(hyla_matrix_create(cube, type, int(rows, c_int64_t), int(cols, c_int64_t), matrix), 'make')
  end subroutine

  ! Sizes of both kinds, also mixed, give the same results.
  subroutine sizes_of_both_kinds()
    integer, parameter :: n = 5
    integer :: m, k, i, pivot, rows(n + 1)
    integer(c_int64_t) :: long_rows(n)
    type(hyla_layout) :: layout, pair(2)
    type(hyla_matrix) :: a, b, x
    type(hyla_factor) :: factor
    real(c_double), allocatable, target :: local(:, :)
    real(c_double) :: whole(n, n), answer(n, 1)
    complex(c_double_complex) :: entry
    ! A layout is as long as in C: the next one is not written.
    pair(2)%row%dims = -5
    pair(2)%row%dim = -5_c_int8_t
    call must(hyla_layout_default(cube, n, n, pair(1)), 'default, one of two')
    call expect(pair(2)%row%dims == -5 .and. all(pair(2)%row%dim == -5), 'a layout of C and no more')
    call expect(pair(1)%across == 0 .and. pair(1)%col%parts == 0, 'no array of nodes')
    whole = reshape([((merge(2.0_c_double, 1.0_c_double / (i + k), i + k == n + 1), i=1, n), k=1, n)], [n, n])
    call must(hyla_layout_default(cube, n, 5_c_int64_t, layout), 'default, both kinds')
    call must(hyla_layout_local(cube, layout, n, n, m, k), 'local, default kind')
    allocate (local(max(1, m), k), source=7.0_c_double)
    call must(hyla_matrix_wrap(cube, n, 5_c_int64_t, local, a, layout), 'wrap, both kinds')
    do i = 1, m
      call expect(hyla_matrix_row(a, i) == hyla_matrix_row(a, int(i, c_int64_t)), 'row, default kind')
    end do
    do i = 1, k
      call expect(hyla_matrix_col(a, i) == hyla_matrix_col(a, int(i, c_int64_t)), 'col, default kind')
    end do
    call must(hyla_matrix_generate(cube, a, HYLA_RANDOM, 3), 'generate, default kind')
    call must(hyla_matrix_scatter(cube, whole, a), 'scatter')
    call must(hyla_matrix_set(cube, a, n, int(hyla_matrix_rows(a)), 4 * unit), 'set, default kind')
    call must(hyla_matrix_get(cube, a, hyla_matrix_rows(a), n, entry), 'get, both kinds')
    call expect(entry == 4, 'the entry that was set')
    call must(hyla_matrix_create(cube, HYLA_DOUBLE, n, 1, b), 'create, default kind')
    call must(hyla_matrix_create(cube, HYLA_DOUBLE, 5_c_int64_t, 1, x), 'create, both kinds')
    call expect(hyla_matrix_rows(x) == n .and. hyla_matrix_cols(x) == 1, 'create: the size')
    whole(n, n) = 4
    answer(:, 1) = [(i, i=1, n)]
    answer = matmul(whole, answer)
    call must(hyla_matrix_scatter(cube, answer, b), 'scatter b')
    pivot = 7
    call must(hyla_solve(cube, a, b, x, pivot), 'solve, default kind')
    call must(hyla_matrix_gather(cube, x, answer, .true.), 'gather x')
    if (hyla_cube_address(cube) >= 0) call expect(maxval(abs(answer(:, 1) - [(i, i=1, n)])) < 1e-13 &
      .and. pivot == 0, 'solve, default kind: x')
    call must(hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, n, 1_c_int64_t, factor), 'factor, both kinds')
    call must(hyla_factor_compute(cube, factor, a), 'compute')
    rows(n + 1) = -7
    call must(hyla_factor_permutation(cube, factor, rows), 'permutation, default kind')
    call must(hyla_factor_permutation(cube, factor, long_rows), 'permutation')
    call expect(all(rows(:n) == long_rows) .and. rows(n + 1) == -7, 'permutation, default kind: rows')
    call expect(hyla_factor_permutation(cube, factor, rows(:n - 1)) == HYLA_ARGUMENT, 'too few rows')
    call must(hyla_factor_destroy(factor), 'factor_destroy')
    call must(hyla_factor_create_rectangular(cube, HYLA_QR, HYLA_DOUBLE, 7_c_int64_t, n, 0, factor), &
      'rectangular, both kinds')
    call must(hyla_factor_destroy(factor), 'factor_destroy')
    call must(hyla_matrix_destroy(x), 'destroy')
    call must(hyla_matrix_destroy(b), 'destroy')
    call must(hyla_matrix_destroy(a), 'destroy')
  end subroutine

  ! A ring of all nodes: the next one is a neighbour on the cube.
  subroutine meshes()
    type(hyla_embedding) :: ring
    integer :: comm, nodes, before, after(1), node(1), here, world
    comm = MPI_COMM_SELF
    ring%kind = HYLA_TORUS
    call expect(hyla_embed_comm(cube, ring, comm) == HYLA_ARGUMENT, 'a torus without sides')
    ring%side = spread(one, 1, HYLA_DIMS_MAX + 1) ! one more than an embedding has room for
    call expect(hyla_embed_comm(cube, ring, comm) == HYLA_ARGUMENT, 'a torus of too many sides')
    ring%side = [2 * int(hyla_cube_nodes(cube), c_int64_t)]
    call expect(hyla_embed_comm(cube, ring, comm) == HYLA_ARGUMENT, 'a ring that is too long')
    call expect(index(hyla_cube_message(cube), 'dimensions') > 0, 'its message')
    call expect(comm == MPI_COMM_SELF, 'a communicator that was not made')
    ring%side = [int(hyla_cube_nodes(cube), c_int64_t)]
    call must(hyla_embed_comm(cube, ring, comm), 'a ring')
    call expect((comm == MPI_COMM_NULL) .eqv. (hyla_cube_address(cube) < 0), 'who is on the ring')
    if (comm == MPI_COMM_NULL) return
    call MPI_Comm_size(comm, nodes, error)
    call expect(nodes == hyla_cube_nodes(cube), 'how many are on the ring')
    call MPI_Cart_shift(comm, 0, 1, before, after(1), error)
    call MPI_Comm_group(comm, here, error)
    call MPI_Comm_group(MPI_COMM_WORLD, world, error)
    call MPI_Group_translate_ranks(here, 1, after, world, node, error)
    call expect(popcnt(ieor(node(1), hyla_cube_address(cube))) == min(nodes - 1, 1), 'the next one')
    call MPI_Group_free(here, error)
    call MPI_Group_free(world, error)
    call MPI_Comm_free(comm, error)
  end subroutine

  subroutine whole_matrices()
    type(hyla_matrix) :: a, turned, complex_a
    type(hyla_layout) :: layout
    complex(c_double_complex) :: value
    real(c_double) :: array(7, 5), back(5, 9), norm
    complex(c_double_complex) :: wide(5, 7)
    logical :: node
    node = hyla_cube_address(cube) >= 0
    call must(hyla_layout_parse(cube, 'gray/cyclic:2', layout), 'parse')
    call expect(hyla_layout_parse(cube, 'grey/cyclic', layout) == HYLA_ARGUMENT, 'a layout that is none')
    call expect(len(hyla_cube_message(cube)) > 20, 'its message')
    call must(hyla_layout_parse(cube, 'gray/cyclic:2', layout), 'parse')
    call must(hyla_matrix_create(cube, HYLA_DOUBLE, 7_c_int64_t, 5_c_int64_t, a, layout), 'create a')
    call make(HYLA_DOUBLE, 5, 7, turned)
    call make(HYLA_DOUBLE_COMPLEX, 5, 7, complex_a)
    array = placed(7, 5)
    call must(hyla_matrix_scatter(cube, array, a), 'scatter')
    array = -1
    call must(hyla_matrix_gather(cube, a, array, everywhere=.true.), 'gather everywhere')
    call expect(all(array == placed(7, 5)) .eqv. node, 'gather: entries')
    call must(hyla_redistribute(cube, HYLA_TRANSPOSE, (2, 0) * unit, a, turned), 'transpose')
    ! Larger than the matrix: the rest stays.
    back = -1
    call must(hyla_matrix_gather(cube, turned, back), 'gather')
    if (hyla_cube_address(cube) == 0) &
      call expect(all(back(:, :7) == 2 * transpose(placed(7, 5))) .and. all(back(:, 8:) == -1), 'turned')
    call expect(hyla_cube_address(cube) == 0 .or. all(back == -1), 'gather on node 0 alone')
    call must(hyla_redistribute(cube, HYLA_TURN_LEFT, (1, 0) * unit, a, turned), 'turn left')
    call must(hyla_matrix_gather(cube, turned, back(:, :7), everywhere=.true.), 'gather what is turned left')
    wide = transpose(placed(7, 5))
    call expect(all(back(:, :7) == real(wide(5:1:-1, :))) .eqv. node, 'turned left')
    call must(hyla_redistribute(cube, HYLA_TURN_RIGHT, (1, 0) * unit, a, turned), 'turn right')
    call must(hyla_redistribute(cube, HYLA_TURN_RIGHT, (1, 0) * unit, turned, a), 'turn right again')
    call must(hyla_matrix_gather(cube, a, array, everywhere=.true.), 'gather what is turned twice')
    array = array(7:1:-1, 5:1:-1)
    call expect(all(array == placed(7, 5)) .eqv. node, 'two quarter turns')
    call must(hyla_redistribute(cube, HYLA_TURN_LEFT, (1, 0) * unit, a, turned), 'a third one')
    call must(hyla_redistribute(cube, HYLA_TURN_LEFT, (1, 0) * unit, turned, a), 'a fourth one')
    call must(hyla_redistribute(cube, HYLA_TRANSPOSE, (2, 0) * unit, a, turned), 'transpose again')
    call must(hyla_matrix_convert(cube, turned, complex_a), 'convert')
    call must(hyla_matrix_set(cube, complex_a, 2_c_int64_t, one, (3, -4) * unit), 'set')
    call must(hyla_matrix_get(cube, complex_a, 2_c_int64_t, one, value), 'get')
    call expect(value == (3, -4), 'set, get')
    call must(hyla_matrix_gather(cube, complex_a, wide, .true.), 'gather complex')
    call expect(.not. node .or. (wide(2, 1) == (3, -4) .and. wide(5, 7) == (1410, 0)), 'complex entries')
    call must(hyla_matrix_norm(cube, a, HYLA_NORM_MAX, norm), 'norm')
    call expect(abs(norm - 705) < 1e-9, 'norm: the value')
    ! Too small, and of another type: refused on every rank.
    call expect(hyla_matrix_gather(cube, a, array(:6, :), .true.) == HYLA_ARGUMENT, 'a small array')
    call expect(hyla_matrix_gather(cube, a, wide, .true.) == HYLA_ARGUMENT, 'an array of another type')
    call expect(index(hyla_cube_message(cube), 'hyla_matrix_gather') > 0, 'who refuses')
    call expect(hyla_matrix_convert(cube, complex_a, turned) == HYLA_ARGUMENT, 'convert complex to real')
    call must(hyla_matrix_destroy(complex_a), 'destroy')
    call must(hyla_matrix_destroy(turned), 'destroy')
    call must(hyla_matrix_destroy(a), 'destroy')
  end subroutine

  ! An array of each type that hyla has, and one of a type that it has not.
  subroutine every_type()
    real(c_float) :: s(3, 2)
    real(c_double) :: d(3, 2)
    complex(c_float_complex) :: c(3, 2)
    complex(c_double_complex) :: z(3, 2)
    integer :: k(3, 2)
    type(hyla_matrix) :: a(4), wrong
    integer(c_int) :: type
    do type = HYLA_FLOAT, HYLA_DOUBLE_COMPLEX
      call make(type, 3, 2, a(type + 1))
      call expect(hyla_matrix_type(a(type + 1)) == type, 'type')
    end do
    s = real(placed(3, 2), c_float)
    d = placed(3, 2)
    c = cmplx(placed(3, 2), -placed(3, 2), c_float_complex)
    z = cmplx(placed(3, 2), -placed(3, 2), c_double_complex)
    call must(hyla_matrix_scatter(cube, s, a(1)), 'scatter s')
    call must(hyla_matrix_scatter(cube, d, a(2)), 'scatter d')
    call must(hyla_matrix_scatter(cube, c, a(3)), 'scatter c')
    call must(hyla_matrix_scatter(cube, z, a(4)), 'scatter z')
    do type = HYLA_FLOAT, HYLA_DOUBLE_COMPLEX
      call check_entry(a(type + 1), merge((302, -302), (302, 0), type >= HYLA_COMPLEX) * unit)
      call must(hyla_matrix_destroy(a(type + 1)), 'destroy')
    end do
    k = 0
    call expect(hyla_matrix_wrap(cube, 3_c_int64_t, 2_c_int64_t, k, wrong) == HYLA_ARGUMENT, 'integers')
  end subroutine

  subroutine check_entry(matrix, wanted)
    type(hyla_matrix), intent(in) :: matrix
    complex(c_double_complex), intent(in) :: wanted
    complex(c_double_complex) :: value
    call must(hyla_matrix_get(cube, matrix, 3_c_int64_t, 2_c_int64_t, value), 'get')
    call expect(value == wanted, 'an entry of a type')
  end subroutine

  ! A matrix over this rank's own array, filled where it lies.
  subroutine own_memory()
    integer(c_int64_t), parameter :: rows = 9, cols = 4
    type(hyla_layout) :: layout
    type(hyla_matrix) :: a
    real(c_double), allocatable, target :: local(:, :)
    complex(c_double_complex) :: value
    integer(c_int64_t) :: m, n, i, j
    call must(hyla_layout_default(cube, rows, cols, layout), 'default layout')
    call must(hyla_layout_local(cube, layout, rows, cols, m, n), 'local')
    allocate (local(m + 2, n))
    call must(hyla_matrix_wrap(cube, rows, cols, local, a, layout), 'wrap')
    call expect(hyla_matrix_rows(a) == rows .and. hyla_matrix_cols(a) == cols, 'rows, cols')
    do j = 1, n
      do i = 1, m
        local(i, j) = real(100 * hyla_matrix_row(a, i) + hyla_matrix_col(a, j), c_double)
      end do
    end do
    call must(hyla_matrix_get(cube, a, 8_c_int64_t, 3_c_int64_t, value), 'get')
    call expect(value == (803, 0), 'wrap: an entry')
    call expect(hyla_matrix_row(a, m + 1) == 0, 'a row that is not here')
    call must(hyla_matrix_destroy(a), 'destroy')
  end subroutine

  subroutine products()
    integer, parameter :: n = 13
    type(hyla_matrix) :: a, b, c, t
    real(c_double) :: x(n, n), y(n, 3), z(n, 3)
    integer :: i
    call make(HYLA_DOUBLE, n, n, a)
    call make(HYLA_DOUBLE, n, 3, b)
    call make(HYLA_DOUBLE, n, 3, c)
    call make(HYLA_DOUBLE, n, n, t)
    call must(hyla_matrix_generate(cube, a, HYLA_DOMINANT, 5_c_int64_t), 'generate')
    call must(hyla_matrix_generate(cube, b, HYLA_RANDOM, 6_c_int64_t), 'generate')
    call must(hyla_matrix_generate(cube, c, HYLA_ONES), 'generate without a seed')
    call must(hyla_gemm(cube, HYLA_TRANSPOSE, HYLA_NONE, (2, 0) * unit, a, b, (3, 0) * unit, c), 'gemm')
    call must(hyla_matrix_gather(cube, a, x, .true.), 'gather')
    call must(hyla_matrix_gather(cube, b, y, .true.), 'gather')
    call must(hyla_matrix_gather(cube, c, z, .true.), 'gather')
    if (hyla_cube_address(cube) >= 0) &
      call expect(maxval(abs(z - 2 * matmul(transpose(x), y) - 3)) < 1e-12 * n, 'gemm: the product')
    call must(hyla_trsm(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, unit, a, b), 'trsm')
    call must(hyla_matrix_gather(cube, b, z, .true.), 'gather')
    do i = 1, n
      x(:i - 1, i) = 0
    end do
    if (hyla_cube_address(cube) >= 0) &
      call expect(maxval(abs(matmul(x, z) - y)) < 1e-12 * n, 'trsm: the solution')
    call expect(hyla_gemm(cube, HYLA_NONE, HYLA_NONE, unit, b, a, nothing, c) == HYLA_ARGUMENT, 'sizes')
    call must(hyla_matrix_destroy(t), 'destroy')
    call must(hyla_matrix_destroy(c), 'destroy')
    call must(hyla_matrix_destroy(b), 'destroy')
    call must(hyla_matrix_destroy(a), 'destroy')
  end subroutine

  ! a := a + 2 x y^T, then y := 3 a x + y by each triangle, as stored and mirrored
  subroutine vectors()
    integer, parameter :: n = 11
    type(hyla_matrix) :: a, x, y
    real(c_double) :: full(n, n), before(n, n), u(n, 1), v(n, 1), z(n, 1)
    integer :: i
    call make(HYLA_DOUBLE, n, n, a)
    call make(HYLA_DOUBLE, n, 1, x)
    call make(HYLA_DOUBLE, n, 1, y)
    call must(hyla_matrix_generate(cube, a, HYLA_RANDOM, 7_c_int64_t), 'generate')
    call must(hyla_matrix_generate(cube, x, HYLA_RANDOM, 8_c_int64_t), 'generate')
    call must(hyla_matrix_generate(cube, y, HYLA_RANDOM, 9_c_int64_t), 'generate')
    call must(hyla_matrix_gather(cube, a, before, .true.), 'gather')
    call must(hyla_matrix_gather(cube, x, u, .true.), 'gather')
    call must(hyla_matrix_gather(cube, y, v, .true.), 'gather')
    call must(hyla_ger(cube, HYLA_TRANSPOSE, (2, 0) * unit, x, y, a), 'ger')
    call must(hyla_matrix_gather(cube, a, full, .true.), 'gather')
    if (hyla_cube_address(cube) >= 0) &
      call expect(maxval(abs(full - before - 2 * matmul(u, transpose(v)))) < 1e-13, 'ger: the update')
    call must(hyla_symv(cube, HYLA_LOWER, (3, 0) * unit, a, x, unit, y), 'symv')
    call must(hyla_matrix_gather(cube, y, z, .true.), 'gather')
    do i = 1, n
      before(i:, i) = full(i:, i)
      before(i, i:) = full(i:, i)
    end do
    if (hyla_cube_address(cube) >= 0) &
      call expect(maxval(abs(z - 3 * matmul(before, u) - v)) < 1e-12, 'symv: the product')
    call must(hyla_hemv(cube, HYLA_UPPER, unit, a, x, nothing, y), 'hemv')
    call must(hyla_matrix_gather(cube, y, z, .true.), 'gather')
    do i = 1, n
      before(i, i:) = full(i, i:)
      before(i:, i) = full(i, i:)
    end do
    if (hyla_cube_address(cube) >= 0) &
      call expect(maxval(abs(z - matmul(before, u))) < 1e-12, 'hemv: the product')
    call must(hyla_gemv(cube, HYLA_TRANSPOSE, unit, a, x, nothing, y), 'gemv')
    call must(hyla_matrix_gather(cube, y, z, .true.), 'gather')
    if (hyla_cube_address(cube) >= 0) &
      call expect(maxval(abs(z - matmul(transpose(full), u))) < 1e-12, 'gemv: the product')
    call must(hyla_matrix_destroy(y), 'destroy')
    call must(hyla_matrix_destroy(x), 'destroy')
    call must(hyla_matrix_destroy(a), 'destroy')
  end subroutine

  ! A full rank, with and without pivots, and one column twice.
  subroutine squares()
    integer, parameter :: m = 17, n = 5
    type(hyla_matrix) :: a, b, x
    type(hyla_lstsq_report) :: report, pivoted
    real(c_double), target :: full(m, n), known(n, 2), found(n, 2)
    integer :: i, j
    do j = 1, n
      full(:, j) = [(cos(real(i * j, c_double)), i = 1, m)]
      known(j, :) = [real(j, c_double), -1.0_c_double]
    end do
    call make(HYLA_DOUBLE, m, n, a)
    call make(HYLA_DOUBLE, m, 2, b)
    call make(HYLA_DOUBLE, n, 2, x)
    call must(hyla_matrix_scatter(cube, full, a), 'scatter')
    call must(hyla_matrix_scatter(cube, matmul(full, known), b), 'scatter')
    call must(hyla_lstsq(cube, a, b, x), 'lstsq')
    call must(hyla_matrix_gather(cube, x, found, .true.), 'gather')
    if (hyla_cube_address(cube) >= 0) &
      call expect(maxval(abs(found - known)) < 1e-12, 'lstsq: the solution')
    call must(hyla_lstsq(cube, a, b, x, report, extended=.true., variant='householder'), 'lstsq, extended')
    call expect(report%rank == n .and. report%variant == 'householder' .and. report%pivoting == '' .and. &
      report%residual < 1e-14 .and. report%rcond > 1e-3 .and. report%refinements >= 1, 'lstsq: the report')
    full(:, n) = full(:, 1)
    call must(hyla_matrix_scatter(cube, full, a), 'scatter')
    call must(hyla_lstsq(cube, a, b, x, pivoted, method=HYLA_LSTSQ_PIVOTED, rcond=1e-10_c_double, &
      pivoting='classic'), 'lstsq, pivoted')
    call expect(pivoted%rank == n - 1 .and. pivoted%pivoting == 'classic' .and. &
      pivoted%tolerance == 1e-10_c_double .and. pivoted%backward_error < 1e-14, 'lstsq: the rank')
    call expect(hyla_lstsq(cube, a, b, x, rcond=2.0_c_double) == HYLA_ARGUMENT, 'lstsq: a wrong tolerance')
    call must(hyla_matrix_destroy(x), 'destroy')
    call must(hyla_matrix_destroy(b), 'destroy')
    call must(hyla_matrix_destroy(a), 'destroy')
  end subroutine

  subroutine systems()
    integer, parameter :: n = 31
    type(hyla_matrix) :: a, b, x
    type(hyla_factor) :: factor
    type(hyla_solve_report) :: report, mixed
    integer(c_int64_t) :: pivot
    integer(c_int) :: status
    real(c_double) :: residual, norm, rcond, values(2), again(2)
    call make(HYLA_DOUBLE_COMPLEX, n, n, a)
    call make(HYLA_DOUBLE_COMPLEX, n, 2, b)
    call make(HYLA_DOUBLE_COMPLEX, n, 2, x)
    call must(hyla_matrix_generate(cube, a, HYLA_RANDOM, 1_c_int64_t), 'generate')
    call must(hyla_matrix_generate(cube, b, HYLA_RANDOM, 2_c_int64_t), 'generate')
    call must(hyla_solve(cube, a, b, x, pivot), 'solve')
    call must(hyla_residual(cube, a, x, b, residual), 'residual')
    call expect(residual > 0 .and. residual < 1 .and. pivot == 0, 'solve: the residual')
    call must(hyla_svd(cube, b, values), 'svd')
    call must(hyla_svd(cube, b, again, left=x), 'svd with vectors')
    call expect(values(1) >= values(2) .and. values(2) > 0 .and. all(values == again), 'singular values')
    call must(hyla_solve_expert(cube, a, b, x, report, refinement=HYLA_REFINE_FIXED, variant='partial'), &
      'solve_expert')
    call expect(report%reliable .and. report%variant == 'partial' .and. report%method == HYLA_LU &
      .and. report%residual < 1 .and. report%growth >= 1 .and. report%refinements >= 0 .and. &
      report%backward_error < 1e-14 .and. report%componentwise_error < 1e-14 .and. &
      report%forward_bound < 1e-10 .and. report%pivot == 0, 'the report')
    call must(hyla_solve_expert(cube, a, b, x, mixed, refinement=HYLA_REFINE_MIXED), 'solve_expert, mixed')
    call expect(mixed%reliable .and. mixed%fallback == '' .and. report%fallback == '' .and. &
      mixed%refinements >= 1 .and. mixed%componentwise_error < 1e-14, 'the report of mixed refinement')
    call must(hyla_solve_expert(cube, a, b, x, mixed, refinement=HYLA_REFINE_MIXED_EXTENDED), &
      'solve_expert, mixed and extended')
    call expect(mixed%reliable .and. mixed%fallback == '' .and. mixed%forward_bound < 1e-14, &
      'the report of extended refinement')
    call must(hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE_COMPLEX, int(n, c_int64_t), 2_c_int64_t, factor), &
      'factor_create')
    call must(hyla_factor_compute(cube, factor, a), 'factor_compute')
    call must(hyla_factor_solve(cube, factor, HYLA_NONE, b, x), 'factor_solve')
    call must(hyla_residual(cube, a, x, b, residual), 'residual')
    call expect(residual < 1, 'factor: the residual')
    call must(hyla_matrix_norm(cube, a, HYLA_NORM_ONE, norm), 'norm')
    call must(hyla_factor_condition(cube, factor, norm, rcond), 'condition')
    call expect(abs(rcond - report%rcond) < 1e-6 * rcond, 'condition: as in the report')
    call must(hyla_matrix_set(cube, a, 1_c_int64_t, 1_c_int64_t, (1e200_c_double, 0.0_c_double)), 'set')
    call must(hyla_solve_expert(cube, a, b, x, mixed, refinement=HYLA_REFINE_FIXED, equilibrate=.true.), &
      'solve_expert, equilibrated')
    call expect(mixed%equilibrated .and. mixed%reliable .and. .not. report%equilibrated, &
      'the report of equilibration')
    call must(hyla_matrix_generate(cube, a, HYLA_ONES), 'generate')
    call expect(hyla_factor_compute(cube, factor, a) == HYLA_SINGULAR, 'a singular matrix')
    call expect(hyla_factor_pivot(factor) == 2 .and. index(hyla_cube_message(cube), 'pivot 2') > 0, 'pivot')
    call must(hyla_factor_destroy(factor), 'factor_destroy')
    status = hyla_solve_expert(cube, a, b, x, report, method=HYLA_CHOLESKY)
    call expect(status == HYLA_INDEFINITE .and. report%pivot == 2, 'solve_expert: Cholesky')
    call expect(hyla_solve(cube, a, b, x, pivot) == HYLA_SINGULAR .and. pivot == 2, 'solve: the pivot')
    status = hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 5_c_int64_t, one, factor, variant='none')
    call expect(status == HYLA_ARGUMENT .and. index(hyla_cube_message(cube), "'none'") > 0, 'a variant')
    call must(hyla_matrix_destroy(x), 'destroy')
    call must(hyla_matrix_destroy(b), 'destroy')
    call must(hyla_matrix_destroy(a), 'destroy')
  end subroutine

  ! Rank x has 100 x + y for rank y; of the second matrix 10000 more.
  subroutine messages()
    type(hyla_message) :: message
    type(hyla_plan) :: plan
    integer :: me, ranks, x
    integer, allocatable :: send(:, :), found(:, :)
    logical, allocatable :: active(:)
    me = hyla_cube_address(cube)
    ranks = hyla_cube_nodes(cube)
    message%count = 1
    message%size = storage_size(me) / 8
    allocate (send(0:ranks - 1, 2), found(0:ranks - 1, 2), active(0:ranks - 1))
    active = [(mod(x, 2) == 0, x=0, ranks - 1)]
    send(:, 1) = [(100 * me + x, x=0, ranks - 1)]
    send(:, 2) = send(:, 1) + 10000
    call must(hyla_partial_exchange_plan(cube, message, active, plan), 'partial exchange: plan')
    found = -1
    call must(hyla_plan_run_on(cube, plan, send, found), 'partial exchange')
    if (me >= 0) call expect(all(merge(found(:, 1) == [(100 * x + me, x=0, ranks - 1)], &
      found(:, 1) == -1 .or. [(x == me, x=0, ranks - 1)], active)), 'partial exchange: messages')
    call must(hyla_plan_destroy(plan), 'plan_destroy')
    message%variant = 'v92'
    call must(hyla_partial_gather_plan(cube, message, active, plan), 'partial gather: plan')
    found = -1
    call must(hyla_plan_run_on(cube, plan, send, found), 'partial gather')
    if (me >= 0) call expect(.not. active(max(me, 0)) .or. &
      all(found(:, 1) == [(100 * x + me, x=0, ranks - 1)]), 'partial gather: messages')
    call must(hyla_plan_destroy(plan), 'plan_destroy')
    message%variant = 'none'
    call expect(hyla_partial_gather_plan(cube, message, active, plan) == HYLA_ARGUMENT, 'a variant')
    deallocate (message%variant)
    if (ranks > 1) call expect(hyla_partial_gather_plan(cube, message, active(1:), plan) == &
      HYLA_ARGUMENT, 'a flag too few')
    call must(hyla_window_plan(cube, message, hyla_cube_dims(cube), plan), 'window: plan')
    call must(hyla_plan_run_on(cube, plan, send(0:0, 1), found), 'window')
    if (me >= 0) call expect(all(found(:, 1) == [(100 * x, x=0, ranks - 1)]), 'window: messages')
    call must(hyla_plan_destroy(plan), 'plan_destroy')
    call bands(message, send, ranks, me)
  end subroutine

  ! A band as wide as the circle: all of them.
  subroutine bands(message, send, ranks, me)
    type(hyla_message), intent(in) :: message
    integer, intent(in) :: ranks, me, send(0:ranks - 1, 2)
    type(hyla_plan) :: plan
    integer :: x, b, found(0:ranks - 1, 2)
    b = max(0, hyla_cube_dims(cube) - 1)
    call must(hyla_exchange_bands_plan(cube, message, b, 2, plan), 'exchange of bands: plan')
    found(:, 1) = [(100 * x + me, x=0, ranks - 1)]
    found(:, 2) = -1
    call must(hyla_plan_run_on(cube, plan, send, found), 'exchange of bands')
    if (me >= 0) call expect(all(found(:, 2) == [(10000 + 100 * x + me, x=0, ranks - 1)] .or. &
      [(x == me, x=0, ranks - 1)]), 'exchange of bands: messages')
    call must(hyla_plan_destroy(plan), 'plan_destroy')
    call must(hyla_broadcast_bands_plan(cube, message, b, 2, plan), 'broadcast of bands: plan')
    call must(hyla_plan_run_on(cube, plan, send(0, :), found), 'broadcast of bands')
    if (me >= 0) call expect(all(found(:, 2) == [(10000 + 100 * x, x=0, ranks - 1)] .or. &
      [(x == me, x=0, ranks - 1)]), 'broadcast of bands: messages')
    call must(hyla_plan_destroy(plan), 'plan_destroy')
  end subroutine

  ! P A = L U of a rectangle, the rows of A in the order of P.
  subroutine triangles(m, n)
    integer, intent(in) :: m, n
    type(hyla_matrix) :: a, l, u
    type(hyla_factor) :: factor
    integer(c_int64_t) :: rows(m + 1), few(m - 1)
    real(c_double) :: whole(m, n), lower(m, min(m, n)), upper(min(m, n), n)
    integer :: i
    logical :: node
    node = hyla_cube_address(cube) >= 0
    call make(HYLA_DOUBLE, m, n, a)
    call make(HYLA_DOUBLE, m, min(m, n), l)
    call make(HYLA_DOUBLE, min(m, n), n, u)
    call must(hyla_matrix_generate(cube, a, HYLA_RANDOM, 3_c_int64_t), 'generate')
    call must(hyla_factor_create_rectangular(cube, HYLA_LU, HYLA_DOUBLE, int(m, c_int64_t), &
      int(n, c_int64_t), 0_c_int64_t, factor, variant='partial'), 'create_rectangular')
    call expect(hyla_factor_lower(cube, factor, l) == HYLA_ARGUMENT, 'lower before compute')
    call must(hyla_factor_compute(cube, factor, a), 'compute a rectangle')
    call must(hyla_factor_lower(cube, factor, l), 'lower')
    call must(hyla_factor_upper(cube, factor, u), 'upper')
    rows = -1
    call must(hyla_factor_permutation(cube, factor, rows), 'permutation')
    call expect(all([(any(rows(:m) == i), i=1, m)]) .and. rows(m + 1) == -1, 'rows from 1 to m')
    call expect(hyla_factor_permutation(cube, factor, few) == HYLA_ARGUMENT, 'a small array of rows')
    call must(hyla_matrix_gather(cube, a, whole, .true.), 'gather a')
    call must(hyla_matrix_gather(cube, l, lower, .true.), 'gather l')
    call must(hyla_matrix_gather(cube, u, upper, .true.), 'gather u')
    if (node) then
      call expect(all([(abs(lower(i, i) - 1) < 1e-15, i=1, min(m, n))]), 'ones on the diagonal')
      call expect(all([(all(lower(:i - 1, i) == 0), i=1, min(m, n))]), 'zeros above it')
      call expect(all([(all(upper(i + 1:, i) == 0), i=1, min(m, n))]), 'zeros below that of u')
      call expect(maxval(abs(matmul(lower, upper) - whole(rows(:m), :))) < 1e-14, 'P A = L U')
    end if
    call must(hyla_factor_destroy(factor), 'factor_destroy')
    call must(hyla_matrix_destroy(u), 'destroy')
    call must(hyla_matrix_destroy(l), 'destroy')
    call must(hyla_matrix_destroy(a), 'destroy')
  end subroutine
end program fortran
