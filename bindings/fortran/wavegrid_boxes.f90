! Values between localised boxes and the grid of the cell.
module wavegrid_boxes_module
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_double_complex, c_float, c_float_complex, c_int, &
      c_int64_t, c_ptr
  use wavegrid_interfaces, only: address
  use wavegrid_handles
  implicit none
  private
  public :: wavegrid_boxes, wavegrid_box

  !> The points begin(d) <= i < begin(d) + size(d), from 0, of the periodic grid. Values of a box are an array
  !> (size(3), size(2), size(1)), z first. number: among the boxes of all ranks, for deterministic sums.
  type, bind(c) :: wavegrid_box
    integer(c_int) :: begin(3) = 0, size(3) = 0
    integer(c_int64_t) :: number = 0
  end type

  !> Boxes of grid points on each rank, anywhere on a grid that is distributed over the ranks in any way. Arrays:
  !> grid(points of this rank, fields); values(all points of its boxes * fields), box after box, each (points, fields).
  type, extends(wavegrid_handle) :: wavegrid_boxes
  contains
    procedure :: create => boxes_create
    procedure :: size => boxes_size
    procedure, private :: extract_r4, extract_r8, extract_c4, extract_c8, deposit_r4, deposit_r8, deposit_c4, deposit_c8
    !> boxes%extract(grid, values): copies values of the grid into the boxes. Collective.
    generic :: extract => extract_r4, extract_r8, extract_c4, extract_c8
    !> boxes%deposit(values, grid): adds the values of the boxes to the grid. Collective.
    generic :: deposit => deposit_r4, deposit_r8, deposit_c4, deposit_c8
    procedure :: destroy => boxes_destroy
    final :: boxes_final
  end type

  interface
    function c_boxes_create(comm, grid, points, num_points, list, num_boxes, deterministic, transport, threads, boxes) &
        bind(c, name="wavegrid_boxes_create_f") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr, wavegrid_box
      integer(c_int), value :: comm, deterministic, threads
      integer(c_int), intent(in) :: grid(*)
      integer(c_int64_t), intent(in) :: points(*)
      integer(c_int64_t), value :: num_points, num_boxes
      type(wavegrid_box), intent(in) :: list(*)
      character(kind=c_char), intent(in) :: transport(*)
      type(c_ptr), intent(inout) :: boxes
      integer(c_int) :: status
    end function

    subroutine c_boxes_destroy(boxes) bind(c, name="wavegrid_boxes_destroy")
      import :: c_ptr
      type(c_ptr), intent(inout) :: boxes
    end subroutine

    function c_boxes_size(boxes, values) bind(c, name="wavegrid_boxes_size") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: boxes
      integer(c_int64_t), intent(inout) :: values
      integer(c_int) :: status
    end function

    function c_boxes_extract(boxes, type, grid, grid_length, values, values_length, fields) &
        bind(c, name="wavegrid_boxes_extract") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: boxes, grid, values
      integer(c_int), value :: type
      integer(c_int64_t), value :: grid_length, values_length, fields
      integer(c_int) :: status
    end function

    function c_boxes_deposit(boxes, type, values, values_length, grid, grid_length, fields) &
        bind(c, name="wavegrid_boxes_deposit") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: boxes, grid, values
      integer(c_int), value :: type
      integer(c_int64_t), value :: grid_length, values_length, fields
      integer(c_int) :: status
    end function
  end interface

