! wavegrid for Fortran 2008: partitions of the plane-wave sphere, exchange plans, halos, boxes, the compact 3-D FFT, and
! eigensolvers on an operator of the caller.
!
! A variable owns its object: `create` makes it (after freeing an earlier one), `destroy` or the end of the variable's
! lifetime frees it. Variables of the main program and saved ones are never finalised: destroy them before MPI_Finalize.
! Assignment (a = b) of these types is an error; pass them as arguments, or as pointers.
!
! Every procedure that can fail has two optional arguments: `status` (0 ok, 2 bad input, 3 environment, 4 internal) and
! `message` (blank on success, truncated if too short; 200 characters are usually enough). Without `status`, and in
! functions, an error prints its message and stops the program.
!
! "Collective" procedures are called by all ranks of the communicator in the same order; if an argument is wrong on any
! rank or differs between them, all ranks get the same status and message. Communicators are integer handles: those of
! `use mpi` as they are, those of `use mpi_f08` as comm%mpi_val.
!
! Units: bohr and Hartree. Ranks, parts and grid indices count from 0, array indices from 1. Arrays of a block of bands
! have the band as last index: psi(plane waves, bands), values(grid points, bands). Signs, normalisation and orders:
! docs/conventions.md. Details of each procedure: the C function of the same name in wavegrid.h.
module wavegrid
  use, intrinsic :: iso_c_binding
  use wavegrid_interfaces
  use wavegrid_handles
  use wavegrid_halos, only: wavegrid_halo
  use wavegrid_boxes_module, only: wavegrid_boxes, wavegrid_box
  use wavegrid_eigenpairs
  implicit none
  private

  public :: wavegrid_sphere, wavegrid_partition, wavegrid_plan, wavegrid_exchange, wavegrid_fft
  public :: wavegrid_run, wavegrid_statistics, wavegrid_grid_block
  public :: wavegrid_version, wavegrid_default_grid, wavegrid_status_name
  public :: wavegrid_halo, wavegrid_boxes, wavegrid_box
  public :: wavegrid_lowest_eigenpairs, wavegrid_eigen_report, wavegrid_real_operator, wavegrid_complex_operator
  public :: wavegrid_ok, wavegrid_bad_input, wavegrid_environment, wavegrid_internal
  public :: wavegrid_mode_complex, wavegrid_mode_gamma, wavegrid_float, wavegrid_double
  public :: wavegrid_forward, wavegrid_backward, wavegrid_adjoint

  !> All integer G with |k+G|^2/2 <= cutoff.
  type, extends(wavegrid_handle) :: wavegrid_sphere
  contains
    procedure :: create => sphere_create
    procedure :: size => sphere_size
    procedure :: destroy => sphere_destroy
    final :: sphere_final
  end type

  !> The assignment of sticks of plane waves to parts (ranks). Local; independent of a communicator.
  type, extends(wavegrid_handle) :: wavegrid_partition
  contains
    procedure :: create => partition_create
    procedure :: create_from_sticks => partition_from_sticks
    procedure :: scheme => partition_scheme
    procedure :: reason => partition_reason
    procedure :: statistics => partition_statistics
    procedure :: size => partition_size
    procedure :: g => partition_g
    procedure :: kinetic => partition_kinetic
    procedure :: destroy => partition_destroy
    final :: partition_final
  end type

  !> Which elements each rank sends to which rank; made once, run many times. `create` takes global indices or runs.
  type, extends(wavegrid_handle) :: wavegrid_plan
  contains
    procedure, private :: plan_from_indices, plan_from_short_indices, plan_from_runs
    generic :: create => plan_from_indices, plan_from_short_indices, plan_from_runs
    procedure :: use => plan_use
    procedure :: transport => plan_transport
    procedure :: sent => plan_sent
    procedure, private :: start_r4, start_r8, start_c4, start_c8, start_i8
    generic :: start => start_r4, start_r8, start_c4, start_c8, start_i8
    procedure :: destroy => plan_destroy
    final :: plan_final
  end type

  !> An exchange in progress; finalisation completes it at the latest.
  type, extends(wavegrid_handle) :: wavegrid_exchange
  contains
    procedure :: test => exchange_test
    procedure :: wait => exchange_wait
    final :: exchange_final
  end type

  !> The compact FFT between a rank's plane waves and its block of the grid.
  type, extends(wavegrid_handle) :: wavegrid_fft
  contains
    procedure :: create => fft_create
    procedure :: create_from_g => fft_create_from_g
    procedure :: size => fft_size
    procedure :: grid_size => fft_grid_size
    procedure :: transport => fft_transport
    procedure :: transport_reason => fft_transport_reason
    procedure :: grid_block => fft_grid_block
    procedure, private :: to_real_r4, to_real_r8, to_real_c4, to_real_c8
    generic :: to_real => to_real_r4, to_real_r8, to_real_c4, to_real_c8
    procedure, private :: to_recip_r4, to_recip_r8, to_recip_c4, to_recip_c8
    generic :: to_recip => to_recip_r4, to_recip_r8, to_recip_c4, to_recip_c8
    procedure, private :: apply_local_4, apply_local_8
    generic :: apply_local => apply_local_4, apply_local_8
    procedure, private :: accumulate_density_4, accumulate_density_8
    generic :: accumulate_density => accumulate_density_4, accumulate_density_8
    procedure :: destroy => fft_destroy
    final :: fft_final
  end type

