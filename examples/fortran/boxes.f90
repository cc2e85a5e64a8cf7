! Localised functions, each on a box of grid points: boxes are added to a grid that is distributed by planes, and
! values of the grid are extracted into boxes. The cell is periodic.
!
!     mpirun -n 3 boxes_fortran
program boxes_on_a_grid
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use wavegrid
  implicit none
  integer, parameter :: grid(3) = [24, 20, 18], plane = 20*18
  type(wavegrid_boxes) :: boxes
  type(wavegrid_box) :: mine(2)
  integer(int64) :: first, end, i
  real(real64), allocatable :: density(:, :), values(:)
  real(real64) :: electrons
  integer :: rank, ranks

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  first = grid(1)*rank/ranks
  end = grid(1)*(rank + 1)/ranks
  mine(1) = wavegrid_box(begin=[7*rank - 3, 0, -2], size=[8, 9, 10]) ! grid points count from 0
  mine(2) = wavegrid_box(begin=[7*rank - 3, 5, -2], size=[8, 9, 10])
  ! The point (x, y, z) has the number (x ny + y) nz + z. Once:
  call boxes%create(MPI_COMM_WORLD%mpi_val, grid, [(i, i=first*plane, end*plane - 1)], mine)

  ! One electron in each box, constant within it.
  allocate (density((end - first)*plane, 1), values(boxes%size())) ! the last index: several fields together
  density = 0
  values = 1.0_real64/product(mine(1)%size)
  call boxes%deposit(values, density) ! many times
  call boxes%extract(density, values)

  electrons = sum(density)
  call MPI_Allreduce(MPI_IN_PLACE, electrons, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a,f10.6,a,i0,a)', "boxes: ", electrons, " electrons on ", ranks, " ranks"
  call boxes%destroy()
  call MPI_Finalize()
  if (abs(electrons - 2*ranks) > 1e-12_real64*ranks) error stop 1
end program boxes_on_a_grid
