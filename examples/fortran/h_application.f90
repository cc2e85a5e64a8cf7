! One application of H = -1/2 nabla^2 + V to plane waves, and an exchange forward and back, through the Fortran module.
!
! V(r) = 2 v cos(b1.r) couples G with G + b1 and G - b1, so that H applied to the one plane wave G is known:
!   (H psi)(G) = |G|^2/2,  (H psi)(G + b1) = (H psi)(G - b1) = v,  all else 0.
! Gamma mode: psi is real in space, one half of the sphere is stored, which contains either G or -G.
!
!     mpirun -n 3 h_application_fortran
program h_application
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use wavegrid
  implicit none

  integer :: ranks, rank, wrong
  real(real64) :: error
  logical :: good

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  error = error_of_h()
  wrong = astray()
  good = error < 1e-13_real64 .and. wrong == 0
  if (rank == 0) print '(4a,es8.1,a,i0,a)', merge("OK:   ", "WRONG:", good), " wavegrid ", wavegrid_version(), &
      " from Fortran, largest error of H psi", error, " Ha, ", wrong, " elements astray"
  call MPI_Finalize()
  if (.not. good) error stop 1

contains

  !> The largest error of H on two bands, G = (0, 0, 0) and G = (2, 1, 0), over all ranks.
  real(real64) function error_of_h() result(error)
    real(real64), parameter :: pi = acos(-1.0_real64)
    ! Lattice vectors as columns, bohr.
    real(real64), parameter :: cell(3, 3) = reshape([10, 0, 0, 0, 9, 1, 0, -1, 11]*1.0_real64, [3, 3])
    real(real64), parameter :: cutoff = 4, v = 0.25_real64 ! Ha
    integer, parameter :: bands = 2, waves(3, bands) = reshape([0, 0, 0, 2, 1, 0], [3, bands])
    type(wavegrid_sphere) :: sphere
    type(wavegrid_partition) :: partition
    type(wavegrid_fft) :: fft
    type(wavegrid_grid_block) :: block
    integer :: grid(3), b
    integer, allocatable :: g(:, :)               ! (3, plane waves)
    real(real64), allocatable :: kinetic(:)       ! (plane waves), Ha
    real(real64), allocatable, target :: potential(:) ! (nz, my y, my x), Ha
    complex(real64), allocatable :: psi(:, :), hpsi(:, :) ! (plane waves, bands)
    integer(int64) :: i, x, in_plane

    ! Sphere and layout: the same on all ranks.
    call wavegrid_default_grid(cell, cutoff, grid)
    call sphere%create(cell, cutoff, grid, wavegrid_mode_gamma)
    call partition%create(sphere, "balanced", ranks)
    call partition%g(rank, g)
    call partition%kinetic(rank, kinetic)

    ! The transform, and this rank's block of the grid.
    call fft%create(MPI_COMM_WORLD%mpi_val, partition)
    block = fft%grid_block()
    allocate (potential(fft%grid_size()))
    in_plane = (block%y_end - block%y_begin)*block%nz
    do x = block%x_begin, block%x_end - 1
      i = (x - block%x_begin)*in_plane
      potential(i + 1:i + in_plane) = 2*v*cos(2*pi*real(x, real64)/grid(1))
    end do

    allocate (psi(fft%size(), bands), hpsi(fft%size(), bands))
    do b = 1, bands
      psi(:, b) = waves_at(g, waves(:, b))
    end do
    call fft%apply_local(psi, potential, hpsi)
    error = 0
    do b = 1, bands
      hpsi(:, b) = hpsi(:, b) + kinetic*psi(:, b)
      hpsi(:, b) = hpsi(:, b) - kinetic*waves_at(g, waves(:, b)) &
          - v*(waves_at(g, waves(:, b) + [1, 0, 0]) + waves_at(g, waves(:, b) - [1, 0, 0]))
      error = max(error, maxval(abs(hpsi(:, b))))
    end do
    call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  end function ! sphere, partition and fft end here, on all ranks together

  !> 1 at one plane wave, 0 elsewhere.
  pure function waves_at(g, wave) result(ones)
    integer, intent(in) :: g(:, :), wave(3)
    real(real64) :: ones(size(g, 2))
    ones = merge(1.0_real64, 0.0_real64, g(1, :) == wave(1) .and. g(2, :) == wave(2) .and. g(3, :) == wave(3))
  end function

  !> Moves a block of bands from blocks to a cyclic layout and back; the number of wrong elements over all ranks.
  integer function astray() result(wrong)
    integer, parameter :: bands = 3, total = 101
    type(wavegrid_plan) :: plan
    type(wavegrid_exchange) :: exchange
    integer(int64) :: i
    integer :: b
    integer(int64), allocatable :: blocks(:), cyclic(:) ! the two layouts: global indices in local order
    real(real64), allocatable, target, asynchronous :: source(:, :), back(:, :), target(:, :)

    blocks = [(i, i=total*rank/ranks, total*(rank + 1)/ranks - 1)]
    cyclic = [(i, i=rank, total - 1, ranks)]
    call plan%create(MPI_COMM_WORLD%mpi_val, blocks, cyclic, transport="pairwise")

    ! Values encode their position: band * total + global index.
    allocate (source(size(blocks), bands), target(size(cyclic), bands))
    do b = 1, bands
      source(:, b) = real(b*total + blocks, real64)
    end do
    allocate (back, mold=source)

    call plan%start(wavegrid_forward, source, target, exchange)
    if (exchange%test()) continue ! call it now and then while working on other arrays: it lets MPI progress
    call exchange%wait()
    wrong = 0
    do b = 1, bands
      wrong = wrong + count(nint(target(:, b), int64) /= b*total + cyclic)
    end do

    back = 0
    call plan%start(wavegrid_backward, back, target, exchange)
    call exchange%wait()
    wrong = wrong + count(nint(back) /= nint(source))
    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  end function
end program
