#include "c_interface.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <complex>
#include <iterator>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mpi/environment.hpp>

namespace nb = nanobind;

namespace wavegrid::python {

void check(int status) {
  if (status == WAVEGRID_OK) return;
  const std::string message = wavegrid_last_error();
  if (status == WAVEGRID_BAD_INPUT) throw bad_input(message);
  throw status == WAVEGRID_ENVIRONMENT ? environment_error(message) : internal_error(message);
}

MPI_Fint handle_of(const nb::object& comm) {
  const nb::module_ mpi = nb::module_::import_("mpi4py.MPI");
  if (!nb::isinstance(comm, mpi.attr("Comm")))
    throw nb::type_error(("comm is a " + nb::cast<std::string>(nb::str(comm.type().attr("__name__"))) +
                          "; valid: a communicator of mpi4py")
                             .c_str());
  const auto version = nb::cast<std::string>(mpi.attr("Get_library_version")());
  const std::string theirs = version.substr(0, version.find_first_of(",\n")), ours = mpi_library_version();
  const bool running = nb::cast<bool>(mpi.attr("Is_initialized")()) && !nb::cast<bool>(mpi.attr("Is_finalized")());
  const std::string remedy =
      "; install mpi4py for the MPI of wavegrid: MPICC=mpicc pip install --no-binary mpi4py --force-reinstall mpi4py";
  if (theirs != ours)
    throw environment_error("mpi4py uses the MPI library '" + theirs + "', wavegrid '" + ours + "'" + remedy);
  if (!running) throw bad_input("MPI is not running; valid: between mpi4py's MPI.Init and MPI.Finalize");
  if (!mpi_is_running())
    throw environment_error("mpi4py and wavegrid have loaded two copies of the MPI library '" + ours + "'" + remedy);
  return nb::cast<MPI_Fint>(comm.attr("py2f")());
}

namespace {

constexpr const char* type_names[] = {"float32", "float64", "complex64", "complex128", "int64"};

std::string to_string(const nb::dlpack::dtype& type) {
  static constexpr const char* kinds[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  return (type.code < std::size(kinds) ? kinds[type.code] : "type") + std::to_string(type.bits);
}

}  // namespace

std::optional<int> array_type(const ArrayView& array) {
  const nb::dlpack::dtype types[] = {nb::dtype<float>(), nb::dtype<double>(), nb::dtype<std::complex<float>>(),
                                     nb::dtype<std::complex<double>>(), nb::dtype<std::int64_t>()};
  const auto* const found = std::find(std::begin(types), std::end(types), array.type);
  if (found == std::end(types)) return std::nullopt;
  return static_cast<int>(found - std::begin(types));
}

void require(const ArrayView& array, int type) {
  if (array_type(array) == type && array.contiguous) return;
  throw nb::type_error((std::string(array.name) + " is an array of " + to_string(array.type) +
                        (array.contiguous ? "" : " that is not C-contiguous") + "; valid: C-contiguous " +
                        type_names[type])
                           .c_str());
}

}  // namespace wavegrid::python
