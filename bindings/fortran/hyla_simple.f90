! A linear system in one call, for programs that have it in arrays as for LAPACK:
!
!   call hyla_dgesv(n, nrhs, a, b)
!
! in the place of call dgesv(n, nrhs, a, n, ipiv, b, n, info).  Collective: all ranks of the
! communicator make the call, with the same n and nrhs.  MPI has been started.
!   a     n x n, not changed; b: n x nrhs, or n alone, becomes the solution; both read on rank 0
!         alone.  If all ranks have b, all get the solution.  If rank 0 alone has arrays, the others
!         pass arrays that are not allocated, or of size 0.
!   info  as of LAPACK: 0; the column of the first pivot that failed; n + 1: the solution cannot be
!         trusted; below 0: minus the status in hyla.h.  Without info a program whose info would not
!         be 0 stops on all ranks, with the message: it cannot go on with a wrong answer unawares.
!   comm  by default MPI_COMM_WORLD; the integer of module mpi, or comm%mpi_val of mpi_f08's
! hyla_sgesv, _dgesv, _cgesv, _zgesv solve by LU; hyla_sposv, _dposv, _cposv, _zposv by Cholesky, for a
! Hermitian positive definite, whose both triangles are given.
!
!   call hyla_dsyev('L', n, a, w, z)
!
! finds the eigenvalues w, ascending, of a symmetric or (hyla_cheev, hyla_zheev) Hermitian a, and its
! vectors, the columns of z; without z the values alone.
!   uplo  'L' or 'U': the triangle of a that is read, on rank 0 alone
!   w     n numbers on every rank, double precision for all types
!   z     as b above; info n + 1: values and vectors cannot be trusted
module hyla_simple
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08, only: MPI_Comm, MPI_COMM_WORLD, MPI_Barrier, MPI_Comm_rank, MPI_Finalize
  use hyla_constants
  use hyla, only: HYLA_LU, HYLA_CHOLESKY
  implicit none
  private
  public :: hyla_ssyev, hyla_dsyev, hyla_cheev, hyla_zheev
  public :: hyla_sgesv, hyla_dgesv, hyla_cgesv, hyla_zgesv, hyla_sposv, hyla_dposv, hyla_cposv, hyla_zposv

  type, bind(C) :: c_answer
    integer(c_int64_t) :: info
    real(c_double) :: rcond, forward_bound
    character(kind=c_char) :: message(512)
  end type c_answer

  interface
    integer(c_int) function c_solve_arrays(comm, method, type, n, nrhs, a, b, answer) &
        bind(C, name='hyla_solve_arrays_f')
      import
      integer(c_int), intent(in) :: comm
      integer(c_int), value :: method, type
      integer(c_int64_t), value :: n, nrhs
      type(c_ptr), value :: a, b
      type(c_answer), intent(out) :: answer
    end function
    integer(c_int) function c_eigen_arrays(comm, triangle, type, n, a, values, vectors, answer) &
        bind(C, name='hyla_eigen_arrays_f')
      import
      integer(c_int), intent(in) :: comm
      integer(c_int), value :: triangle, type
      integer(c_int64_t), value :: n
      type(c_ptr), value :: a, vectors
      real(c_double), intent(out) :: values(*)
      type(c_answer), intent(out) :: answer
    end function
  end interface