contains

  !> grid: (nx, ny, nz); points: this rank's points as (x * ny + y) * nz + z, from 0, in local order; boxes: its boxes.
  !> deterministic: sums do not depend on the number of ranks, bit for bit. Collective over comm, an integer handle.
  subroutine boxes_create(this, comm, grid, points, boxes, deterministic, transport, threads, status, message)
    class(wavegrid_boxes), intent(inout) :: this
    integer, intent(in) :: comm
    integer(c_int), intent(in) :: grid(3)
    integer(c_int64_t), contiguous, intent(in) :: points(:)
    type(wavegrid_box), contiguous, intent(in) :: boxes(:)
    logical, intent(in), optional :: deterministic
    character(*), intent(in), optional :: transport
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int) :: ordered
    ordered = 0
    if (present(deterministic)) ordered = merge(1_c_int, 0_c_int, deterministic)
    call this%destroy()
    call report(c_boxes_create(int(comm, c_int), grid, points, size(points, kind=c_int64_t), boxes, &
        size(boxes, kind=c_int64_t), ordered, transport_or("shared", transport), threads_or_one(threads), &
        this%handle), status, message)
  end subroutine

  !> The points of this rank's boxes together. Local.
  integer(c_int64_t) function boxes_size(this) result(values)
    class(wavegrid_boxes), intent(in) :: this
    values = 0
    call report(c_boxes_size(this%handle, values))
  end function

  subroutine extract_r4(this, grid, values, status, message)
    class(wavegrid_boxes), intent(in) :: this
    real(c_float), contiguous, target, intent(in) :: grid(:, :)
    real(c_float), contiguous, target, intent(inout) :: values(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_boxes_extract(this%handle, wavegrid_float, address(grid), size(grid, kind=c_int64_t), &
        address(values), size(values, kind=c_int64_t), size(grid, 2, c_int64_t)), status, message)
  end subroutine

  subroutine extract_r8(this, grid, values, status, message)
    class(wavegrid_boxes), intent(in) :: this
    real(c_double), contiguous, target, intent(in) :: grid(:, :)
    real(c_double), contiguous, target, intent(inout) :: values(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_boxes_extract(this%handle, wavegrid_double, address(grid), size(grid, kind=c_int64_t), &
        address(values), size(values, kind=c_int64_t), size(grid, 2, c_int64_t)), status, message)
  end subroutine

  subroutine extract_c4(this, grid, values, status, message)
    class(wavegrid_boxes), intent(in) :: this
    complex(c_float_complex), contiguous, target, intent(in) :: grid(:, :)
    complex(c_float_complex), contiguous, target, intent(inout) :: values(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_boxes_extract(this%handle, wavegrid_complex_float, address(grid), size(grid, kind=c_int64_t), &
        address(values), size(values, kind=c_int64_t), size(grid, 2, c_int64_t)), status, message)
  end subroutine

  subroutine extract_c8(this, grid, values, status, message)
    class(wavegrid_boxes), intent(in) :: this
    complex(c_double_complex), contiguous, target, intent(in) :: grid(:, :)
    complex(c_double_complex), contiguous, target, intent(inout) :: values(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_boxes_extract(this%handle, wavegrid_complex_double, address(grid), size(grid, kind=c_int64_t), &
        address(values), size(values, kind=c_int64_t), size(grid, 2, c_int64_t)), status, message)
  end subroutine

  subroutine deposit_r4(this, values, grid, status, message)
    class(wavegrid_boxes), intent(in) :: this
    real(c_float), contiguous, target, intent(in) :: values(:)
    real(c_float), contiguous, target, intent(inout) :: grid(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_boxes_deposit(this%handle, wavegrid_float, address(values), size(values, kind=c_int64_t), &
        address(grid), size(grid, kind=c_int64_t), size(grid, 2, c_int64_t)), status, message)
  end subroutine

  subroutine deposit_r8(this, values, grid, status, message)
    class(wavegrid_boxes), intent(in) :: this
    real(c_double), contiguous, target, intent(in) :: values(:)
    real(c_double), contiguous, target, intent(inout) :: grid(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_boxes_deposit(this%handle, wavegrid_double, address(values), size(values, kind=c_int64_t), &
        address(grid), size(grid, kind=c_int64_t), size(grid, 2, c_int64_t)), status, message)
  end subroutine

  subroutine deposit_c4(this, values, grid, status, message)
    class(wavegrid_boxes), intent(in) :: this
    complex(c_float_complex), contiguous, target, intent(in) :: values(:)
    complex(c_float_complex), contiguous, target, intent(inout) :: grid(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_boxes_deposit(this%handle, wavegrid_complex_float, address(values), size(values, kind=c_int64_t), &
        address(grid), size(grid, kind=c_int64_t), size(grid, 2, c_int64_t)), status, message)
  end subroutine

  subroutine deposit_c8(this, values, grid, status, message)
    class(wavegrid_boxes), intent(in) :: this
    complex(c_double_complex), contiguous, target, intent(in) :: values(:)
    complex(c_double_complex), contiguous, target, intent(inout) :: grid(:, :)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call report(c_boxes_deposit(this%handle, wavegrid_complex_double, address(values), size(values, kind=c_int64_t), &
        address(grid), size(grid, kind=c_int64_t), size(grid, 2, c_int64_t)), status, message)
  end subroutine

  subroutine boxes_destroy(this)
    class(wavegrid_boxes), intent(inout) :: this
    call c_boxes_destroy(this%handle)
  end subroutine

  impure elemental subroutine boxes_final(this)
    type(wavegrid_boxes), intent(inout) :: this
    call c_boxes_destroy(this%handle)
  end subroutine

end module wavegrid_boxes_module