contains

  !> The library's version, such as "0.1.0".
  function wavegrid_version() result(version)
    character(:), allocatable :: version
    version = text_at(c_version())
  end function

  !> The name of a status: "ok", "bad_input", "environment", "internal"; "" for another number.
  function wavegrid_status_name(status) result(name)
    integer, intent(in) :: status
    character(:), allocatable :: name
    name = text_at(c_status_name(int(status, c_int)))
  end function

  ! ---- sphere ----

  !> The grid on which products of two wave functions fit. Local. cell(:, i) is lattice vector i, bohr; cutoff in Ha.
  subroutine wavegrid_default_grid(cell, cutoff, grid, status, message)
    real(c_double), intent(in) :: cell(3, 3), cutoff
    integer(c_int), intent(out) :: grid(3)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    grid = 0
    call report(c_default_grid(cell, cutoff, grid), status, message)
  end subroutine

  !> Makes the sphere of a cutoff (Ha) on an FFT grid. Local. cell as above; k in units of the reciprocal vectors.
  subroutine sphere_create(this, cell, cutoff, grid, mode, k, status, message)
    class(wavegrid_sphere), intent(inout) :: this
    real(c_double), intent(in) :: cell(3, 3), cutoff
    integer(c_int), intent(in) :: grid(3), mode
    real(c_double), intent(in), optional :: k(3)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(c_double) :: k_point(3)
    k_point = 0
    if (present(k)) k_point = k
    call this%destroy()
    call report(c_sphere_create(cell, cutoff, grid, mode, k_point, this%handle), status, message)
  end subroutine

  !> Plane waves of the sphere (of its half in Gamma mode).
  integer(c_int64_t) function sphere_size(this) result(n)
    class(wavegrid_sphere), intent(in) :: this
    n = 0
    call report(c_sphere_size(this%handle, n))
  end function

  ! ---- partition ----

  !> Divides a sphere over parts. Local, the same on all ranks.
  !> scheme: "greedy", "cyclic", "balanced", "optimized", or "auto".
  subroutine partition_create(this, sphere, scheme, parts, status, message)
    class(wavegrid_partition), intent(inout) :: this
    type(wavegrid_sphere), intent(in) :: sphere
    character(*), intent(in) :: scheme
    integer, intent(in) :: parts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call this%destroy()
    call report(c_partition_create(sphere%handle, c_text(scheme), int(parts, c_int), this%handle), status, message)
  end subroutine

  !> A partition with a stick map of the caller. Local, the same on all ranks. owners(iy, iz), from 0 in FFT order: the
  !> part (from 0) of each line of plane waves along x, -1 where the sphere has none.
  subroutine partition_from_sticks(this, sphere, owners, parts, status, message)
    class(wavegrid_partition), intent(inout) :: this
    type(wavegrid_sphere), intent(in) :: sphere
    integer(c_int), contiguous, intent(in) :: owners(:, :)
    integer, intent(in) :: parts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call this%destroy()
    call report(c_partition_from_sticks(sphere%handle, owners, size(owners, kind=c_int64_t), int(parts, c_int), &
        this%handle), status, message)
  end subroutine

  !> The scheme's name (the one chosen for "auto"), and the reason for it.
  function partition_scheme(this) result(scheme)
    class(wavegrid_partition), intent(in) :: this
    character(:), allocatable :: scheme
    scheme = text_at(c_partition_scheme(this%handle))
  end function

  function partition_reason(this) result(reason)
    class(wavegrid_partition), intent(in) :: this
    character(:), allocatable :: reason
    reason = text_at(c_partition_reason(this%handle))
  end function

  !> Process grid and loads. Local.
  type(wavegrid_statistics) function partition_statistics(this) result(statistics)
    class(wavegrid_partition), intent(in) :: this
    call report(c_partition_statistics(this%handle, statistics))
  end function

  !> Plane waves of a part (from 0). Local.
  integer(c_int64_t) function partition_size(this, part) result(n)
    class(wavegrid_partition), intent(in) :: this
    integer, intent(in) :: part
    n = 0
    call report(c_partition_size(this%handle, int(part, c_int), n))
  end function

  !> The plane waves of a part in the order of its coefficients: g(:, i) is (gx, gy, gz) of the i-th. Local.
  subroutine partition_g(this, part, g, status, message)
    class(wavegrid_partition), intent(in) :: this
    integer, intent(in) :: part
    integer(c_int), allocatable, intent(out) :: g(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int64_t) :: n
    integer(c_int) :: code
    n = 0
    code = c_partition_size(this%handle, int(part, c_int), n)
    allocate (g(3, n))
    if (code == wavegrid_ok) code = c_partition_g(this%handle, int(part, c_int), g, 3*n)
    call report(code, status, message)
  end subroutine

  !> The kinetic energies |k+G|^2/2 of a part's plane waves, Ha. Local.
  subroutine partition_kinetic(this, part, kinetic, status, message)
    class(wavegrid_partition), intent(in) :: this
    integer, intent(in) :: part
    real(c_double), allocatable, intent(out) :: kinetic(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int64_t) :: n
    integer(c_int) :: code
    n = 0
    code = c_partition_size(this%handle, int(part, c_int), n)
    allocate (kinetic(n))
    if (code == wavegrid_ok) code = c_partition_kinetic(this%handle, int(part, c_int), kinetic, n)
    call report(code, status, message)
  end subroutine

  ! ---- plan ----

  !> Makes a plan from two layouts: element i of this rank's source is global index source(i), likewise for the target.
  !> Global indices are any numbers from 0; each has one owner. Collective over comm, an integer handle.
  subroutine plan_from_indices(this, comm, source, target, transport, threads, status, message)
    class(wavegrid_plan), intent(inout) :: this
    integer, intent(in) :: comm
    integer(c_int64_t), contiguous, intent(in) :: source(:), target(:)
    character(*), intent(in), optional :: transport
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call this%destroy()
    call report(c_plan_from_indices(int(comm, c_int), source, size(source, kind=c_int64_t), target, &
        size(target, kind=c_int64_t), transport_or("alltoallv", transport), threads_or_one(threads), this%handle), &
        status, message)
  end subroutine

  !> The same for indices of 32 bits.
  subroutine plan_from_short_indices(this, comm, source, target, transport, threads, status, message)
    class(wavegrid_plan), intent(inout) :: this
    integer, intent(in) :: comm
    integer(c_int32_t), intent(in) :: source(:), target(:)
    character(*), intent(in), optional :: transport
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call this%plan_from_indices(comm, int(source, c_int64_t), int(target, c_int64_t), transport, threads, status, message)
  end subroutine

  !> Makes a plan from runs of the source (sends) and of the target (receives); starts count from 1. Collective.
  subroutine plan_from_runs(this, comm, sends, receives, transport, threads, status, message)
    class(wavegrid_plan), intent(inout) :: this
    integer, intent(in) :: comm
    type(wavegrid_run), intent(in) :: sends(:), receives(:)
    character(*), intent(in), optional :: transport
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call this%destroy()
    call report(c_plan_from_runs(int(comm, c_int), from_zero(sends), size(sends, kind=c_int64_t), &
        from_zero(receives), size(receives, kind=c_int64_t), transport_or("alltoallv", transport), &
        threads_or_one(threads), this%handle), status, message)
  end subroutine

  elemental type(wavegrid_run) function from_zero(run) result(c_run)
    type(wavegrid_run), intent(in) :: run
    c_run = run
    c_run%start = run%start - 1
  end function

  !> Sets the transport of all following exchanges. Collective.
  subroutine plan_use(this, transport, status, message)
    class(wavegrid_plan), intent(in) :: this
    character(*), intent(in) :: transport
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_plan_use(this%handle, c_text(transport)), status, message)
  end subroutine

  function plan_transport(this) result(name)
    class(wavegrid_plan), intent(in) :: this
    character(:), allocatable :: name
    name = text_at(c_plan_transport(this%handle))
  end function

  !> Elements of one band that this rank sends to others, and the number of messages. Local.
  subroutine plan_sent(this, elements, messages)
    class(wavegrid_plan), intent(in) :: this
    integer(c_int64_t), intent(out) :: elements, messages
    elements = 0
    messages = 0
    call report(c_plan_sent(this%handle, elements, messages))
  end subroutine

  ! ---- run ----

  ! plan%start(direction, source, target, exchange): starts to exchange a block of bands.
  ! source(:, band), target(:, band): neither may be accessed or reallocated before exchange%wait(); both must be
  ! contiguous, and `asynchronous` and `target` in the caller. Direction and number of bands are the same on all ranks.
  ! `width` (default 1): numbers per element, side by side; source(width * elements, bands). Collective.

  subroutine start_r4(this, direction, source, target, exchange, status, message, width)
    class(wavegrid_plan), intent(in) :: this
    integer(c_int), intent(in) :: direction
    real(c_float), intent(inout), target, asynchronous :: source(:, :), target(:, :)
    type(wavegrid_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer, intent(in), optional :: width
    logical :: whole(2)
    whole = [is_contiguous(source), is_contiguous(target)]
    call start(this, direction, wavegrid_float, address(source), shape(source, c_int64_t), address(target), &
        shape(target, c_int64_t), whole, exchange, status, message, width)
  end subroutine

  subroutine start_r8(this, direction, source, target, exchange, status, message, width)
    class(wavegrid_plan), intent(in) :: this
    integer(c_int), intent(in) :: direction
    real(c_double), intent(inout), target, asynchronous :: source(:, :), target(:, :)
    type(wavegrid_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer, intent(in), optional :: width
    logical :: whole(2)
    whole = [is_contiguous(source), is_contiguous(target)]
    call start(this, direction, wavegrid_double, address(source), shape(source, c_int64_t), address(target), &
        shape(target, c_int64_t), whole, exchange, status, message, width)
  end subroutine

  subroutine start_c4(this, direction, source, target, exchange, status, message, width)
    class(wavegrid_plan), intent(in) :: this
    integer(c_int), intent(in) :: direction
    complex(c_float_complex), intent(inout), target, asynchronous :: source(:, :), target(:, :)
    type(wavegrid_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer, intent(in), optional :: width
    logical :: whole(2)
    whole = [is_contiguous(source), is_contiguous(target)]
    call start(this, direction, wavegrid_complex_float, address(source), shape(source, c_int64_t), address(target), &
        shape(target, c_int64_t), whole, exchange, status, message, width)
  end subroutine

  subroutine start_c8(this, direction, source, target, exchange, status, message, width)
    class(wavegrid_plan), intent(in) :: this
    integer(c_int), intent(in) :: direction
    complex(c_double_complex), intent(inout), target, asynchronous :: source(:, :), target(:, :)
    type(wavegrid_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer, intent(in), optional :: width
    logical :: whole(2)
    whole = [is_contiguous(source), is_contiguous(target)]
    call start(this, direction, wavegrid_complex_double, address(source), shape(source, c_int64_t), address(target), &
        shape(target, c_int64_t), whole, exchange, status, message, width)
  end subroutine

  subroutine start_i8(this, direction, source, target, exchange, status, message, width)
    class(wavegrid_plan), intent(in) :: this
    integer(c_int), intent(in) :: direction
    integer(c_int64_t), intent(inout), target, asynchronous :: source(:, :), target(:, :)
    type(wavegrid_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer, intent(in), optional :: width
    logical :: whole(2)
    whole = [is_contiguous(source), is_contiguous(target)]
    call start(this, direction, wavegrid_int64, address(source), shape(source, c_int64_t), address(target), &
        shape(target, c_int64_t), whole, exchange, status, message, width)
  end subroutine

  subroutine start(plan, direction, type, source, source_shape, target, target_shape, whole, exchange, status, &
      message, width)
    type(wavegrid_plan), intent(in) :: plan
    integer(c_int), intent(in) :: direction, type
    type(c_ptr), intent(in) :: source, target
    integer(c_int64_t), intent(in) :: source_shape(2), target_shape(2)
    logical, intent(in) :: whole(2)
    type(wavegrid_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer, intent(in), optional :: width
    integer(c_int64_t) :: length(2), numbers
    integer(c_int) :: code
    ! An array that is not contiguous gets length -1, which the C function rejects on all ranks.
    length = merge([product(source_shape), product(target_shape)], [-1_c_int64_t, -1_c_int64_t], whole)
    if (exchange%is_made()) call exchange%wait()
    numbers = 1
    if (present(width)) numbers = width
    code = c_exchange_start_tuples(plan%handle, direction, type, numbers, source, length(1), &
        source_shape(1)/max(1_c_int64_t, numbers), target, length(2), target_shape(1)/max(1_c_int64_t, numbers), &
        source_shape(2), exchange%handle)
    call report(code, status, message)
  end subroutine

  !> Makes progress; true if all messages have arrived (wait unpacks them). Local.
  logical function exchange_test(this) result(arrived)
    class(wavegrid_exchange), intent(in) :: this
    integer(c_int) :: answer
    answer = 0
    call report(c_exchange_test(this%handle, answer))
    arrived = answer /= 0
  end function

  !> Waits for the messages and unpacks them. Collective: all ranks end their exchanges in the same order.
  subroutine exchange_wait(this, status, message)
    class(wavegrid_exchange), intent(inout) :: this
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_exchange_wait(this%handle), status, message)
  end subroutine

  ! ---- SphereFft ----

  !> Makes a transform on the ranks of a communicator (an integer handle); rank r has part r. Collective. precision:
  !> wavegrid_double (default) or wavegrid_float. transport: as for plans, or "auto" (default): apply_local tries all in
  !> its first calls and keeps the fastest.
  subroutine fft_create(this, comm, partition, precision, transport, threads, status, message)
    class(wavegrid_fft), intent(inout) :: this
    integer, intent(in) :: comm
    type(wavegrid_partition), intent(in) :: partition
    integer(c_int), intent(in), optional :: precision
    character(*), intent(in), optional :: transport
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: wanted
    wanted = wavegrid_double
    if (present(precision)) wanted = precision
    call this%destroy()
    call report(c_fft_create(int(comm, c_int), partition%handle, wanted, transport_or("auto", transport), &
        threads_or_one(threads), this%handle), status, message)
  end subroutine

  !> The same for any list of G-vectors on each rank, g(3, :), in any order, which is that of the coefficients psi. In
  !> Gamma mode either of G and -G. Collective.
  subroutine fft_create_from_g(this, comm, grid, mode, g, precision, transport, threads, status, message)
    class(wavegrid_fft), intent(inout) :: this
    integer, intent(in) :: comm
    integer(c_int), intent(in) :: grid(3), mode
    integer(c_int), contiguous, intent(in) :: g(:, :)
    integer(c_int), intent(in), optional :: precision
    character(*), intent(in), optional :: transport
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: wanted
    wanted = wavegrid_double
    if (present(precision)) wanted = precision
    call this%destroy()
    call report(c_fft_create_from_g(int(comm, c_int), grid, mode, g, size(g, 2, c_int64_t), wanted, &
        transport_or("auto", transport), threads_or_one(threads), this%handle), status, message)
  end subroutine

  !> Plane waves of this rank. Local.
  integer(c_int64_t) function fft_size(this) result(plane_waves)
    class(wavegrid_fft), intent(in) :: this
    integer(c_int64_t) :: grid_points
    plane_waves = 0
    grid_points = 0
    call report(c_fft_size(this%handle, plane_waves, grid_points))
  end function

  !> Grid points of this rank. Local.
  integer(c_int64_t) function fft_grid_size(this) result(grid_points)
    class(wavegrid_fft), intent(in) :: this
    integer(c_int64_t) :: plane_waves
    plane_waves = 0
    grid_points = 0
    call report(c_fft_size(this%handle, plane_waves, grid_points))
  end function

  !> The transport's name, and the reason for it: "auto" and "" before the choice is made, or if nothing is exchanged.
  !> Local.
  function fft_transport(this) result(name)
    class(wavegrid_fft), intent(in) :: this
    character(:), allocatable :: name
    name = text_at(c_fft_transport(this%handle))
  end function

  function fft_transport_reason(this) result(reason)
    class(wavegrid_fft), intent(in) :: this
    character(:), allocatable :: reason
    reason = text_at(c_fft_transport_reason(this%handle))
  end function

  !> This rank's block of the grid. Its points are stored as an array (nz, my y, my x). Local.
  type(wavegrid_grid_block) function fft_grid_block(this) result(block)
    class(wavegrid_fft), intent(in) :: this
    call report(c_fft_grid_block(this%handle, block))
  end function

  ! fft%to_real(psi, values): backward, sum_G c(G) exp(+iG.r). fft%to_recip(values, psi): forward, with 1/N.
  ! psi(plane waves, bands); values(grid points, bands) real in Gamma mode, else complex. Collective.

  subroutine to_real_r4(this, psi, values, status, message)
    class(wavegrid_fft), intent(in) :: this
    complex(c_float_complex), contiguous, target, intent(in) :: psi(:, :)
    real(c_float), contiguous, target, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_fft_to_real(this%handle, wavegrid_float, address(psi), size(psi, kind=c_int64_t), &
        address(values), size(values, kind=c_int64_t), size(psi, 2, c_int64_t)), status, message)
  end subroutine

  subroutine to_recip_r4(this, values, psi, status, message)
    class(wavegrid_fft), intent(in) :: this
    real(c_float), contiguous, target, intent(in) :: values(:, :)
    complex(c_float_complex), contiguous, target, intent(inout) :: psi(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_fft_to_recip(this%handle, wavegrid_float, address(values), size(values, kind=c_int64_t), &
        address(psi), size(psi, kind=c_int64_t), size(psi, 2, c_int64_t)), status, message)
  end subroutine

  subroutine to_real_r8(this, psi, values, status, message)
    class(wavegrid_fft), intent(in) :: this
    complex(c_double_complex), contiguous, target, intent(in) :: psi(:, :)
    real(c_double), contiguous, target, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_fft_to_real(this%handle, wavegrid_double, address(psi), size(psi, kind=c_int64_t), &
        address(values), size(values, kind=c_int64_t), size(psi, 2, c_int64_t)), status, message)
  end subroutine

  subroutine to_recip_r8(this, values, psi, status, message)
    class(wavegrid_fft), intent(in) :: this
    real(c_double), contiguous, target, intent(in) :: values(:, :)
    complex(c_double_complex), contiguous, target, intent(inout) :: psi(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_fft_to_recip(this%handle, wavegrid_double, address(values), size(values, kind=c_int64_t), &
        address(psi), size(psi, kind=c_int64_t), size(psi, 2, c_int64_t)), status, message)
  end subroutine

  subroutine to_real_c4(this, psi, values, status, message)
    class(wavegrid_fft), intent(in) :: this
    complex(c_float_complex), contiguous, target, intent(in) :: psi(:, :)
    complex(c_float_complex), contiguous, target, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_fft_to_real(this%handle, wavegrid_complex_float, address(psi), size(psi, kind=c_int64_t), &
        address(values), size(values, kind=c_int64_t), size(psi, 2, c_int64_t)), status, message)
  end subroutine

  subroutine to_recip_c4(this, values, psi, status, message)
    class(wavegrid_fft), intent(in) :: this
    complex(c_float_complex), contiguous, target, intent(in) :: values(:, :)
    complex(c_float_complex), contiguous, target, intent(inout) :: psi(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_fft_to_recip(this%handle, wavegrid_complex_float, address(values), size(values, kind=c_int64_t), &
        address(psi), size(psi, kind=c_int64_t), size(psi, 2, c_int64_t)), status, message)
  end subroutine

  subroutine to_real_c8(this, psi, values, status, message)
    class(wavegrid_fft), intent(in) :: this
    complex(c_double_complex), contiguous, target, intent(in) :: psi(:, :)
    complex(c_double_complex), contiguous, target, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_fft_to_real(this%handle, wavegrid_complex_double, address(psi), size(psi, kind=c_int64_t), &
        address(values), size(values, kind=c_int64_t), size(psi, 2, c_int64_t)), status, message)
  end subroutine

  subroutine to_recip_c8(this, values, psi, status, message)
    class(wavegrid_fft), intent(in) :: this
    complex(c_double_complex), contiguous, target, intent(in) :: values(:, :)
    complex(c_double_complex), contiguous, target, intent(inout) :: psi(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_fft_to_recip(this%handle, wavegrid_complex_double, address(values), size(values, kind=c_int64_t), &
        address(psi), size(psi, kind=c_int64_t), size(psi, 2, c_int64_t)), status, message)
  end subroutine

  ! fft%apply_local(psi, potential, out): out = forward(potential * backward(psi)), the local part of one H application.
  ! psi and out (plane waves, bands), two arrays; potential(grid points), Ha for a result in Ha. Collective.

  subroutine apply_local_4(this, psi, potential, out, status, message)
    class(wavegrid_fft), intent(in) :: this
    complex(c_float_complex), contiguous, target, intent(in) :: psi(:, :)
    real(c_float), contiguous, target, intent(in) :: potential(:)
    complex(c_float_complex), contiguous, target, intent(inout) :: out(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_fft_apply_local(this%handle, wavegrid_complex_float, address(psi), size(psi, kind=c_int64_t), &
        address(potential), size(potential, kind=c_int64_t), address(out), size(out, kind=c_int64_t), &
        size(psi, 2, c_int64_t)), status, message)
  end subroutine

  subroutine apply_local_8(this, psi, potential, out, status, message)
    class(wavegrid_fft), intent(in) :: this
    complex(c_double_complex), contiguous, target, intent(in) :: psi(:, :)
    real(c_double), contiguous, target, intent(in) :: potential(:)
    complex(c_double_complex), contiguous, target, intent(inout) :: out(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_fft_apply_local(this%handle, wavegrid_complex_double, address(psi), size(psi, kind=c_int64_t), &
        address(potential), size(potential, kind=c_int64_t), address(out), size(out, kind=c_int64_t), &
        size(psi, 2, c_int64_t)), status, message)
  end subroutine

  ! fft%accumulate_density(psi, weights, density): density = density + sum_n weights(n) |psi_n(r)|^2, electrons per cell
  ! volume if the weights are electrons. weights(bands) and density(grid points) in double precision. Collective.

  subroutine accumulate_density_4(this, psi, weights, density, status, message)
    class(wavegrid_fft), intent(in) :: this
    complex(c_float_complex), contiguous, target, intent(in) :: psi(:, :)
    real(c_double), contiguous, target, intent(in) :: weights(:)
    real(c_double), contiguous, target, intent(inout) :: density(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_fft_accumulate_density(this%handle, wavegrid_complex_float, address(psi), &
        size(psi, kind=c_int64_t), address(weights), size(weights, kind=c_int64_t), address(density), &
        size(density, kind=c_int64_t), size(psi, 2, c_int64_t)), status, message)
  end subroutine

  subroutine accumulate_density_8(this, psi, weights, density, status, message)
    class(wavegrid_fft), intent(in) :: this
    complex(c_double_complex), contiguous, target, intent(in) :: psi(:, :)
    real(c_double), contiguous, target, intent(in) :: weights(:)
    real(c_double), contiguous, target, intent(inout) :: density(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_fft_accumulate_density(this%handle, wavegrid_complex_double, address(psi), &
        size(psi, kind=c_int64_t), address(weights), size(weights, kind=c_int64_t), address(density), &
        size(density, kind=c_int64_t), size(psi, 2, c_int64_t)), status, message)
  end subroutine

  ! ---- destroy and finalisation ----

  subroutine sphere_destroy(this)
    class(wavegrid_sphere), intent(inout) :: this
    call c_sphere_destroy(this%handle)
  end subroutine

  impure elemental subroutine sphere_final(this)
    type(wavegrid_sphere), intent(inout) :: this
    call c_sphere_destroy(this%handle)
  end subroutine

  subroutine partition_destroy(this)
    class(wavegrid_partition), intent(inout) :: this
    call c_partition_destroy(this%handle)
  end subroutine

  impure elemental subroutine partition_final(this)
    type(wavegrid_partition), intent(inout) :: this
    call c_partition_destroy(this%handle)
  end subroutine

  subroutine plan_destroy(this)
    class(wavegrid_plan), intent(inout) :: this
    call c_plan_destroy(this%handle)
  end subroutine

  impure elemental subroutine plan_final(this)
    type(wavegrid_plan), intent(inout) :: this
    call c_plan_destroy(this%handle)
  end subroutine

  subroutine fft_destroy(this)
    class(wavegrid_fft), intent(inout) :: this
    call c_fft_destroy(this%handle)
  end subroutine

  impure elemental subroutine fft_final(this)
    type(wavegrid_fft), intent(inout) :: this
    call c_fft_destroy(this%handle)
  end subroutine

  impure elemental subroutine exchange_final(this)
    type(wavegrid_exchange), intent(inout) :: this
    if (this%is_made()) call this%wait()
  end subroutine

end module wavegrid
