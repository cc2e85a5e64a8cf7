! Uses the installed Fortran module and libraries, and the MPI that comes with them: the link line must be complete.
program main
  use mpi_f08
  use wavegrid
  implicit none
  double precision, parameter :: cell(3, 3) = reshape([10, 0, 0, 0, 10, 0, 0, 0, 10]*1d0, [3, 3])
  type(wavegrid_sphere) :: sphere
  integer :: ranks
  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call sphere%create(cell, 4d0, [16, 16, 16], wavegrid_mode_gamma)
  print '(i0,3a)', sphere%size(), " plane waves, wavegrid ", wavegrid_version(), " from Fortran"
  if (sphere%size() < 1 .or. ranks /= 1) error stop 1
  call sphere%destroy()
  call MPI_Finalize()
end program
