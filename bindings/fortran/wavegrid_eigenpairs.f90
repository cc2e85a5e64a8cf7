! The lowest eigenpairs of an operator of the caller.
module wavegrid_eigenpairs
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_double_complex, c_f_pointer, c_funloc, c_funptr, c_int, &
      c_int64_t, c_loc, c_null_funptr, c_null_ptr, c_ptr
  use wavegrid_interfaces, only: address, c_text
  use wavegrid_handles, only: return_status => report, wavegrid_double, wavegrid_complex_double
  implicit none
  private
  public :: wavegrid_lowest_eigenpairs, wavegrid_eigen_report, wavegrid_real_operator, wavegrid_complex_operator

  abstract interface
    !> y = A x for a block of vectors, x(rows of this rank, vectors). All ranks call it with the same number of vectors,
    !> so that it may communicate.
    subroutine wavegrid_real_operator(x, y)
      import :: c_double
      real(c_double), intent(in) :: x(:, :)
      real(c_double), intent(out) :: y(:, :)
    end subroutine

    subroutine wavegrid_complex_operator(x, y)
      import :: c_double_complex
      complex(c_double_complex), intent(in) :: x(:, :)
      complex(c_double_complex), intent(out) :: y(:, :)
    end subroutine
  end interface

  !> converged: 0 if not, and the vectors are the best so far. rounds of the solver, applications of H to one vector,
  !> the largest estimated error of the values in the unit of H.
  type, bind(c) :: wavegrid_eigen_report
    integer(c_int) :: converged = 0, rounds = 0
    integer(c_int64_t) :: applications = 0
    real(c_double) :: error = 0
  end type

  !> call wavegrid_lowest_eigenpairs(comm, apply, values, vectors, report, ...): the size(values) lowest eigenpairs of
  !> H x = e S x, where H is the procedure apply(x, y), Hermitian. Collective over comm, an integer handle.
  !>   values        out: rising, the same on all ranks
  !>   vectors       out: (rows of this rank, size(values)), real or complex, <x|S|x> = 1; in: the first num_start
  !>   report        out: not to converge is no error
  !>   overlap       y = S x; default: the unit matrix
  !>   precondition  y = K x, positive definite and near the inverse of H - e; default: none
  !>   diagonal      (rows) of H, or an estimate, as a preconditioner where it varies much
  !>   weight        of <x|y> = weight sum_i conj(x_i) y_i; default: 1
  !>   solver        "chebyshev", "lobpcg", "davidson", "rmm-diis"; default: Chebyshev filters without a preconditioner
  !>                 or diagonal, else LOBPCG
  !>   tolerance     largest error of a value, relative to the range of the values; default: 1e-9
  !>   max_rounds    of the solver; default: 500
  !>   num_start     vectors that are given to start with; default: none, a random start
  interface wavegrid_lowest_eigenpairs
    module procedure lowest_real, lowest_complex
  end interface

  type, bind(c) :: c_options
    type(c_funptr) :: overlap = c_null_funptr, precondition = c_null_funptr
    type(c_ptr) :: diagonal = c_null_ptr
    real(c_double) :: weight = 0
    type(c_ptr) :: solver = c_null_ptr
    real(c_double) :: tolerance = 0
    integer(c_int) :: max_rounds = 0
    integer(c_int64_t) :: num_start = 0
  end type

  !> The procedures of a call, at the address that C passes back.
  type :: real_procedures
    procedure(wavegrid_real_operator), pointer, nopass :: apply => null(), overlap => null(), precondition => null()
  end type
  type :: complex_procedures
    procedure(wavegrid_complex_operator), pointer, nopass :: apply => null(), overlap => null(), precondition => null()
  end type

  interface
    function c_lowest_eigenpairs(comm, type, rows, apply, context, options, count, values, vectors, vectors_length, &
        report) bind(c, name="wavegrid_lowest_eigenpairs_f") result(status)
      import :: c_double, c_funptr, c_int, c_int64_t, c_options, c_ptr, wavegrid_eigen_report
      integer(c_int), value :: comm, type
      integer(c_int64_t), value :: rows, count, vectors_length
      type(c_funptr), value :: apply
      type(c_ptr), value :: context, vectors
      type(c_options), intent(in) :: options
      real(c_double), intent(inout) :: values(*)
      type(wavegrid_eigen_report), intent(inout) :: report
      integer(c_int) :: status
    end function
  end interface

