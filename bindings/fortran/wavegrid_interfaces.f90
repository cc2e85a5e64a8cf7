! Fortran interfaces of the C functions in bindings/c/wavegrid.h, with conversions of texts and addresses. Programs use
! the module wavegrid instead.
module wavegrid_interfaces
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_double_complex, c_f_pointer, c_float, &
      c_float_complex, c_int, c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr
  implicit none
  private :: address_r4, address_r8, address_c4, address_c8, address_i8, address_vector_r4, address_vector_r8, &
      address_vector_c4, address_vector_c8

  !> `length` consecutive local elements from `start` that go to, or come from, rank `partner` (from 0).
  !> In Fortran programs `start` counts from 1, as array elements do.
  type, bind(c) :: wavegrid_run
    integer(c_int) :: partner = 0
    integer(c_int64_t) :: start = 1, length = 0
  end type

  !> Process grid and loads of a partition: part = row * columns + column; plane waves of all parts, of the largest and
  !> of the smallest.
  type, bind(c) :: wavegrid_statistics
    integer(c_int) :: rows = 0, columns = 0
    integer(c_int64_t) :: plane_waves = 0, max_plane_waves = 0, min_plane_waves = 0
  end type

  !> One rank's block of the grid as half-open ranges of grid indices from 0 (x_begin <= ix < x_end), and all z.
  type, bind(c) :: wavegrid_grid_block
    integer(c_int64_t) :: x_begin = 0, x_end = 0, y_begin = 0, y_end = 0, nz = 0
  end type

  interface
    function c_last_error() bind(c, name="wavegrid_last_error") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function

    function c_version() bind(c, name="wavegrid_version") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function

    function c_status_name(status) bind(c, name="wavegrid_status_name") result(text)
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: text
    end function

    function c_default_grid(cell, cutoff, grid) bind(c, name="wavegrid_default_grid") result(status)
      import :: c_double, c_int
      real(c_double), intent(in) :: cell(*)
      real(c_double), value :: cutoff
      integer(c_int), intent(out) :: grid(*)
      integer(c_int) :: status
    end function

    function c_sphere_create(cell, cutoff, grid, mode, k, sphere) bind(c, name="wavegrid_sphere_create") result(status)
      import :: c_double, c_int, c_ptr
      real(c_double), intent(in) :: cell(*), k(*)
      real(c_double), value :: cutoff
      integer(c_int), intent(in) :: grid(*)
      integer(c_int), value :: mode
      type(c_ptr), intent(inout) :: sphere
      integer(c_int) :: status
    end function

    subroutine c_sphere_destroy(sphere) bind(c, name="wavegrid_sphere_destroy")
      import :: c_ptr
      type(c_ptr), intent(inout) :: sphere
    end subroutine

    function c_sphere_size(sphere, n) bind(c, name="wavegrid_sphere_size") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sphere
      integer(c_int64_t), intent(inout) :: n
      integer(c_int) :: status
    end function

    function c_partition_create(sphere, scheme, parts, partition) bind(c, name="wavegrid_partition_create") &
        result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: sphere
      character(kind=c_char), intent(in) :: scheme(*)
      integer(c_int), value :: parts
      type(c_ptr), intent(inout) :: partition
      integer(c_int) :: status
    end function

    function c_partition_from_sticks(sphere, owners, length, parts, partition) &
        bind(c, name="wavegrid_partition_from_sticks") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sphere
      integer(c_int), intent(in) :: owners(*)
      integer(c_int64_t), value :: length
      integer(c_int), value :: parts
      type(c_ptr), intent(inout) :: partition
      integer(c_int) :: status
    end function

    subroutine c_partition_destroy(partition) bind(c, name="wavegrid_partition_destroy")
      import :: c_ptr
      type(c_ptr), intent(inout) :: partition
    end subroutine

    function c_partition_scheme(partition) bind(c, name="wavegrid_partition_scheme") result(text)
      import :: c_ptr
      type(c_ptr), value :: partition
      type(c_ptr) :: text
    end function

    function c_partition_reason(partition) bind(c, name="wavegrid_partition_reason") result(text)
      import :: c_ptr
      type(c_ptr), value :: partition
      type(c_ptr) :: text
    end function

    function c_partition_statistics(partition, statistics) bind(c, name="wavegrid_partition_statistics") result(status)
      import :: c_int, c_ptr, wavegrid_statistics
      type(c_ptr), value :: partition
      type(wavegrid_statistics), intent(inout) :: statistics
      integer(c_int) :: status
    end function

    function c_partition_size(partition, part, n) bind(c, name="wavegrid_partition_size") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: partition
      integer(c_int), value :: part
      integer(c_int64_t), intent(inout) :: n
      integer(c_int) :: status
    end function

    function c_partition_g(partition, part, g, length) bind(c, name="wavegrid_partition_g") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: partition
      integer(c_int), value :: part
      integer(c_int), intent(inout) :: g(*)
      integer(c_int64_t), value :: length
      integer(c_int) :: status
    end function

    function c_partition_kinetic(partition, part, kinetic, length) bind(c, name="wavegrid_partition_kinetic") &
        result(status)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: partition
      integer(c_int), value :: part
      real(c_double), intent(inout) :: kinetic(*)
      integer(c_int64_t), value :: length
      integer(c_int) :: status
    end function

    function c_plan_from_indices(comm, source, source_length, target, target_length, transport, threads, plan) &
        bind(c, name="wavegrid_plan_from_indices_f") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int), value :: comm, threads
      integer(c_int64_t), intent(in) :: source(*), target(*)
      integer(c_int64_t), value :: source_length, target_length
      character(kind=c_char), intent(in) :: transport(*)
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: status
    end function

    function c_plan_from_runs(comm, sends, num_sends, receives, num_receives, transport, threads, plan) &
        bind(c, name="wavegrid_plan_from_runs_f") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr, wavegrid_run
      integer(c_int), value :: comm, threads
      type(wavegrid_run), intent(in) :: sends(*), receives(*)
      integer(c_int64_t), value :: num_sends, num_receives
      character(kind=c_char), intent(in) :: transport(*)
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: status
    end function

    subroutine c_plan_destroy(plan) bind(c, name="wavegrid_plan_destroy")
      import :: c_ptr
      type(c_ptr), intent(inout) :: plan
    end subroutine

    function c_plan_use(plan, transport) bind(c, name="wavegrid_plan_use") result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: plan
      character(kind=c_char), intent(in) :: transport(*)
      integer(c_int) :: status
    end function

    function c_plan_transport(plan) bind(c, name="wavegrid_plan_transport") result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function

    function c_plan_sent(plan, elements, messages) bind(c, name="wavegrid_plan_sent") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(inout) :: elements, messages
      integer(c_int) :: status
    end function

    function c_exchange_start_tuples(plan, direction, type, width, source, source_length, source_stride, target, &
        target_length, target_stride, bands, exchange) bind(c, name="wavegrid_exchange_start_tuples") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: plan, source, target
      integer(c_int), value :: direction, type
      integer(c_int64_t), value :: width, source_length, source_stride, target_length, target_stride, bands
      type(c_ptr), intent(inout) :: exchange
      integer(c_int) :: status
    end function

    function c_exchange_test(exchange, arrived) bind(c, name="wavegrid_exchange_test") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int), intent(inout) :: arrived
      integer(c_int) :: status
    end function

    function c_exchange_wait(exchange) bind(c, name="wavegrid_exchange_wait") result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: exchange
      integer(c_int) :: status
    end function

    function c_fft_create(comm, partition, precision, transport, threads, fft) bind(c, name="wavegrid_fft_create_f") &
        result(status)
      import :: c_char, c_int, c_ptr
      integer(c_int), value :: comm, precision, threads
      type(c_ptr), value :: partition
      character(kind=c_char), intent(in) :: transport(*)
      type(c_ptr), intent(inout) :: fft
      integer(c_int) :: status
    end function

    function c_fft_create_from_g(comm, grid, mode, g, num_g, precision, transport, threads, fft) &
        bind(c, name="wavegrid_fft_create_from_g_f") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int), value :: comm, mode, precision, threads
      integer(c_int), intent(in) :: grid(*), g(*)
      integer(c_int64_t), value :: num_g
      character(kind=c_char), intent(in) :: transport(*)
      type(c_ptr), intent(inout) :: fft
      integer(c_int) :: status
    end function

    subroutine c_fft_destroy(fft) bind(c, name="wavegrid_fft_destroy")
      import :: c_ptr
      type(c_ptr), intent(inout) :: fft
    end subroutine

    function c_fft_size(fft, plane_waves, grid_points) bind(c, name="wavegrid_fft_size") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: fft
      integer(c_int64_t), intent(inout) :: plane_waves, grid_points
      integer(c_int) :: status
    end function

    function c_fft_transport(fft) bind(c, name="wavegrid_fft_transport") result(text)
      import :: c_ptr
      type(c_ptr), value :: fft
      type(c_ptr) :: text
    end function

    function c_fft_transport_reason(fft) bind(c, name="wavegrid_fft_transport_reason") result(text)
      import :: c_ptr
      type(c_ptr), value :: fft
      type(c_ptr) :: text
    end function

    function c_fft_grid_block(fft, block) bind(c, name="wavegrid_fft_grid_block") result(status)
      import :: c_int, c_ptr, wavegrid_grid_block
      type(c_ptr), value :: fft
      type(wavegrid_grid_block), intent(inout) :: block
      integer(c_int) :: status
    end function

    function c_fft_to_real(fft, values_type, psi, psi_length, values, values_length, bands) &
        bind(c, name="wavegrid_fft_to_real") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: fft, psi, values
      integer(c_int), value :: values_type
      integer(c_int64_t), value :: psi_length, values_length, bands
      integer(c_int) :: status
    end function

    function c_fft_to_recip(fft, values_type, values, values_length, psi, psi_length, bands) &
        bind(c, name="wavegrid_fft_to_recip") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: fft, values, psi
      integer(c_int), value :: values_type
      integer(c_int64_t), value :: values_length, psi_length, bands
      integer(c_int) :: status
    end function

    function c_fft_apply_local(fft, psi_type, psi, psi_length, potential, potential_length, out, out_length, bands) &
        bind(c, name="wavegrid_fft_apply_local") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: fft, psi, potential, out
      integer(c_int), value :: psi_type
      integer(c_int64_t), value :: psi_length, potential_length, out_length, bands
      integer(c_int) :: status
    end function

    function c_fft_accumulate_density(fft, psi_type, psi, psi_length, weights, weights_length, density, &
        density_length, bands) bind(c, name="wavegrid_fft_accumulate_density") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: fft, psi, weights, density
      integer(c_int), value :: psi_type
      integer(c_int64_t), value :: psi_length, weights_length, density_length, bands
      integer(c_int) :: status
    end function
  end interface

  !> The C address of an array, null if it is empty.
  interface address
    module procedure address_r4, address_r8, address_c4, address_c8, address_i8, address_vector_r4, address_vector_r8, &
        address_vector_c4, address_vector_c8
  end interface

