! The Fortran module on any number of ranks: precisions, runs, statuses and messages, and finalisation.
program test_module
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real32, real64
  use mpi
  use wavegrid
  implicit none

  real(real64), parameter :: cell(3, 3) = reshape([8, 0, 0, 0, 9, 0, 1, 0, 7]*1.0_real64, [3, 3]) ! bohr, by columns
  integer :: ranks, rank, code, failures = 0

  call MPI_Init(code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call statuses()
  call gamma_in_single_precision()
  call complex_in_double_precision()
  call runs()
  call indices()
  call many_lives()
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

  !> Bad input, with a message that contains `part`.
  subroutine expect_bad(status, message, part)
    integer, intent(in) :: status
    character(*), intent(in) :: message, part
    call expect(status == wavegrid_bad_input .and. index(message, part) > 0, "expected '"//part//"', found: "// &
        trim(message))
  end subroutine

  subroutine make(sphere, partition, mode, scheme)
    type(wavegrid_sphere), intent(inout) :: sphere
    type(wavegrid_partition), intent(inout) :: partition
    integer, intent(in) :: mode
    character(*), intent(in) :: scheme
    integer :: grid(3)
    call wavegrid_default_grid(cell, 1.5_real64, grid)
    call sphere%create(cell, 1.5_real64, grid, mode)
    call partition%create(sphere, scheme, ranks)
  end subroutine

  subroutine statuses()
    type(wavegrid_sphere) :: sphere
    type(wavegrid_partition) :: partition
    type(wavegrid_plan) :: plan
    type(wavegrid_exchange) :: exchange
    type(wavegrid_fft) :: fft
    integer :: status
    character(200) :: message
    integer, allocatable :: g(:, :)
    complex(real64) :: psi(2, 1)
    real(real64) :: values(2, 1)
    real(real64), target, asynchronous :: a(6, 2), b(3, 2)

    call sphere%create(cell, -1.0_real64, [20, 20, 20], wavegrid_mode_gamma, status=status, message=message)
    call expect_bad(status, message, "cutoff")
    call expect(.not. sphere%is_made(), "a sphere that failed")
    call partition%create(sphere, "greedy", ranks, status, message)
    call expect_bad(status, message, "sphere is NULL")
    call make(sphere, partition, wavegrid_mode_gamma, "auto")
    call expect(len(partition%scheme()) > 0 .and. len(partition%reason()) > 0, "scheme and reason")
    call partition%g(ranks, g, status, message)
    call expect_bad(status, message, "valid: 0 to")
    call partition%g(rank, g, status, message)
    call expect(status == wavegrid_ok .and. message == "" .and. size(g, 2) == partition%size(rank), "g")

    call fft%create(MPI_COMM_NULL, partition, status=status, message=message)
    call expect_bad(status, message, "MPI_COMM_NULL")
    call fft%create(MPI_COMM_WORLD, partition, transport="pigeon", status=status, message=message)
    call expect_bad(status, message, "valid: alltoallv")
    call fft%create(MPI_COMM_WORLD, partition)
    call fft%to_real(psi, values, status, message)
    call expect_bad(status, message, " has 2 elements")

    call plan%create(MPI_COMM_WORLD, [wavegrid_run(rank, 0, 1)], [wavegrid_run(rank, 1, 1)], status=status, &
        message=message)
    call expect_bad(status, message, "start -1")
    call plan%create(MPI_COMM_WORLD, [wavegrid_run(rank, 1, 3)], [wavegrid_run(rank, 1, 3)])
    a = 0
    call plan%start(wavegrid_forward, a(::2, :), b, exchange, status, message)
    call expect_bad(status, message, "without gaps")
    call exchange%wait(status, message)
    call expect_bad(status, message, "exchange is NULL")
  end subroutine

  subroutine gamma_in_single_precision()
    type(wavegrid_sphere) :: sphere
    type(wavegrid_partition) :: partition
    type(wavegrid_fft) :: fft
    integer, parameter :: bands = 3
    complex(real32), allocatable :: psi(:, :), back(:, :)
    real(real32), allocatable :: values(:, :), potential(:)
    real(real64), allocatable :: density(:)
    call make(sphere, partition, wavegrid_mode_gamma, "balanced")
    call fft%create(MPI_COMM_WORLD, partition, wavegrid_float, "ring", threads=1)
    allocate (psi(fft%size(), bands), values(fft%grid_size(), bands), potential(fft%grid_size()))
    allocate (back, mold=psi)
    allocate (density(fft%grid_size()), source=0.0_real64)
    psi = cmplx(1 + rank, 0, real32)
    call fft%to_real(psi, values)
    call fft%to_recip(values, back)
    call expect(maxval(abs([real(real32) :: 0, abs(back - psi)])) < 1e-4, "there and back in single precision")
    potential = 0.5
    call fft%apply_local(psi, potential, back)
    call expect(maxval(abs([real(real32) :: 0, abs(back - 0.5*psi)])) < 1e-4, "a constant potential")
    call fft%accumulate_density(psi, [1.0_real64, 0.0_real64, 2.0_real64], density)
    call expect(all(abs(density - values(:, 1)**2 - 2*values(:, 3)**2) <= 1e-4*(1 + density)), "density")
  end subroutine

  subroutine complex_in_double_precision()
    type(wavegrid_sphere) :: sphere
    type(wavegrid_partition) :: partition
    type(wavegrid_fft) :: fft
    type(wavegrid_statistics) :: statistics
    complex(real64), allocatable :: psi(:, :), back(:, :), values(:, :)
    call make(sphere, partition, wavegrid_mode_complex, "optimized")
    statistics = partition%statistics()
    call expect(statistics%plane_waves == sphere%size() .and. statistics%rows*statistics%columns <= ranks, "statistics")
    call fft%create(MPI_COMM_WORLD, partition)
    call expect(fft%transport() == "auto" .and. fft%transport_reason() == "", "the default transport")
    call expect(fft%size() == partition%size(rank), "plane waves of this rank")
    allocate (psi(fft%size(), 2), values(fft%grid_size(), 2))
    allocate (back, mold=psi)
    psi(:, 1) = (0.5_real64, -0.25_real64)
    psi(:, 2) = (1.5_real64, 2.0_real64)
    call fft%to_real(psi, values)
    call fft%to_recip(values, back)
    call expect(maxval([0.0_real64, abs(back - psi)]) < 1e-13_real64, "there and back in double precision")
  end subroutine

  !> Every rank sends its elements 1..2 to the next rank, which stores them at 2..3; then the adjoint.
  subroutine runs()
    type(wavegrid_plan) :: plan
    type(wavegrid_exchange) :: exchange
    complex(real32), target, asynchronous :: source(2, 2), target(3, 2)
    real(real64), target, asynchronous :: sums(2, 1), parts(3, 1)
    integer(int64) :: elements, messages
    integer :: before
    before = modulo(rank - 1, ranks)
    call plan%create(MPI_COMM_WORLD, [wavegrid_run(modulo(rank + 1, ranks), 1, 2)], [wavegrid_run(before, 2, 2)], &
        transport="one_sided")
    call expect(plan%transport() == "one_sided", "the transport's name")
    call plan%sent(elements, messages)
    call expect(elements == merge(2, 0, ranks > 1) .and. messages == merge(1, 0, ranks > 1), "elements and messages")
    source = reshape([10, 11, 12, 13]*1.0 + 100*rank, [2, 2])
    target = -1
    call plan%start(wavegrid_forward, source, target, exchange)
    call exchange%wait()
    call expect(all(nint(real(target)) == reshape([-1, 10 + 100*before, 11 + 100*before, &
        -1, 12 + 100*before, 13 + 100*before], [3, 2])), "forward")
    call plan%use("neighbor")
    sums = 1
    parts(:, 1) = [7, 8, 9]
    call plan%start(wavegrid_adjoint, sums, parts, exchange)
    call exchange%wait()
    call expect(all(nint(sums(:, 1)) == [9, 10]), "adjoint")
  end subroutine

  !> Indices of 32 and of 64 bits, and 64-bit integers as elements: every rank gets all indices, last one first.
  subroutine indices()
    type(wavegrid_plan) :: plan
    type(wavegrid_exchange) :: exchange
    integer(int64), target, asynchronous :: source(2, 1), target(2*ranks, 1)
    integer(int64), parameter :: far = 2_int64**40
    integer(int32) :: mine(2), wanted(2*ranks)
    integer :: i
    mine = [2*rank, 2*rank + 1]
    wanted = [(2*ranks - i, i=1, 2*ranks)]
    source(:, 1) = mine + far
    call plan%create(MPI_COMM_WORLD, mine, wanted)
    call plan%start(wavegrid_forward, source, target, exchange)
    call exchange%wait()
    call expect(all(target(:, 1) == wanted + far), "indices of 32 bits")
    call plan%create(MPI_COMM_WORLD, mine + far, wanted + far)
    target = -1
    call plan%start(wavegrid_forward, source, target, exchange)
    call exchange%wait()
    call expect(all(target(:, 1) == wanted + far), "indices of 64 bits")
    call expect(wavegrid_status_name(wavegrid_bad_input) == "bad_input", "the name of a status")
  end subroutine

  !> Handles free themselves at the end of the scope of their variables: some MPIs have no more than 2000 communicators.
  subroutine many_lives()
    integer :: life
    do life = 1, 3000
      call one_life()
    end do
  end subroutine

  subroutine one_life()
    type(wavegrid_plan) :: plan
    call plan%create(MPI_COMM_SELF, [wavegrid_run(0, 1, 2)], [wavegrid_run(0, 1, 2)])
    call plan%create(MPI_COMM_SELF, [wavegrid_run ::], [wavegrid_run ::]) ! frees what was there
  end subroutine
end program
