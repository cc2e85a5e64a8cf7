// wavegrid._core: the interface of the C++ library for the command and the Python package. It only converts names to
// enumerators, containers to values, and errors to exceptions.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/process_memory.hpp>
#include <wavegrid/base/stop_signal.hpp>
#include <wavegrid/calculation/choose_discretisation.hpp>
#include <wavegrid/costmodel/choose_partition.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/crystal/magnetic_group.hpp>
#include <wavegrid/crystal/space_group_settings.hpp>
#include <wavegrid/fft/fftw_plan.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/linalg/blas_description.hpp>
#include <wavegrid/linalg/blas_kernels.hpp>
#include <wavegrid/mpi/environment.hpp>
#include <wavegrid/mpi/trace_file.hpp>

#include "core_charge.hpp"
#include "engine.hpp"
#include "enumerations.hpp"
#include "figures.hpp"
#include "mesh.hpp"
#include "problem.hpp"
#include "program_end.hpp"
#include "solved_state.hpp"

namespace nb = nanobind;
using namespace wavegrid;

namespace {

nb::dict versions() {
  nb::dict v;
  v["wavegrid"] = WAVEGRID_VERSION;
  v["mpi"] = mpi_library_version();
  if (mpi_is_running()) v["mpi_thread_level"] = mpi_thread_level();
  v["fftw"] = fftw_library_version();
  v["blas"] = blas_description();
  v["libxc"] = Xc::libxc_version();
  return v;
}

std::vector<std::tuple<int, std::string, std::string, std::string, std::string>> settings_of_space_groups() {
  std::vector<std::tuple<int, std::string, std::string, std::string, std::string>> found;
  for (const auto& [number, symbol, full, hall, choice] : space_group_settings())
    found.emplace_back(number, symbol, full, hall, choice);
  return found;
}

std::vector<std::pair<Rotation, Vec3>> setting_operations(int index) {
  std::vector<std::pair<Rotation, Vec3>> found;
  for (const SymmetryOperation& one : operations_in_setting(index)) found.emplace_back(one.rotation, one.translation);
  return found;
}

/// A partition of the sphere that a command line describes.
struct Divided {
  StickCounts counts;
  PartitionChoice choice;
};

Divided divide(const Mat3& cell, double ecut, const Int3& grid, bool gamma, const std::string& scheme, int ranks) {
  const GSphere sphere(Lattice(cell), ecut, grid, gamma ? Mode::gamma : Mode::complex);
  return {sphere.counts(), choose_partition(scheme_named(scheme), sphere.counts(), grid[0], ranks)};
}

nb::dict partition_figures(const Mat3& cell, double ecut, const Int3& grid, bool gamma, const std::string& scheme,
                           int ranks) {
  const auto [counts, choice] = divide(cell, ecut, grid, gamma, scheme, ranks);
  const LoadStatistics load = load_statistics(choice.partition, counts);
  const MessageStatistics traffic = message_statistics(choice.partition, counts, grid[0]);
  nb::dict d;
  d["scheme"] = scheme;
  d["ranks"] = ranks;
  d["rows"] = choice.partition.shape.rows;
  d["columns"] = choice.partition.shape.columns;
  d["plane_waves"] = load.plane_waves;
  d["max"] = load.max;
  d["min"] = load.min;
  d["mean"] = load.mean;
  d["imbalance"] = load.imbalance;
  d["sticks_max"] = load.max_sticks;
  d["messages"] = nb::cast(std::vector<Index>{traffic.first.messages, traffic.second.messages});
  d["bytes"] = nb::cast(std::vector<Index>{traffic.first.bytes, traffic.second.bytes});
  d["partition"] = to_string(choice.partition.scheme);
  d["partition_reason"] = choice.reason;
  return d;
}

nb::dict partition_map(const Mat3& cell, double ecut, const Int3& grid, bool gamma, const std::string& scheme,
                       int ranks) {
  const auto [counts, choice] = divide(cell, ecut, grid, gamma, scheme, ranks);
  const Partition& partition = choice.partition;
  std::vector<std::vector<int>> owners;
  for (auto plane = partition.stick_owner.begin(); plane != partition.stick_owner.end(); plane += grid[1])
    owners.emplace_back(plane, plane + grid[1]);
  std::vector<int> column_of_x;
  for (int column = 0; column < partition.shape.columns; ++column)
    column_of_x.insert(column_of_x.end(),
                       static_cast<std::size_t>(BlockLayout(grid[0], partition.shape.columns).range(column).size()),
                       column);
  nb::dict d;
  d["owner"] = nb::cast(owners);
  d["row_of_z"] = nb::cast(partition.plane_row);
  d["column_of_x"] = nb::cast(column_of_x);
  d["load"] = nb::cast(loads(partition, counts));
  return d;
}

bool owns_process = false;  ///< whether the process belongs to wavegrid alone

std::pair<int, int> mpi_start() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  owns_process = owns_process || !initialized;
  initialise_mpi(nullptr, nullptr);
  end_all_at_library_faults();
  return {Comm::world().rank(), Comm::world().size()};
}

