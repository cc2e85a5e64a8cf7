! Eigenpairs of operators with all options, halos in all kinds, tuples and stick maps through the Fortran module.
module matrix
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer(int64) :: first

contains

  !> diag(i) and i/10 between neighbours of one rank.
  subroutine hamiltonian(x, y)
    complex(real64), intent(in) :: x(:, :)
    complex(real64), intent(out) :: y(:, :)
    complex(real64), parameter :: coupling = (0.0_real64, 0.1_real64)
    integer :: i
    do i = 1, size(x, 1)
      y(i, :) = (first + i - 1)*x(i, :)
      if (i > 1) y(i, :) = y(i, :) + coupling*x(i - 1, :)
      if (i < size(x, 1)) y(i, :) = y(i, :) - coupling*x(i + 1, :)
    end do
  end subroutine

  subroutine twice(x, y)
    complex(real64), intent(in) :: x(:, :)
    complex(real64), intent(out) :: y(:, :)
    y = 2*x
  end subroutine

  subroutine inverse(x, y)
    complex(real64), intent(in) :: x(:, :)
    complex(real64), intent(out) :: y(:, :)
    integer :: i
    do i = 1, size(x, 1)
      y(i, :) = x(i, :)/(first + i)
    end do
  end subroutine

end module matrix

