! A first program in Fortran: A x = b from the program's own array, solved and checked.
!
!   mpifort fortran_solve.f90 $(pkg-config --cflags --libs hyla) -o fortran_solve
!   mpiexec -n 4 ./fortran_solve
program fortran_solve
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use hyla
  implicit none
  integer, parameter :: n = 200
  type(hyla_cube) :: cube
  type(hyla_matrix) :: a, b, x
  type(hyla_solve_report) :: report
  real(c_double), allocatable, target :: whole(:, :), answer(:, :)
  real(c_double) :: error
  integer(c_int) :: status
  integer :: i, j

  call MPI_Init()
  status = hyla_cube_create(MPI_COMM_WORLD, cube)

  ! All of A on node 0, and b such that x(i) = i; the other ranks need no memory for them.
  allocate (whole(0, 0), answer(0, 0))
  if (hyla_cube_address(cube) == 0) then
    deallocate (whole, answer)
    allocate (answer(n, 1))
    whole = reshape([((1.0_c_double / (1 + abs(i - j)), i=1, n), j=1, n)], [n, n])
    answer(:, 1) = matmul(whole, [(real(i, c_double), i=1, n)])
  end if

  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, a)
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, 1, b)
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, 1, x)
  if (status == HYLA_OK) status = hyla_matrix_scatter(cube, whole, a)
  if (status == HYLA_OK) status = hyla_matrix_scatter(cube, answer, b)
  if (status == HYLA_OK) status = hyla_solve_expert(cube, a, b, x, report)
  if (status == HYLA_OK) status = hyla_matrix_gather(cube, x, answer)

  if (hyla_cube_address(cube) == 0) then
    if (status /= HYLA_OK) then
      print '(2a)', 'fortran_solve: ', hyla_cube_message(cube)
    else
      error = maxval(abs(answer(:, 1) - [(i, i=1, n)]))
      print '(4a)', 'reliable: ', merge('yes', 'no ', report%reliable), ', solved by ', report%variant
      print '(a, es8.1)', 'largest error', error
    end if
  end if

  status = max(status, hyla_matrix_destroy(x))
  status = max(status, hyla_matrix_destroy(b))
  status = max(status, hyla_matrix_destroy(a))
  status = max(status, hyla_cube_destroy(cube))
  call MPI_Finalize()
  if (status /= HYLA_OK) stop 1
end program fortran_solve
