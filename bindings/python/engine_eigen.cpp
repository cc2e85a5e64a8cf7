// Eigenpairs of an operator that is a Python function on arrays of numpy.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <complex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>

#include "engine.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace wavegrid;
using namespace wavegrid::python;

namespace {

/// The Python functions of a call, and what one of them has raised.
struct Functions {
  nb::object apply, overlap, precondition;
  bool is_complex = false;
  std::optional<nb::python_error> raised{};
};

template <class T>
nb::object array_over(const void* data, std::int64_t vectors, std::int64_t rows) {
  const std::size_t shape[] = {static_cast<std::size_t>(vectors), static_cast<std::size_t>(rows)};
  return nb::cast(nb::ndarray<nb::numpy, T>(const_cast<void*>(data), 2, shape, nb::none()), nb::rv_policy::reference);
}

nb::object block(const Functions& functions, const void* data, std::int64_t vectors, std::int64_t rows) {
  return functions.is_complex ? array_over<std::complex<double>>(data, vectors, rows)
                              : array_over<double>(data, vectors, rows);
}

std::string as_text(const nb::object& object) { return nb::cast<std::string>(nb::str(object)); }

/// y = function(x); an exception is kept.
int call(Functions& functions, const nb::object& function, std::int64_t rows, std::int64_t vectors, const void* x,
         void* y) {
  const nb::gil_scoped_acquire acquire;
  try {
    const nb::object given = block(functions, x, vectors, rows), wanted = block(functions, y, vectors, rows);
    given.attr("setflags")("write"_a = false);
    const nb::module_ numpy = nb::module_::import_("numpy");
    const nb::object found = numpy.attr("asarray")(function(given));
    const nb::object shape = found.attr("shape"), valid = wanted.attr("shape");
    if (!shape.equal(valid))
      throw nb::type_error(("a function of the operator returns an array of shape " + as_text(shape) +
                            "; valid: that of its argument, " + as_text(valid))
                               .c_str());
    numpy.attr("copyto")(wanted, found, "casting"_a = "same_kind");
    return 0;
  } catch (nb::python_error& error) {
    functions.raised.emplace(std::move(error));
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(PyExc_TypeError, error.what());
    functions.raised.emplace();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    functions.raised.emplace();
  }
  return 1;
}

template <nb::object Functions::*function>
int call_member(void* context, std::int64_t rows, std::int64_t vectors, const void* x, void* y) {
  auto& functions = *static_cast<Functions*>(context);
  return call(functions, functions.*function, rows, vectors, x, y);
}

/// The result, with arrays of numpy.
struct Pairs {
  nb::object values, vectors;
  wavegrid_eigen_report report{};
};

template <class T>
Pairs solve(MPI_Fint comm, Functions& functions, std::int64_t rows, std::int64_t count, wavegrid_eigen_options& options,
            const nb::object& start) {
  std::vector<T> vectors(static_cast<std::size_t>(std::max<std::int64_t>(0, rows * count)));
  if (!start.is_none()) {
    const nb::object first = nb::module_::import_("numpy").attr("atleast_2d")(start);
    const auto given = nb::cast<nb::tuple>(first.attr("shape"));
    options.num_start = nb::cast<std::int64_t>(given[0]);
    if (nb::len(given) != 2 || nb::cast<std::int64_t>(given[1]) != rows || options.num_start > count)
      throw nb::type_error(("start has shape " + as_text(given) + "; valid: up to (" + std::to_string(count) + ", " +
                            std::to_string(rows) + ")")
                               .c_str());
    nb::module_::import_("numpy").attr("copyto")(array_over<T>(vectors.data(), options.num_start, rows), first);
  }
  std::vector<double> values(static_cast<std::size_t>(std::max<std::int64_t>(0, count)));
  Pairs pairs;
  int status = WAVEGRID_OK;
  {
    const nb::gil_scoped_release release;
    status =
        wavegrid_lowest_eigenpairs_f(comm, std::is_same_v<T, double> ? WAVEGRID_DOUBLE : WAVEGRID_COMPLEX_DOUBLE, rows,
                                     call_member<&Functions::apply>, &functions, &options, count, values.data(),
                                     vectors.data(), static_cast<std::int64_t>(vectors.size()), &pairs.report);
  }
  if (functions.raised) throw std::move(*functions.raised);
  check(status);
  const auto n = static_cast<std::size_t>(count);
  pairs.values = numpy_array(std::move(values), {n});
  pairs.vectors = numpy_array(std::move(vectors), {n, static_cast<std::size_t>(rows)});
  return pairs;
}

Pairs lowest_eigenpairs(const nb::object& comm, const nb::object& apply, std::int64_t rows, std::int64_t count,
                        const nb::object& dtype, const nb::object& overlap, const nb::object& precondition,
                        const nb::object& diagonal, double weight, const std::optional<std::string>& solver,
                        double tolerance, int max_rounds, const nb::object& start) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const auto name = nb::cast<std::string>(numpy.attr("dtype")(dtype).attr("name"));
  if (name != "float64" && name != "complex128")
    throw nb::type_error(("dtype is " + name + "; valid: float64, complex128").c_str());
  Functions functions{apply, overlap, precondition, name == "complex128"};
  wavegrid_eigen_options options{};
  if (!overlap.is_none()) options.overlap = call_member<&Functions::overlap>;
  if (!precondition.is_none()) options.precondition = call_member<&Functions::precondition>;
  const double none = 0;  // a pointer that is not null where this rank has no rows
  nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> numbers;
  if (!diagonal.is_none()) {
    numbers = nb::cast<decltype(numbers)>(numpy.attr("ascontiguousarray")(diagonal, "dtype"_a = "float64"));
    if (static_cast<std::int64_t>(numbers.size()) != rows)
      throw nb::type_error(
          ("diagonal has " + std::to_string(numbers.size()) + " elements; valid: " + std::to_string(rows)).c_str());
    options.diagonal = rows > 0 ? numbers.data() : &none;
  }
  options.weight = weight;
  if (solver) options.solver = solver->c_str();
  options.tolerance = tolerance;
  options.max_rounds = max_rounds;
  const MPI_Fint ranks = handle_of(comm);
  return functions.is_complex ? solve<std::complex<double>>(ranks, functions, rows, count, options, start)
                              : solve<double>(ranks, functions, rows, count, options, start);
}

}  // namespace