contains

  !> The C string at an address; empty for a null address.
  function text_at(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i, length
    text = ""
    if (.not. c_associated(pointer)) return
    call c_f_pointer(pointer, characters, [huge(0)])
    length = 0
    do while (characters(length + 1) /= c_null_char)
      length = length + 1
    end do
    deallocate (text)
    allocate (character(length) :: text)
    do i = 1, length
      text(i:i) = characters(i)
    end do
  end function

  function c_text(text) result(with_end)
    character(*), intent(in) :: text
    character(:), allocatable :: with_end
    with_end = trim(text)//c_null_char
  end function

  function address_r4(array) result(first)
    real(c_float), intent(in), target :: array(:, :)
    type(c_ptr) :: first
    first = c_null_ptr
    if (size(array, kind=c_int64_t) > 0) first = c_loc(array(1, 1))
  end function

  function address_r8(array) result(first)
    real(c_double), intent(in), target :: array(:, :)
    type(c_ptr) :: first
    first = c_null_ptr
    if (size(array, kind=c_int64_t) > 0) first = c_loc(array(1, 1))
  end function

  function address_c4(array) result(first)
    complex(c_float_complex), intent(in), target :: array(:, :)
    type(c_ptr) :: first
    first = c_null_ptr
    if (size(array, kind=c_int64_t) > 0) first = c_loc(array(1, 1))
  end function

  function address_c8(array) result(first)
    complex(c_double_complex), intent(in), target :: array(:, :)
    type(c_ptr) :: first
    first = c_null_ptr
    if (size(array, kind=c_int64_t) > 0) first = c_loc(array(1, 1))
  end function

  function address_i8(array) result(first)
    integer(c_int64_t), intent(in), target :: array(:, :)
    type(c_ptr) :: first
    first = c_null_ptr
    if (size(array, kind=c_int64_t) > 0) first = c_loc(array(1, 1))
  end function

  function address_vector_r4(array) result(first)
    real(c_float), intent(in), target :: array(:)
    type(c_ptr) :: first
    first = c_null_ptr
    if (size(array, kind=c_int64_t) > 0) first = c_loc(array(1))
  end function

  function address_vector_r8(array) result(first)
    real(c_double), intent(in), target :: array(:)
    type(c_ptr) :: first
    first = c_null_ptr
    if (size(array, kind=c_int64_t) > 0) first = c_loc(array(1))
  end function

  function address_vector_c4(array) result(first)
    complex(c_float_complex), intent(in), target :: array(:)
    type(c_ptr) :: first
    first = c_null_ptr
    if (size(array, kind=c_int64_t) > 0) first = c_loc(array(1))
  end function

  function address_vector_c8(array) result(first)
    complex(c_double_complex), intent(in), target :: array(:)
    type(c_ptr) :: first
    first = c_null_ptr
    if (size(array, kind=c_int64_t) > 0) first = c_loc(array(1))
  end function

end module wavegrid_interfaces
