! The FFT on a program's own list of G-vectors, in its own order and distribution.
!
!     mpirun -n 3 g_vectors_fortran
program g_vectors
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use wavegrid
  implicit none
  integer, parameter :: grid(3) = [18, 20, 24], reach = 4, side = 2*reach + 1
  type(wavegrid_fft) :: fft
  integer, allocatable :: g(:, :)
  complex(real64), allocatable, target :: psi(:, :), back(:, :), values(:, :)
  real(real64) :: error
  integer :: rank, ranks, i, n, x, y, z

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! A cube of G-vectors, x fastest; every ranks-th one is on this rank.
  n = (side**3 - rank + ranks - 1)/ranks
  allocate (g(3, n))
  i = 0
  n = 0
  do z = -reach, reach
    do y = -reach, reach
      do x = -reach, reach
        if (modulo(i, ranks) == rank) then
          n = n + 1
          g(:, n) = [x, y, z]
        end if
        i = i + 1
      end do
    end do
  end do
  call fft%create_from_g(MPI_COMM_WORLD%mpi_val, grid, wavegrid_mode_complex, g) ! once

  allocate (psi(n, 1), back(n, 1), values(fft%grid_size(), 1)) ! the last index: bands; values: fft%grid_block()
  psi(:, 1) = 1/(1.0_real64 + sum(g**2, dim=1))
  call fft%to_real(psi, values)
  call fft%to_recip(values, back)

  error = maxval(abs(back - psi))
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0) print '(a,es8.1,a,i0,a)', "g_vectors: largest error ", error, " on ", ranks, " ranks"
  call fft%destroy()
  call MPI_Finalize()
  if (error > 1e-12_real64) error stop 1
end program g_vectors