void add_eigenpairs(nb::module_& m) {
  nb::class_<Pairs>(m, "Eigenpairs", "The lowest eigenpairs of an operator.")
      .def_ro("values", &Pairs::values, nb::for_getter(nb::sig("def values(self, /) -> numpy.ndarray")),
              "(count) float64, rising, the same on all ranks.")
      .def_ro("vectors", &Pairs::vectors, nb::for_getter(nb::sig("def vectors(self, /) -> numpy.ndarray")),
              "(count, rows of this rank), <x|S|x> = 1.")
      .def_prop_ro(
          "converged", [](const Pairs& p) { return p.report.converged != 0; },
          "Whether the error is within the tolerance; if not, the vectors are the best so far.")
      .def_prop_ro(
          "error", [](const Pairs& p) { return p.report.error; },
          "The largest estimated error of the values, in the unit of H.")
      .def_prop_ro(
          "rounds", [](const Pairs& p) { return p.report.rounds; }, "Rounds of the solver.")
      .def_prop_ro(
          "applications", [](const Pairs& p) { return p.report.applications; }, "Applications of H to one vector.");
  m.def(
      "lowest_eigenpairs", lowest_eigenpairs, "comm"_a, "apply"_a, "rows"_a, "count"_a, "dtype"_a = "float64",
      "overlap"_a = nb::none(), "precondition"_a = nb::none(), "diagonal"_a = nb::none(), "weight"_a = 1.0,
      "solver"_a = nb::none(), "tolerance"_a = 1e-9, "max_rounds"_a = 500, "start"_a = nb::none(),
      nb::sig("def lowest_eigenpairs(comm: object, apply: collections.abc.Callable[[numpy.ndarray], numpy.ndarray], "
              "rows: int, count: int, dtype: object = 'float64', "
              "overlap: collections.abc.Callable[[numpy.ndarray], numpy.ndarray] | None = None, "
              "precondition: collections.abc.Callable[[numpy.ndarray], numpy.ndarray] | None = None, "
              "diagonal: numpy.ndarray | None = None, weight: float = 1.0, solver: str | None = None, "
              "tolerance: float = 1e-09, max_rounds: int = 500, start: numpy.ndarray | None = None) -> Eigenpairs"),
      "The count lowest eigenpairs of H x = e S x, where H is the function apply: x (vectors, rows of this rank) to an "
      "array of the same shape. x is read-only and valid during the call. Functions are called on all ranks with the "
      "same number of vectors, so that they may communicate; the exception of one ends the call on all ranks.\n\n"
      "comm: of mpi4py. rows: of this rank, 0 or more. dtype: float64 or complex128. overlap: y = S x; none: the unit "
      "matrix. precondition: y = K x, positive definite, near the inverse of H - e. diagonal: (rows) of H, a "
      "preconditioner where it varies much. weight: of <x|y> = weight sum conj(x) y. solver: chebyshev, lobpcg, "
      "davidson or rmm-diis; none: Chebyshev filters without preconditioner or diagonal, else LOBPCG. tolerance: "
      "largest error of a value, relative to the range of the values. start: (up to count, rows) vectors to begin "
      "with; none: random ones. Not to converge is no error: see Eigenpairs.converged. Collective.");
}
