! What the types of the Fortran interface share: handles that are not copied, statuses, default arguments.
module wavegrid_handles
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit
  use wavegrid_interfaces, only: c_last_error, c_text, text_at
  implicit none
  private
  public :: wavegrid_handle, report, transport_or, threads_or_one

  !> Status: the names of wavegrid_status_name() and of the error kinds in C++.
  integer(c_int), parameter, public :: wavegrid_ok = 0, wavegrid_bad_input = 2, wavegrid_environment = 3, &
      wavegrid_internal = 4
  !> Mode of a sphere: complex wave functions, or real ones (half of the sphere, k = 0).
  integer(c_int), parameter, public :: wavegrid_mode_complex = 0, wavegrid_mode_gamma = 1
  !> Precision of a transform.
  integer(c_int), parameter, public :: wavegrid_float = 0, wavegrid_double = 1
  integer(c_int), parameter, public :: wavegrid_complex_float = 2, wavegrid_complex_double = 3, wavegrid_int64 = 4
  !> Direction of an exchange: source to target, target to source, target added to source.
  integer(c_int), parameter, public :: wavegrid_forward = 0, wavegrid_backward = 1, wavegrid_adjoint = 2

  !> Base of the types of the interface: a handle that cannot be copied.
  type, abstract :: wavegrid_handle
    type(c_ptr) :: handle = c_null_ptr  ! for the modules of wavegrid only
  contains
    procedure, private :: refuse_copy
    generic :: assignment(=) => refuse_copy
    !> Whether the object has been created.
    procedure :: is_made
  end type

contains

  subroutine refuse_copy(this, other)
    class(wavegrid_handle), intent(inout) :: this
    class(wavegrid_handle), intent(in) :: other
    write (error_unit, '(a,2l2)') "wavegrid: handles are not copied; pass them as arguments", this%is_made(), &
        other%is_made()
    error stop 2
  end subroutine

  pure function is_made(this) result(made)
    class(wavegrid_handle), intent(in) :: this
    logical :: made
    made = c_associated(this%handle)
  end function

  !> Returns a status and its message to the caller, or stops.
  subroutine report(code, status, message)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    if (present(message)) then
      message = ""
      if (code /= wavegrid_ok) message = text_at(c_last_error())
    end if
    if (present(status)) then
      status = code
    else if (code /= wavegrid_ok) then
      write (error_unit, '(2a)') "wavegrid: ", text_at(c_last_error())
      error stop 2
    end if
  end subroutine

  !> A transport's name for C, or the default where none is given.
  function transport_or(default, transport) result(name)
    character(*), intent(in) :: default
    character(*), intent(in), optional :: transport
    character(:), allocatable :: name
    name = c_text(default)
    if (present(transport)) name = c_text(transport)
  end function

  integer(c_int) function threads_or_one(threads) result(number)
    integer, intent(in), optional :: threads
    number = 1
    if (present(threads)) number = int(threads, c_int)
  end function

end module wavegrid_handles