/// Calls a Python function, unless it is None, with what the library reports. Refers to it: copies of the observer are
/// made without the GIL.
template <class Report>
std::function<void(const Report&)> observer_of(const nb::object& function) {
  return [&function, began = std::chrono::steady_clock::now()](const Report& report) {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!function.is_none()) function(as_dict(report, began));
  };
}

/// Bytes of a density's coefficients on one of some ranks.
std::size_t field_bytes(const Problem& problem, const Comm& comm) {
  const Int3 grid = rules_for(problem).field_grid(problem);
  const Index points = Index{grid[0]} * grid[1] * grid[2];
  return static_cast<std::size_t>(ceil_div(points, comm.size())) * sizeof(std::complex<double>);
}

Session make_session(const nb::dict& settings, Trace* trace, bool keep_plans, const Comm* group) {
  const Problem problem = problem_from(settings);
  const Comm comm = group == nullptr ? Comm::world() : *group;
  if (owns_process) return_freed_memory(field_bytes(problem, comm));
  nb::gil_scoped_release release;
  return {comm, problem, trace, {.keep_plans = keep_plans}};
}

nb::object write_session_checkpoint(Session& session) {
  std::optional<CheckpointReport> report;
  {
    const nb::gil_scoped_release release;
    report = session.write_checkpoint();
  }
  return report ? nb::object(as_dict(*report)) : nb::none();
}

/// The text of rank 0, on all ranks.
std::string broadcast_text(std::string text) {
  const nb::gil_scoped_release release;
  const Comm world = Comm::world();
  Index size[1] = {static_cast<Index>(text.size())};
  world.broadcast(std::span<Index>(size));
  text.resize(static_cast<std::size_t>(size[0]));
  world.broadcast(std::span<char>(text));
  return text;
}

/// The texts of all ranks on rank 0, on the others none.
std::vector<std::string> gather_texts(const std::string& text) {
  const nb::gil_scoped_release release;
  const Comm world = Comm::world();
  const bool is_first = world.rank() == 0;
  std::vector<std::string> all;
  for (int rank = 0; rank < world.size(); ++rank) {
    std::string one = world.rank() == rank ? text : "";
    Index size[1] = {static_cast<Index>(one.size())};
    world.broadcast(std::span<Index>(size), rank);
    one.resize(static_cast<std::size_t>(size[0]));
    world.broadcast(std::span<char>(one), rank);
    if (is_first) all.push_back(std::move(one));
  }
  return all;
}

/// As the problem asks for.
PropagationResult propagate_session(Session& session, const nb::object& on_activity) {
  const Propagation options = *session.problem().propagation;
  const auto began = std::chrono::steady_clock::now();
  const PropagationObserver observe = [&](const PropagationStep& step) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!on_activity.is_none()) on_activity(as_dict(step, options.steps, began));
  };
  const nb::gil_scoped_release release;
  return session.propagate(options, observe);
}

/// As the problem asks for.
FieldResponseResult respond_session(Session& session, const nb::object& on_activity) {
  const FieldResponse options = *session.problem().field_response;
  const auto began = std::chrono::steady_clock::now();
  const FieldResponseObserver observe = [&](const FieldResponseStep& step) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!on_activity.is_none()) on_activity(as_dict(step, began));
  };
  const nb::gil_scoped_release release;
  return session.respond(options, observe);
}

nb::dict session_levels(Session& session, const std::vector<Vec3>& kpoints) {
  BandStructure found;
  {
    const nb::gil_scoped_release release;
    found = session.levels(kpoints);
  }
  const Problem& problem = session.problem();
  return as_dict(found, {static_cast<Index>(kpoints.size()), problem.spins, problem.bands});
}