contains

  ! An array's address; of one with fewer entries than the call reads, and of none, none.
  function place(array, entries) result(at)
    type(*), intent(in), target, contiguous, optional :: array(..)
    integer(c_int64_t), intent(in) :: entries
    type(c_ptr) :: at
    at = c_null_ptr
    if (.not. present(array)) return
    if (size(array, kind=c_int64_t) >= max(entries, 1_c_int64_t)) at = c_loc(array)
  end function

  subroutine solve(name, method, type, n, nrhs, a, b, info, comm)
    character(len=*), intent(in) :: name
    integer(c_int), intent(in) :: method, type
    integer, intent(in) :: n, nrhs
    type(c_ptr), intent(in) :: a, b
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    type(c_answer) :: answer
    type(MPI_Comm) :: ranks
    integer(c_int) :: status
    ranks = ranks_of(comm)
    status = c_solve_arrays(ranks%mpi_val, method, type, int(n, c_int64_t), int(nrhs, c_int64_t), a, b, answer)
    call finish(name, status, ranks, answer, info)
  end subroutine

  subroutine find_spectrum(name, type, uplo, n, a, w, z, info, comm)
    character(len=*), intent(in) :: name
    integer(c_int), intent(in) :: type
    character, intent(in) :: uplo
    integer, intent(in) :: n
    type(c_ptr), intent(in) :: a, z
    real(c_double), intent(out) :: w(*)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    type(c_answer) :: answer
    type(MPI_Comm) :: ranks
    integer(c_int) :: status
    ranks = ranks_of(comm)
    status = c_eigen_arrays(ranks%mpi_val, merge(HYLA_UPPER, HYLA_LOWER, uplo == 'U' .or. uplo == 'u'), type, &
      int(n, c_int64_t), a, w, z, answer)
    call finish(name, status, ranks, answer, info)
  end subroutine

  function ranks_of(comm) result(ranks)
    integer, intent(in), optional :: comm
    type(MPI_Comm) :: ranks
    ranks = MPI_COMM_WORLD
    if (present(comm)) ranks%mpi_val = comm
  end function

  subroutine finish(name, status, ranks, answer, info)
    character(len=*), intent(in) :: name
    integer(c_int), intent(in) :: status
    type(MPI_Comm), intent(in) :: ranks
    type(c_answer), intent(in) :: answer
    integer, intent(out), optional :: info
    if (present(info)) then
      info = int(answer%info)
    else if (status /= HYLA_OK) then
      call stop_all(name, status, ranks, answer)
    end if
  end subroutine

  ! All ranks are here.  If messages still arrive, the program ends as others do.
  subroutine stop_all(name, status, ranks, answer)
    character(len=*), intent(in) :: name
    integer(c_int), intent(in) :: status
    type(MPI_Comm), intent(in) :: ranks
    type(c_answer), intent(in) :: answer
    integer :: rank, i
    rank = 0
    if (status < HYLA_COMMUNICATION .or. status > HYLA_BROKEN) call MPI_Comm_rank(ranks, rank)
    if (rank == 0) then
      write (error_unit, '(2a)', advance='no') name, ': '
      do i = 1, size(answer%message)
        if (answer%message(i) == c_null_char) exit
        write (error_unit, '(a)', advance='no') answer%message(i)
      end do
      write (error_unit, '(a)') ''
      flush (error_unit)
    end if
    if (status < HYLA_COMMUNICATION .or. status > HYLA_BROKEN) then
      call MPI_Barrier(ranks)
      call MPI_Finalize()
    end if
    stop 1
  end subroutine

  subroutine hyla_sgesv(n, nrhs, a, b, info, comm)
    integer, intent(in) :: n, nrhs
    real(c_float), intent(in), target, contiguous, optional :: a(..)
    real(c_float), intent(inout), target, contiguous, optional :: b(..)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    call solve('hyla_sgesv', HYLA_LU, HYLA_FLOAT, n, nrhs, &
      place(a, int(n, c_int64_t)**2), place(b, int(n, c_int64_t) * nrhs), info, comm)
  end subroutine

  subroutine hyla_dgesv(n, nrhs, a, b, info, comm)
    integer, intent(in) :: n, nrhs
    real(c_double), intent(in), target, contiguous, optional :: a(..)
    real(c_double), intent(inout), target, contiguous, optional :: b(..)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    call solve('hyla_dgesv', HYLA_LU, HYLA_DOUBLE, n, nrhs, &
      place(a, int(n, c_int64_t)**2), place(b, int(n, c_int64_t) * nrhs), info, comm)
  end subroutine

  subroutine hyla_cgesv(n, nrhs, a, b, info, comm)
    integer, intent(in) :: n, nrhs
    complex(c_float_complex), intent(in), target, contiguous, optional :: a(..)
    complex(c_float_complex), intent(inout), target, contiguous, optional :: b(..)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    call solve('hyla_cgesv', HYLA_LU, HYLA_COMPLEX, n, nrhs, &
      place(a, int(n, c_int64_t)**2), place(b, int(n, c_int64_t) * nrhs), info, comm)
  end subroutine

  subroutine hyla_zgesv(n, nrhs, a, b, info, comm)
    integer, intent(in) :: n, nrhs
    complex(c_double_complex), intent(in), target, contiguous, optional :: a(..)
    complex(c_double_complex), intent(inout), target, contiguous, optional :: b(..)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    call solve('hyla_zgesv', HYLA_LU, HYLA_DOUBLE_COMPLEX, n, nrhs, &
      place(a, int(n, c_int64_t)**2), place(b, int(n, c_int64_t) * nrhs), info, comm)
  end subroutine

  subroutine hyla_sposv(n, nrhs, a, b, info, comm)
    integer, intent(in) :: n, nrhs
    real(c_float), intent(in), target, contiguous, optional :: a(..)
    real(c_float), intent(inout), target, contiguous, optional :: b(..)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    call solve('hyla_sposv', HYLA_CHOLESKY, HYLA_FLOAT, n, nrhs, &
      place(a, int(n, c_int64_t)**2), place(b, int(n, c_int64_t) * nrhs), info, comm)
  end subroutine

  subroutine hyla_dposv(n, nrhs, a, b, info, comm)
    integer, intent(in) :: n, nrhs
    real(c_double), intent(in), target, contiguous, optional :: a(..)
    real(c_double), intent(inout), target, contiguous, optional :: b(..)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    call solve('hyla_dposv', HYLA_CHOLESKY, HYLA_DOUBLE, n, nrhs, &
      place(a, int(n, c_int64_t)**2), place(b, int(n, c_int64_t) * nrhs), info, comm)
  end subroutine

  subroutine hyla_cposv(n, nrhs, a, b, info, comm)
    integer, intent(in) :: n, nrhs
    complex(c_float_complex), intent(in), target, contiguous, optional :: a(..)
    complex(c_float_complex), intent(inout), target, contiguous, optional :: b(..)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    call solve('hyla_cposv', HYLA_CHOLESKY, HYLA_COMPLEX, n, nrhs, &
      place(a, int(n, c_int64_t)**2), place(b, int(n, c_int64_t) * nrhs), info, comm)
  end subroutine

  subroutine hyla_zposv(n, nrhs, a, b, info, comm)
    integer, intent(in) :: n, nrhs
    complex(c_double_complex), intent(in), target, contiguous, optional :: a(..)
    complex(c_double_complex), intent(inout), target, contiguous, optional :: b(..)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    call solve('hyla_zposv', HYLA_CHOLESKY, HYLA_DOUBLE_COMPLEX, n, nrhs, &
      place(a, int(n, c_int64_t)**2), place(b, int(n, c_int64_t) * nrhs), info, comm)
  end subroutine

  subroutine hyla_ssyev(uplo, n, a, w, z, info, comm)
    character, intent(in) :: uplo
    integer, intent(in) :: n
    real(c_float), intent(in), target, contiguous, optional :: a(..)
    real(c_double), intent(out) :: w(*)
    real(c_float), intent(inout), target, contiguous, optional :: z(..)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    call find_spectrum('hyla_ssyev', HYLA_FLOAT, uplo, n, place(a, int(n, c_int64_t)**2), w, &
      place(z, int(n, c_int64_t)**2), info, comm)
  end subroutine

  subroutine hyla_dsyev(uplo, n, a, w, z, info, comm)
    character, intent(in) :: uplo
    integer, intent(in) :: n
    real(c_double), intent(in), target, contiguous, optional :: a(..)
    real(c_double), intent(out) :: w(*)
    real(c_double), intent(inout), target, contiguous, optional :: z(..)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    call find_spectrum('hyla_dsyev', HYLA_DOUBLE, uplo, n, place(a, int(n, c_int64_t)**2), w, &
      place(z, int(n, c_int64_t)**2), info, comm)
  end subroutine

  subroutine hyla_cheev(uplo, n, a, w, z, info, comm)
    character, intent(in) :: uplo
    integer, intent(in) :: n
    complex(c_float_complex), intent(in), target, contiguous, optional :: a(..)
    real(c_double), intent(out) :: w(*)
    complex(c_float_complex), intent(inout), target, contiguous, optional :: z(..)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    call find_spectrum('hyla_cheev', HYLA_COMPLEX, uplo, n, place(a, int(n, c_int64_t)**2), w, &
      place(z, int(n, c_int64_t)**2), info, comm)
  end subroutine

  subroutine hyla_zheev(uplo, n, a, w, z, info, comm)
    character, intent(in) :: uplo
    integer, intent(in) :: n
    complex(c_double_complex), intent(in), target, contiguous, optional :: a(..)
    real(c_double), intent(out) :: w(*)
    complex(c_double_complex), intent(inout), target, contiguous, optional :: z(..)
    integer, intent(out), optional :: info
    integer, intent(in), optional :: comm
    call find_spectrum('hyla_zheev', HYLA_DOUBLE_COMPLEX, uplo, n, place(a, int(n, c_int64_t)**2), w, &
      place(z, int(n, c_int64_t)**2), info, comm)
  end subroutine

end module hyla_simple
