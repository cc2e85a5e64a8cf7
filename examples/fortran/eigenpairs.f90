! The lowest eigenpairs of a program's own operator: a particle on a ring, H = -1/2 d2/dx2 by differences of second
! order, on points that are distributed over the ranks. Its eigenvalues are 0, 1/2, 1/2, 2, ...
!
!     mpirun -n 3 eigenpairs_fortran
module ring
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use wavegrid
  implicit none
  integer(int64), parameter :: points = 201
  real(real64), parameter :: spacing = 2*acos(-1.0_real64)/points
  integer(int64) :: first, rows ! this rank's points, numbered from 0: first, first + 1, ...
  type(wavegrid_halo) :: halo   ! two ghosts: the points before and after them

contains

  !> y = H x for a block of vectors.
  subroutine apply(x, y)
    real(real64), intent(in) :: x(:, :)
    real(real64), intent(out) :: y(:, :)
    real(real64) :: all(size(x, 2), rows + 2) ! vectors side by side; own points, then the ghosts
    integer(int64) :: n, before, after
    all(:, :rows) = transpose(x)
    call halo%fill(all)
    do n = 1, rows
      before = merge(rows + 1, n - 1, n == 1)
      after = merge(rows + 2, n + 1, n == rows)
      y(n, :) = (all(:, n) - 0.5_real64*(all(:, before) + all(:, after)))/spacing**2
    end do
  end subroutine

end module ring

program eigenpairs
  use mpi_f08
  use ring
  implicit none
  type(wavegrid_eigen_report) :: report
  real(real64) :: values(4)
  real(real64), allocatable :: vectors(:, :)
  integer(int64) :: i
  integer :: rank, ranks

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  first = points*rank/ranks
  rows = points*(rank + 1)/ranks - first
  call halo%create(MPI_COMM_WORLD%mpi_val, [(first + i, i=0, rows - 1)], modulo([first - 1, first + rows], points))

  allocate (vectors(rows, size(values)))
  call wavegrid_lowest_eigenpairs(MPI_COMM_WORLD%mpi_val, apply, values, vectors, report, weight=spacing)
  if (rank == 0) print '(4f10.6,a,i0,a)', values, ", ", report%applications, " applications of H"
  call halo%destroy()
  call MPI_Finalize()
  if (report%converged == 0 .or. any(abs(values - [0.0, 0.5, 0.5, 2.0]) > 0.001)) error stop 1
end program eigenpairs
