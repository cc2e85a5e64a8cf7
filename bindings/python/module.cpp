// wavegrid._core: what the command and the Python package need of the C++ library. Thin: names become enumerators,
// containers become values, errors become exceptions.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "fft/fftw_plan.hpp"
#include "linalg/lapack.hpp"
#include "problem.hpp"

namespace nb = nanobind;
using namespace wavegrid;

namespace {

nb::dict versions() {
  nb::dict v;
  v["wavegrid"] = WAVEGRID_VERSION;
  v["mpi"] = mpi_library_version();
  v["fftw"] = fftw_library_version();
  v["blas"] = lapack::blas_description();
  v["libxc"] = Xc::libxc_version();
  return v;
}

nb::dict partition_figures(const Mat3& cell, double ecut, const Int3& grid, bool gamma, const std::string& scheme,
                           int ranks) {
  const GSphere sphere(Lattice(cell), ecut, grid, gamma ? Mode::gamma : Mode::complex);
  const Partition partition = make_partition(scheme_named(scheme), sphere.counts(), grid[0], ranks);
  const LoadFigures load = load_figures(partition, sphere.counts());
  nb::dict d;
  d["scheme"] = scheme;
  d["ranks"] = ranks;
  d["rows"] = partition.shape.rows;
  d["columns"] = partition.shape.columns;
  d["plane_waves"] = load.plane_waves;
  d["max"] = load.max;
  d["min"] = load.min;
  d["mean"] = load.mean;
  d["imbalance"] = load.imbalance;
  return d;
}

/// Owner of every stick as rows of iz, -1 outside the sphere.
std::vector<std::vector<int>> stick_owners(const Mat3& cell, double ecut, const Int3& grid, bool gamma,
                                           const std::string& scheme, int ranks) {
  const GSphere sphere(Lattice(cell), ecut, grid, gamma ? Mode::gamma : Mode::complex);
  const Partition partition = make_partition(scheme_named(scheme), sphere.counts(), grid[0], ranks);
  std::vector<std::vector<int>> rows;
  for (auto plane = partition.stick_owner.begin(); plane != partition.stick_owner.end(); plane += grid[1])
    rows.emplace_back(plane, plane + grid[1]);
  return rows;
}

nb::dict memory_estimate(const nb::dict& settings, int ranks) {
  const Problem problem = problem_from(settings);
  (void)Xc::parse(problem.xc);
  const GSphere sphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode);
  const Partition partition = make_partition(problem.scheme, sphere.counts(), problem.grid[0], ranks);
  nb::dict d;
  d["bytes_per_rank"] = static_cast<Index>(estimate_memory(problem, ranks));
  d["partition"] = name_of(problem.scheme);
  d["rows"] = partition.shape.rows;
  d["columns"] = partition.shape.columns;
  d["electrons"] = count_electrons(problem.crystal, problem.pseudopotentials);
  return d;
}

std::pair<int, int> mpi_start() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (!initialized) {
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
    // Windows of two groups of ranks made at once share one file there and crash (Open MPI issue 9492).
    setenv("OMPI_MCA_osc", "^rdma", 0);
#endif
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  return {Comm::world().rank(), Comm::world().size()};
}

nb::dict solve(const nb::dict& settings, const nb::object& on_step) {
  const Problem problem = problem_from(settings);
  const auto began = std::chrono::steady_clock::now();
  const auto observe = [&](const ScfStep& step) {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!on_step.is_none()) on_step(as_dict(step, began));
  };
  CalculationResult result;
  {
    nb::gil_scoped_release release;
    result = run_calculation(Comm::world(), problem, observe);
  }
  return as_dict(result, problem);
}

/// An exception class as an attribute of the module.
nb::object exception_class(nb::module_& m, const char* name, PyObject* base) {
  const std::string full_name = std::string("wavegrid._core.") + name;
  nb::object type = nb::steal(PyErr_NewException(full_name.c_str(), base, nullptr));
  m.attr(name) = type;
  return type;
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The C++ core of wavegrid. Units: Hartree and bohr.";
  // One Python class per kind of error. The interpreter keeps them for the module's life; so do these pointers.
  static PyObject *bad_input, *environment_fault, *internal_error;
  const nb::object error = exception_class(m, "Error", PyExc_Exception);
  bad_input = exception_class(m, "BadInput", error.ptr()).ptr();
  environment_fault = exception_class(m, "EnvironmentFault", error.ptr()).ptr();
  internal_error = exception_class(m, "InternalError", error.ptr()).ptr();
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& fault) {
      PyErr_SetString(fault.kind() == ErrorKind::bad_input     ? bad_input
                      : fault.kind() == ErrorKind::environment ? environment_fault
                                                               : internal_error,
                      fault.what());
    }
  });

  m.def("versions", versions, "Versions of wavegrid and its libraries.");
  m.def(
      "default_grid", [](const Mat3& cell, double ecut) { return default_grid(Lattice(cell), ecut); }, nb::arg("cell"),
      nb::arg("ecut"), "The smallest 2-3-5-7 grid of at least 4 gmax + 1 points; cell rows in bohr, ecut in Ha.");
  m.def(
      "minimum_grid", [](const Mat3& cell, double ecut) { return minimum_grid(Lattice(cell), ecut); }, nb::arg("cell"),
      nb::arg("ecut"), "The smallest grid that holds the sphere, 2 gmax + 1 points.");
  m.def(
      "check_xc", [](const std::string& names) { return Xc::parse(names).name(); }, nb::arg("names"),
      "Reads libxc names joined by +; raises BadInput that names the nearest ones.");
  m.def(
      "gth_elements", [](const std::string& file) { return GthTable(file).elements(); }, nb::arg("file"),
      "Elements of a table of GTH pseudopotentials.");
  m.def("gth_entries", gth_entries, nb::arg("file"), nb::arg("element"),
        "Valence charges that a table offers for an element, rising; empty where it has none.");
  m.def("partition_figures", partition_figures, nb::arg("cell"), nb::arg("ecut"), nb::arg("grid"), nb::arg("gamma"),
        nb::arg("scheme"), nb::arg("ranks"), "Plane waves per rank of a partition. Needs no MPI.");
  m.def("stick_owners", stick_owners, nb::arg("cell"), nb::arg("ecut"), nb::arg("grid"), nb::arg("gamma"),
        nb::arg("scheme"), nb::arg("ranks"), "Rank of every stick, (nz, ny) in FFT order, -1 outside the sphere.");
  m.def("memory_estimate", memory_estimate, nb::arg("problem"), nb::arg("ranks"),
        "Peak memory of the largest rank in bytes, and the partition. Needs no MPI.");
  m.def("mpi_start", mpi_start, "Starts MPI if need be; returns this process's rank and the number of ranks.");
  m.def(
      "mpi_stop", [] { MPI_Finalize(); }, "Ends MPI. Collective.");
  m.def(
      "mpi_abort", [](int code) { MPI_Abort(MPI_COMM_WORLD, code); }, nb::arg("code"), "Ends all ranks.");
  m.def("solve", solve, nb::arg("problem"), nb::arg("on_step").none(),
        "Solves a problem. Collective over all ranks; on_step is called after each SCF step where it is not None.");
}