program test_operators
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real32, real64
  use mpi
  use wavegrid
  use matrix
  implicit none
  integer :: ranks, rank, code, failures = 0

  call MPI_Init(code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call eigenpairs()
  call halos()
  call tuples()
  call stick_map()
  call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  if (rank == 0) print '(i0,a)', failures, " failures"
  call MPI_Finalize(code)
  if (failures /= 0) error stop 1

contains

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    write (error_unit, '(a,i0,2a)') "rank ", rank, ": ", what
    failures = failures + 1
  end subroutine

  !> The last of several ranks has no rows.
  subroutine eigenpairs()
    integer, parameter :: order = 61
    type(wavegrid_eigen_report) :: report
    real(real64) :: values(4), halves(4)
    real(real64), allocatable :: diagonal(:)
    complex(real64), allocatable :: vectors(:, :)
    integer(int64) :: rows
    integer :: filled, i, status
    character(200) :: message
    filled = max(ranks - 1, 1)
    first = order*min(rank, filled)/filled
    rows = order*min(rank + 1, filled)/filled - first
    allocate (vectors(rows, 4))
    call wavegrid_lowest_eigenpairs(MPI_COMM_WORLD, hamiltonian, values, vectors, report)
    call expect(report%converged == 1 .and. all(abs(values - [0, 1, 2, 3]) < 0.03), "defaults")
    diagonal = [(real(first + i - 1, real64), i=1, int(rows))]
    call wavegrid_lowest_eigenpairs(MPI_COMM_WORLD, hamiltonian, halves, vectors, report, overlap=twice, &
        diagonal=diagonal, weight=0.5_real64, solver="davidson", tolerance=1e-10_real64, max_rounds=100)
    call expect(report%converged == 1 .and. all(abs(2*halves - values) < 1e-6_real64), "an overlap and a diagonal")
    call wavegrid_lowest_eigenpairs(MPI_COMM_WORLD, hamiltonian, halves, vectors, report, overlap=twice, &
        precondition=inverse, num_start=4)
    call expect(report%converged == 1 .and. all(abs(2*halves - values) < 1e-6_real64), "a preconditioner")
    call wavegrid_lowest_eigenpairs(MPI_COMM_WORLD, hamiltonian, values, vectors, report, solver="qr", &
        status=status, message=message)
    call expect(status == wavegrid_bad_input .and. index(message, "unknown eigensolver 'qr'") > 0, message)
  end subroutine

  subroutine halos()
    type(wavegrid_halo) :: halo
    integer(int64), allocatable :: own(:)
    integer(int64) :: ghosts(1), i, n
    real(real32), allocatable :: r4(:, :)
    real(real64), allocatable :: r8(:, :)
    complex(real64), allocatable :: c8(:, :)
    real(real64) :: total
    integer :: status
    character(200) :: message
    own = [(i, i=rank, 16, ranks)]
    n = size(own)
    ghosts = modulo(own(n) + 1, 17_int64)
    call halo%create(MPI_COMM_WORLD, own, ghosts)
    allocate (r4(2, n + 1), r8(3, n + 1), c8(1, n + 1))
    r4(1, :n) = real(own, real32)
    r4(2, :n) = -r4(1, :n)
    call halo%fill(r4)
    call expect(nint(r4(1, n + 1)) == ghosts(1) .and. nint(r4(2, n + 1)) == -ghosts(1), "fill in single precision")
    c8(1, :n) = cmplx(own, 1, real64)
    call halo%fill(c8)
    call expect(abs(c8(1, n + 1) - cmplx(ghosts(1), 1, real64)) < 1e-15_real64, "fill complex numbers")
    r8 = 1
    call halo%add(r8)
    total = sum(r8(:, :n))
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
    call expect(nint(total) == 3*(17 + ranks), "add")
    call halo%fill(r8(:, :n), status, message)
    call expect(status == wavegrid_bad_input .and. index(message, "the plan needs") > 0, message)
    call halo%create(MPI_COMM_WORLD, own, [17_int64], status=status, message=message)
    call expect(status == wavegrid_bad_input .and. index(message, "17") > 0, message)
  end subroutine

  subroutine tuples()
    type(wavegrid_plan) :: plan
    type(wavegrid_exchange) :: exchange
    integer(int64), allocatable :: mine(:)
    integer(int64) :: i
    real(real64), allocatable, target, asynchronous :: source(:, :), target(:, :)
    mine = [(i, i=rank, 16, ranks)]
    call plan%create(MPI_COMM_WORLD, mine, mine(size(mine):1:-1))
    allocate (source(2*size(mine), 1), target(2*size(mine), 1))
    source(1::2, 1) = real(mine, real64)
    source(2::2, 1) = mine + 0.5_real64
    call plan%start(wavegrid_forward, source, target, exchange, width=2)
    call exchange%wait()
    call expect(all(nint(2*target(1::2, 1)) == 2*mine(size(mine):1:-1)), "first of each pair")
    call expect(all(nint(2*target(2::2, 1)) == 2*mine(size(mine):1:-1) + 1), "second of each pair")
  end subroutine

  subroutine stick_map()
    type(wavegrid_sphere) :: sphere
    type(wavegrid_partition) :: whole, partition
    real(real64), parameter :: cell(3, 3) = reshape([6, 0, 0, 0, 7, 0, 0, 0, 8]*1.0_real64, [3, 3])
    integer, allocatable :: g(:, :), owners(:, :)
    integer :: grid(3), i, y, z, status
    character(200) :: message
    call wavegrid_default_grid(cell, 2.0_real64, grid)
    call sphere%create(cell, 2.0_real64, grid, wavegrid_mode_complex)
    call whole%create(sphere, "greedy", 1)
    call whole%g(0, g)
    allocate (owners(0:grid(2) - 1, 0:grid(3) - 1))
    owners = -1
    do i = 1, size(g, 2)
      y = modulo(g(2, i), grid(2))
      z = modulo(g(3, i), grid(3))
      owners(y, z) = modulo(y + z, ranks)
    end do
    call partition%create_from_sticks(sphere, owners, ranks)
    call partition%g(rank, g)
    call expect(all(modulo(modulo(g(2, :), grid(2)) + modulo(g(3, :), grid(3)), ranks) == rank), "own sticks")
    call partition%create_from_sticks(sphere, owners(:, 1:1), ranks, status, message)
    call expect(status == wavegrid_bad_input .and. index(message, "owners has") > 0, message)
  end subroutine

end program test_operators