nb::dict solve_session(Session& session, const nb::object& on_step, const nb::object& on_activity) {
  const ScfObserver observe = observer_of<ScfStep>(on_step);
  const ActivityObserver report = observer_of<Activity>(on_activity);
  CalculationResult result;
  {
    nb::gil_scoped_release release;
    result = session.solve(observe, report);
  }
  nb::dict d = as_dict(result, session.problem());
  if (session.problem().propagation && result.scf.converged && !result.scf.stopped)
    add(d, propagate_session(session, on_activity));
  if (session.problem().field_response && result.scf.converged && !result.scf.stopped)
    add(d, respond_session(session, on_activity));
  return d;
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
  fit_blas_kernels();
  m.doc() = "The C++ core of wavegrid. Units: Hartree and bohr.";
  // One Python class per kind of error. The module keeps them, so that these pointers stay valid.
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

  m.def("enumerations", enumerations, "The names that the core takes, by key of the input.");
  m.def("defaults", defaults, "The defaults of the C++ structures, by key of the input.");
  m.def("versions", versions, "Versions of wavegrid and its libraries.");
  m.def(
      "default_grid", [](const Mat3& cell, double ecut) { return default_grid(Lattice(cell), ecut); }, nb::arg("cell"),
      nb::arg("ecut"), "The smallest 2-3-5-7 grid of at least 4 gmax + 1 points; cell rows in bohr, ecut in Ha.");
  m.def(
      "smooth_grid", [](const Mat3& cell, double ecut) { return smooth_grid(Lattice(cell), ecut); }, nb::arg("cell"),
      nb::arg("ecut"), "The smallest 2-3-5-7 grid that holds the sphere, at least 2 gmax + 1 points.");
  m.def(
      "minimum_grid", [](const Mat3& cell, double ecut) { return minimum_grid(Lattice(cell), ecut); }, nb::arg("cell"),
      nb::arg("ecut"), "The smallest grid that holds the sphere, 2 gmax + 1 points.");
  m.def(
      "check_xc", [](const std::string& names) { return Xc::parse(names).name(); }, nb::arg("names"),
      "Reads libxc names joined by +; raises BadInput with the nearest names.");
  m.def(
      "gth_elements", [](const std::string& file) { return GthTable(file).elements(); }, nb::arg("file"),
      "Elements of a table of GTH pseudopotentials.");
  m.def("gth_entries", gth_entries, nb::arg("file"), nb::arg("element"),
        "Valence charges of an element in a table, ascending; empty if there are none.");
  m.def("pseudopotential_info", pseudopotential_info, nb::arg("file"), nb::arg("element"),
        nb::arg("valence").none() = nb::none(), nb::arg("name") = "", nb::arg("ecut").none() = nb::none(),
        "Contents of a pseudopotential file (UPF, psp8, GTH of CP2K or ABINIT, or a table) for an element: element, "
        "valence, format, functional, core_density, projectors and occupation per l, recommended_ecut (Ha), mesh_ecut "
        "(Ha), and where the former is from, with ecut (Ha) ecut_error, the error of the atom's energy (Ha), and of "
        "ultrasoft and PAW datasets recommended_density_ecut (Ha) and where it is from. BadInput names file and line.");
  m.def("core_charge", core_charge, nb::arg("file"), nb::arg("element"), nb::arg("valence"), nb::arg("name"),
        "The density of the core electrons of a pseudopotential, electrons/bohr^3, as (radii, values): of a PAW "
        "dataset the all-electron one, else the partial one of the nonlinear core correction; None without one.");
  m.def("partition_figures", partition_figures, nb::arg("cell"), nb::arg("ecut"), nb::arg("grid"), nb::arg("gamma"),
        nb::arg("scheme"), nb::arg("ranks"),
        "Plane waves per rank of a partition, and messages and bytes of [first, second] transpose. Needs no MPI.");
  m.def("partition_map", partition_map, nb::arg("cell"), nb::arg("ecut"), nb::arg("grid"), nb::arg("gamma"),
        nb::arg("scheme"), nb::arg("ranks"),
        "Owners, in FFT order: rank of every stick (nz, ny) and row of every plane (nz), -1 outside the sphere; "
        "column of every yz-plane (nx); plane waves of every rank.");
  add_mesh_functions(m);
  add_layouts(m);
  add_plans(m);
  add_transforms(m);
  add_halos_and_boxes(m);
  add_eigenpairs(m);
  m.def("memory_estimate", memory_estimate, nb::arg("problem"), nb::arg("ranks"),
        "Peak memory of the rank that needs most, bytes by part; the k-points, and the division of k-points, bands and "
        "plane waves over ranks. Needs no MPI.");
  m.def("machine_rates", machine_rates,
        "Operations per second of this process, measured in some milliseconds: fft (1-D transforms) and gemm.");
  m.def(
      "band_transform_seconds", band_transform_seconds, nb::arg("problem"),
      "Seconds of one transform of a band on one rank and one thread, measured in some milliseconds; None where bands "
      "do not go through the box in lanes. Needs no MPI.");
  m.def("describe", describe, nb::arg("problem"),
        "k-points (n, 4) with weights, their description, the mode, and the independent functions of the smallest and "
        "largest sphere. Needs no MPI.");
  m.def("closest_pair", closest_pair, nb::arg("crystal"), nb::arg("below"), nb::arg("sizes") = std::vector<double>(),
        "The closest two atoms (from 0; equal: an atom and its own image) and their distance, if below `below` (bohr); "
        "the crystal has cell, species and atoms. With `sizes` of species (bohr): by distance over the sum of both.");
  m.def("symmetric_grid", symmetric_grid_of, nb::arg("crystal"), nb::arg("least"),
        "The smallest grid not below `least` that every symmetry operation of a crystal maps onto itself; the crystal "
        "has cell, species, atoms and, if given, initial_magnetic_moments.");
  m.def("lost_rotations", lost_rotations, nb::arg("crystal"), nb::arg("mesh"), nb::arg("shift"),
        "The number of rotations of a crystal (as for symmetric_grid) that do not map a mesh of k-points onto itself.");
  m.def("has_whole_stars", list_has_whole_stars, nb::arg("crystal"), nb::arg("list"),
        "Whether a list of k-points (kx, ky, kz, weight) has, with each point, all that are equivalent to it by the "
        "symmetry of a crystal (as for symmetric_grid) or by time reversal, with the same weight.");
  m.def(
      "primitive_cells",
      [](const nb::dict& crystal) { return find_space_group(crystal_from(crystal)).num_translations(); },
      nb::arg("crystal"), "The number of primitive cells in the cell of a crystal (cell, species, atoms).");
  m.def(
      "space_group_settings", settings_of_space_groups,
      "The 530 settings of the space groups: number, Hermann-Mauguin symbol, full symbol, Hall symbol, and the choice "
      "of axes and origin; the standard setting of a group comes first.");
  m.def("setting_operations", setting_operations, nb::arg("index"),
        "The operations (rotation, translation) of the setting `index` (from 0), on fractional coordinates.");
  m.def(
      "space_group",
      [](const nb::dict& crystal, double tolerance) {
        const SpaceGroup group = find_space_group(crystal_from(crystal), {}, tolerance);
        return std::pair{group.symbol(), group.number()};
      },
      nb::arg("crystal"), nb::arg("tolerance"),
      "Symbol and number of the space group of a crystal (cell, species, atoms) within a tolerance, bohr.");
  m.def(
      "crystal_rotations",
      [](const nb::dict& settings, const std::vector<double>& moments, double tolerance) {
        const Crystal crystal = crystal_from(settings);
        std::vector<Mat3> all;
        for (const SymmetryOperation& one : find_space_group(crystal, moments, tolerance).one_per_rotation())
          all.push_back(cartesian_rotation(one.rotation, crystal.lattice.vectors()));
        return all;
      },
      nb::arg("crystal"), nb::arg("moments"), nb::arg("tolerance"),
      "The rotations of a crystal (cell, species, atoms) with moments along one axis (one for each atom, or none), as "
      "matrices on Cartesian column vectors; tolerance in bohr.");
  m.def(
      "magnetic_rotations",
      [](const nb::dict& settings, const std::vector<Vec3>& moments, double tolerance) {
        const Crystal crystal = crystal_from(settings);
        const SpaceGroup group = find_space_group(crystal, {}, tolerance);
        return std::pair{magnetic_group(group, crystal, moments).num_rotations(), group.num_rotations()};
      },
      nb::arg("crystal"), nb::arg("moments"), nb::arg("tolerance"),
      "How many rotations of a crystal (cell, species, atoms) its magnetic moments (Cartesian, one for each atom) "
      "leave, "
      "with or without time reversal, and how many there are; tolerance in bohr.");
  m.def("catch_signals", wavegrid::catch_stop_signals,
        "SIGINT, SIGTERM and SIGHUP no longer end the process: a calculation with checkpoints writes one after the "
        "current step and returns. A second signal does end it.");
  m.def("mpi_start", mpi_start, "Starts MPI if necessary; returns this process's rank and the number of ranks.");
  m.def(
      "mpi_ranks_of_node", [] { return Comm::world().split_by_memory().size(); },
      "The number of ranks that share the memory of this one. Collective.");
  m.def(
      "on_any_rank",
      [](bool flag) {
        const nb::gil_scoped_release release;
        return Comm::world().max(flag ? 1 : 0) == 1;
      },
      nb::arg("flag"), "Whether the flag is set on a rank. Collective.");
  m.def("broadcast", broadcast_text, nb::arg("text"), "The text of rank 0, on all ranks. Collective.");
  m.def("gather", gather_texts, nb::arg("text"),
        "The texts of all ranks on rank 0, nothing on the others; for few ranks that have any. Collective.");
  m.def(
      "mpi_stop",
      [] {
        MPI_Finalize();
        allow_exit();
      },
      "Ends MPI. Collective.");
  m.def("mpi_abort", abort_all_ranks, nb::arg("code"), "Ends all ranks, this one last: it does not return.");
  m.def(
      "end_all_at_faults", end_all_at_faults, nb::arg("report"), nb::arg("rank"),
      "From now on memory that is refused, an error inside MPI or a library that calls exit() ends all ranks with one "
      "message: to the file `report` with the exit code, or to stderr if that is empty. For a program, before "
      "mpi_start; `rank` is named in the message until MPI runs.");
  nb::class_<Trace>(m, "Trace", "The phases of this rank with their times, for a timeline.");
  m.def(
      "start_trace", [] { return start_trace(Comm::world()); }, "An empty trace per rank. Collective.");
  m.def(
      "write_trace",
      [](const Trace& trace, const std::string& path, const std::string& process, const std::string& run) {
        const nb::gil_scoped_release release;
        write_trace(Comm::world(), trace, {path, process, run});
      },
      nb::arg("trace"), nb::arg("path"), nb::arg("process"), nb::arg("run"),
      "Writes the traces of all ranks to one file. Collective; path and run (a JSON object) count on rank 0.");
  nb::class_<Comm>(m, "RankGroup", "The ranks that pass the same number, for sessions of their own. Collective.")
      .def(
          "__init__",
          [](Comm* self, int number) {
            const Comm world = Comm::world();
            new (self) Comm(world.split(number, world.rank()));
          },
          nb::arg("number"));
  nb::class_<Session>(m, "Session",
                      "A problem solved repeatedly for changed atoms and cells; density and bands are kept, with "
                      "keep_plans also the plans. All members are collective over all ranks, with the same arguments, "
                      "also the end of its life: delete it on all ranks.")
      .def(
          "__init__",
          [](Session* self, const nb::dict& problem, Trace* trace, bool keep_plans, const Comm* group) {
            new (self) Session(make_session(problem, trace, keep_plans, group));
          },
          nb::arg("problem"), nb::arg("trace").none() = nb::none(), nb::arg("keep_plans") = true,
          nb::arg("group").none() = nb::none(), nb::keep_alive<1, 3>(),
          "Phases are recorded in trace if that is not None. With a group the session is one of its ranks alone.")
      .def("solve", solve_session, nb::arg("on_step").none() = nb::none(), nb::arg("on_activity").none() = nb::none(),
           "Solves the problem in its present geometry; the first time from its initial density, then from the last "
           "density and bands. Functions that are not None are called on each rank: on_step after each SCF step, "
           "where fields() and bands() are those of the step; on_activity when forces and stress or the last "
           "checkpoint begin and after each k-point of the band path.")
      .def("levels", session_levels, nb::arg("kpoints"),
           "Levels at further k-points, in units of the reciprocal vectors, in the potential of the last solve: "
           "eigenvalues by spin, k-point, band, error_bound (Ha), converged.")
      .def("write_checkpoint", write_session_checkpoint,
           "Writes a checkpoint of the last solve, before the geometry is changed, and returns the report of all so "
           "far; "
           "None if the problem has no checkpoint.")
      .def("fields", session_fields,
           "Density and potential of the last solve at this rank's points: counts, points (n, 3), density, "
           "kinetic_density and potential (components, n); electrons/bohr^3, Ha/bohr^3, Ha.")
      .def("bands", session_bands,
           "The bands of this rank's k-point group: k, spin, kpoint, eigenvalues (Ha), occupations, rows (n, 3) and "
           "coefficients (bands, n).")
      .def("set_positions", &Session::set_positions, nb::arg("fractional"),
           "Moves the atoms: fractional coordinates, one triple for each atom.")
      .def("set_cell", &Session::set_cell, nb::arg("vectors"), nb::arg("grid").none() = nb::none(),
           nb::arg("density_grid").none() = nb::none(),
           "Sets the cell vectors (rows, bohr) and, if given, other FFT grids; fractional coordinates stay.");
}
