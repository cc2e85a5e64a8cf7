! The halo exchange of a mesh or of any graph.
module wavegrid_halos
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_double_complex, c_float, c_float_complex, c_int, &
      c_int64_t, c_ptr
  use wavegrid_interfaces, only: address, c_plan_destroy
  use wavegrid_handles
  implicit none
  private
  public :: wavegrid_halo

  !> Fills ghost points from their owners, and adds them to their owners, in arrays values(width, own + ghosts): this
  !> rank's own points, then its ghosts, each with `width` numbers. All members but destroy are collective.
  type, extends(wavegrid_handle) :: wavegrid_halo
  contains
    procedure :: create => halo_create
    procedure, private :: fill_r4, fill_r8, fill_c4, fill_c8, add_r4, add_r8, add_c4, add_c8
    !> halo%fill(values): ghosts become the values of their owners' points.
    generic :: fill => fill_r4, fill_r8, fill_c4, fill_c8
    !> halo%add(values): the ghosts of all ranks are added to their owners' points, the adjoint of fill.
    generic :: add => add_r4, add_r8, add_c4, add_c8
    procedure :: destroy => halo_destroy
    final :: halo_final
  end type

  interface
    function c_plan_from_ghosts(comm, own, num_own, ghosts, num_ghosts, transport, threads, plan) &
        bind(c, name="wavegrid_plan_from_ghosts_f") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int), value :: comm, threads
      integer(c_int64_t), intent(in) :: own(*), ghosts(*)
      integer(c_int64_t), value :: num_own, num_ghosts
      character(kind=c_char), intent(in) :: transport(*)
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: status
    end function

    function c_exchange_run(plan, direction, type, width, source, source_length, target, target_length) &
        bind(c, name="wavegrid_exchange_run") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: plan, source, target
      integer(c_int), value :: direction, type
      integer(c_int64_t), value :: width, source_length, target_length
      integer(c_int) :: status
    end function
  end interface

contains

  !> own, ghosts: global numbers (from 0) of this rank's own points and of its ghosts, each in local order. Each number
  !> has one owner. Collective over comm, an integer handle. transport: default "neighbor".
  subroutine halo_create(this, comm, own, ghosts, transport, threads, status, message)
    class(wavegrid_halo), intent(inout) :: this
    integer, intent(in) :: comm
    integer(c_int64_t), contiguous, intent(in) :: own(:), ghosts(:)
    character(*), intent(in), optional :: transport
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call this%destroy()
    call report(c_plan_from_ghosts(int(comm, c_int), own, size(own, kind=c_int64_t), ghosts, &
        size(ghosts, kind=c_int64_t), transport_or("neighbor", transport), threads_or_one(threads), this%handle), &
        status, message)
  end subroutine

  subroutine fill_r4(this, values, status, message)
    class(wavegrid_halo), intent(in) :: this
    real(c_float), contiguous, target, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call run(this, wavegrid_forward, wavegrid_float, address(values), shape(values, c_int64_t), status, message)
  end subroutine

  subroutine fill_r8(this, values, status, message)
    class(wavegrid_halo), intent(in) :: this
    real(c_double), contiguous, target, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call run(this, wavegrid_forward, wavegrid_double, address(values), shape(values, c_int64_t), status, message)
  end subroutine

  subroutine fill_c4(this, values, status, message)
    class(wavegrid_halo), intent(in) :: this
    complex(c_float_complex), contiguous, target, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call run(this, wavegrid_forward, wavegrid_complex_float, address(values), shape(values, c_int64_t), status, message)
  end subroutine

  subroutine fill_c8(this, values, status, message)
    class(wavegrid_halo), intent(in) :: this
    complex(c_double_complex), contiguous, target, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call run(this, wavegrid_forward, wavegrid_complex_double, address(values), shape(values, c_int64_t), status, &
        message)
  end subroutine

  subroutine add_r4(this, values, status, message)
    class(wavegrid_halo), intent(in) :: this
    real(c_float), contiguous, target, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call run(this, wavegrid_adjoint, wavegrid_float, address(values), shape(values, c_int64_t), status, message)
  end subroutine

  subroutine add_r8(this, values, status, message)
    class(wavegrid_halo), intent(in) :: this
    real(c_double), contiguous, target, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call run(this, wavegrid_adjoint, wavegrid_double, address(values), shape(values, c_int64_t), status, message)
  end subroutine

  subroutine add_c4(this, values, status, message)
    class(wavegrid_halo), intent(in) :: this
    complex(c_float_complex), contiguous, target, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call run(this, wavegrid_adjoint, wavegrid_complex_float, address(values), shape(values, c_int64_t), status, message)
  end subroutine

  subroutine add_c8(this, values, status, message)
    class(wavegrid_halo), intent(in) :: this
    complex(c_double_complex), contiguous, target, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call run(this, wavegrid_adjoint, wavegrid_complex_double, address(values), shape(values, c_int64_t), status, &
        message)
  end subroutine

  subroutine run(halo, direction, type, first, extents, status, message)
    type(wavegrid_halo), intent(in) :: halo
    integer(c_int), intent(in) :: direction, type
    type(c_ptr), intent(in) :: first
    integer(c_int64_t), intent(in) :: extents(2)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_exchange_run(halo%handle, direction, type, extents(1), first, product(extents), first, &
        product(extents)), status, message)
  end subroutine

  subroutine halo_destroy(this)
    class(wavegrid_halo), intent(inout) :: this
    call c_plan_destroy(this%handle)
  end subroutine

  impure elemental subroutine halo_final(this)
    type(wavegrid_halo), intent(inout) :: this
    call c_plan_destroy(this%handle)
  end subroutine

end module wavegrid_halos