contains

  subroutine lowest_real(comm, apply, values, vectors, report, overlap, precondition, diagonal, weight, solver, &
      tolerance, max_rounds, num_start, status, message)
    integer, intent(in) :: comm
    procedure(wavegrid_real_operator) :: apply
    real(c_double), contiguous, intent(inout) :: values(:)
    real(c_double), contiguous, target, intent(inout) :: vectors(:, :)
    type(wavegrid_eigen_report), intent(out) :: report
    procedure(wavegrid_real_operator), optional :: overlap, precondition
    real(c_double), contiguous, target, intent(in), optional :: diagonal(:)
    real(c_double), intent(in), optional :: weight, tolerance
    character(*), intent(in), optional :: solver
    integer, intent(in), optional :: max_rounds, num_start
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(real_procedures), target :: procedures
    type(c_options) :: options
    character(kind=c_char), allocatable, target :: text(:)
    text = characters(solver)
    options = options_from(text, weight, tolerance, max_rounds, num_start)
    if (present(diagonal)) options%diagonal = address(diagonal)
    procedures%apply => apply
    if (present(overlap)) then
      procedures%overlap => overlap
      options%overlap = c_funloc(overlap_real)
    end if
    if (present(precondition)) then
      procedures%precondition => precondition
      options%precondition = c_funloc(precondition_real)
    end if
    call return_status(c_lowest_eigenpairs(int(comm, c_int), wavegrid_double, size(vectors, 1, c_int64_t), &
        c_funloc(apply_real), c_loc(procedures), options, size(values, kind=c_int64_t), values, address(vectors), &
        size(vectors, kind=c_int64_t), report), status, message)
  end subroutine

  integer(c_int) function apply_real(context, rows, count, x, y) &
      bind(c, name="wavegrid_fortran_apply_real") result(status)
    type(c_ptr), value :: context, x, y
    integer(c_int64_t), value :: rows, count
    type(real_procedures), pointer :: procedures
    real(c_double), pointer :: from(:, :), to(:, :)
    call c_f_pointer(context, procedures)
    call c_f_pointer(x, from, [rows, count])
    call c_f_pointer(y, to, [rows, count])
    call procedures%apply(from, to)
    status = 0
  end function

  integer(c_int) function overlap_real(context, rows, count, x, y) &
      bind(c, name="wavegrid_fortran_overlap_real") result(status)
    type(c_ptr), value :: context, x, y
    integer(c_int64_t), value :: rows, count
    type(real_procedures), pointer :: procedures
    real(c_double), pointer :: from(:, :), to(:, :)
    call c_f_pointer(context, procedures)
    call c_f_pointer(x, from, [rows, count])
    call c_f_pointer(y, to, [rows, count])
    call procedures%overlap(from, to)
    status = 0
  end function

  integer(c_int) function precondition_real(context, rows, count, x, y) &
      bind(c, name="wavegrid_fortran_precondition_real") result(status)
    type(c_ptr), value :: context, x, y
    integer(c_int64_t), value :: rows, count
    type(real_procedures), pointer :: procedures
    real(c_double), pointer :: from(:, :), to(:, :)
    call c_f_pointer(context, procedures)
    call c_f_pointer(x, from, [rows, count])
    call c_f_pointer(y, to, [rows, count])
    call procedures%precondition(from, to)
    status = 0
  end function

  subroutine lowest_complex(comm, apply, values, vectors, report, overlap, precondition, diagonal, weight, solver, &
      tolerance, max_rounds, num_start, status, message)
    integer, intent(in) :: comm
    procedure(wavegrid_complex_operator) :: apply
    real(c_double), contiguous, intent(inout) :: values(:)
    complex(c_double_complex), contiguous, target, intent(inout) :: vectors(:, :)
    type(wavegrid_eigen_report), intent(out) :: report
    procedure(wavegrid_complex_operator), optional :: overlap, precondition
    real(c_double), contiguous, target, intent(in), optional :: diagonal(:)
    real(c_double), intent(in), optional :: weight, tolerance
    character(*), intent(in), optional :: solver
    integer, intent(in), optional :: max_rounds, num_start
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(complex_procedures), target :: procedures
    type(c_options) :: options
    character(kind=c_char), allocatable, target :: text(:)
    text = characters(solver)
    options = options_from(text, weight, tolerance, max_rounds, num_start)
    if (present(diagonal)) options%diagonal = address(diagonal)
    procedures%apply => apply
    if (present(overlap)) then
      procedures%overlap => overlap
      options%overlap = c_funloc(overlap_complex)
    end if
    if (present(precondition)) then
      procedures%precondition => precondition
      options%precondition = c_funloc(precondition_complex)
    end if
    call return_status(c_lowest_eigenpairs(int(comm, c_int), wavegrid_complex_double, size(vectors, 1, c_int64_t), &
        c_funloc(apply_complex), c_loc(procedures), options, size(values, kind=c_int64_t), values, address(vectors), &
        size(vectors, kind=c_int64_t), report), status, message)
  end subroutine

  integer(c_int) function apply_complex(context, rows, count, x, y) &
      bind(c, name="wavegrid_fortran_apply_complex") result(status)
    type(c_ptr), value :: context, x, y
    integer(c_int64_t), value :: rows, count
    type(complex_procedures), pointer :: procedures
    complex(c_double_complex), pointer :: from(:, :), to(:, :)
    call c_f_pointer(context, procedures)
    call c_f_pointer(x, from, [rows, count])
    call c_f_pointer(y, to, [rows, count])
    call procedures%apply(from, to)
    status = 0
  end function

  integer(c_int) function overlap_complex(context, rows, count, x, y) &
      bind(c, name="wavegrid_fortran_overlap_complex") result(status)
    type(c_ptr), value :: context, x, y
    integer(c_int64_t), value :: rows, count
    type(complex_procedures), pointer :: procedures
    complex(c_double_complex), pointer :: from(:, :), to(:, :)
    call c_f_pointer(context, procedures)
    call c_f_pointer(x, from, [rows, count])
    call c_f_pointer(y, to, [rows, count])
    call procedures%overlap(from, to)
    status = 0
  end function

  integer(c_int) function precondition_complex(context, rows, count, x, y) &
      bind(c, name="wavegrid_fortran_precondition_complex") result(status)
    type(c_ptr), value :: context, x, y
    integer(c_int64_t), value :: rows, count
    type(complex_procedures), pointer :: procedures
    complex(c_double_complex), pointer :: from(:, :), to(:, :)
    call c_f_pointer(context, procedures)
    call c_f_pointer(x, from, [rows, count])
    call c_f_pointer(y, to, [rows, count])
    call procedures%precondition(from, to)
    status = 0
  end function

  !> The options but for procedures and the diagonal; `text` holds the name of the solver while they are used.
  function options_from(text, weight, tolerance, max_rounds, num_start) result(options)
    character(kind=c_char), intent(in), target :: text(:)
    real(c_double), intent(in), optional :: weight, tolerance
    integer, intent(in), optional :: max_rounds, num_start
    type(c_options) :: options
    if (size(text) > 0) options%solver = c_loc(text(1))
    if (present(weight)) options%weight = weight
    if (present(tolerance)) options%tolerance = tolerance
    if (present(max_rounds)) options%max_rounds = int(max_rounds, c_int)
    if (present(num_start)) options%num_start = num_start
  end function

  !> The characters of a name for C, none where it is not given.
  function characters(name) result(text)
    character(*), intent(in), optional :: name
    character(kind=c_char), allocatable :: text(:)
    character(:), allocatable :: with_end
    integer :: i
    allocate (text(0))
    if (.not. present(name)) return
    with_end = c_text(name)
    deallocate (text)
    allocate (text(len(with_end)))
    do i = 1, len(with_end)
      text(i) = with_end(i:i)
    end do
  end function

end module wavegrid_eigenpairs
