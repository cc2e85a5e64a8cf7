! A matrix that is distributed by columns is needed by rows: what MPI_Alltoallv does with packing, counts and offsets.
!
!     mpirun -n 3 transpose_fortran
program transposition
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use wavegrid
  implicit none
  integer(int64), parameter :: rows = 7, columns = 5
  type(wavegrid_plan) :: plan
  type(wavegrid_exchange) :: exchange
  integer(int64), allocatable :: have(:), need(:)
  real(real64), allocatable, target, asynchronous :: by_columns(:, :), by_rows(:, :)
  integer(int64) :: i, j
  integer :: rank, ranks, wrong

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! Element (i, j) has the number i + rows * j, from 0, on all ranks. Each rank says which numbers it has, and which it
  ! needs, in the order of its arrays.
  have = [((i + rows*j, i=0, rows - 1), j=columns*rank/ranks, columns*(rank + 1)/ranks - 1)]
  need = [((i + rows*j, j=0, columns - 1), i=rows*rank/ranks, rows*(rank + 1)/ranks - 1)] ! row by row
  call plan%create(MPI_COMM_WORLD%mpi_val, have, need) ! once

  allocate (by_columns(size(have), 1), by_rows(size(need), 1)) ! the last index: several matrices together
  by_columns(:, 1) = 0.5_real64*have
  call plan%start(wavegrid_forward, by_columns, by_rows, exchange) ! many times
  call exchange%wait() ! between start and wait: work on other arrays

  wrong = count(nint(2*by_rows(:, 1)) /= need)
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a,i0,a)', "transpose: ", wrong, " wrong values on ", ranks, " ranks"
  call plan%destroy()
  call MPI_Finalize()
  if (wrong /= 0) error stop 1
end program transposition
