#include "problem.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <wavegrid/atom/recommended_cutoff.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/problem/choose_kpoints.hpp>
#include <wavegrid/problem/distinguished_atoms.hpp>
#include <wavegrid/problem/field_symmetry.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>
#include <wavegrid/pseudo/text_file.hpp>

#include "enumerations.hpp"

namespace nb = nanobind;
using namespace wavegrid;

namespace {

/// What a value of the problem has to be, for messages.
template <class T>
const char* name_of_type() {
  if constexpr (std::is_same_v<T, bool>) return "True or False";
  if constexpr (std::is_same_v<T, int>) return "a whole number of 32 bits";
  if constexpr (std::is_integral_v<T>) return "a whole number of 64 bits";
  if constexpr (std::is_floating_point_v<T>) return "a number";
  if constexpr (std::is_same_v<T, std::string>) return "a text";
  if constexpr (std::is_same_v<T, nb::dict>) return "a dictionary";
  return "a sequence of the right length and type";
}

/// A value as Python writes it, shortened. Python refuses to write numbers of thousands of digits.
std::string shown(const nb::handle& value) {
  try {
    std::string text = nb::repr(value).c_str();
    return text.size() > 60 ? text.substr(0, 57) + "..." : text;
  } catch (const nb::python_error&) {
    return "a value that cannot be printed";
  }
}

/// A value of the problem as T; one of another type or beyond T's range is bad input.
template <class T>
T converted(const nb::handle& value, const char* key) {
  try {
    return nb::cast<T>(value);
  } catch (const nb::cast_error&) {
    throw bad_input(std::string("'") + key + "' of the problem is " + shown(value) + "; valid: " + name_of_type<T>());
  }
}

/// The value of a key that Python always passes; a missing key is an internal error.
template <class T>
T get(const nb::dict& d, const char* key) {
  if (!d.contains(key)) throw internal_error(std::string("the problem has no '") + key + "'");
  return converted<T>(d[key], key);
}

/// The value of a key that may be None.
template <class T>
std::optional<T> optional(const nb::dict& d, const char* key) {
  const nb::object value = get<nb::object>(d, key);
  return value.is_none() ? std::nullopt : std::optional<T>(converted<T>(value, key));
}

/// The enumerator of a name, none for "auto".
template <class E>
std::optional<E> unless_automatic(const std::string& name, const char* what) {
  return name == "auto" ? std::nullopt : std::optional<E>(parsed<E>(name, what));
}

/// The default one where nothing is known.
Machine machine_from(const nb::dict& settings) {
  const auto numbers = optional<nb::dict>(settings, "machine");
  Machine machine;
  if (!numbers) return machine;
  machine.latency = get<double>(*numbers, "latency");
  machine.bandwidth = get<double>(*numbers, "bandwidth");
  machine.flops = get<double>(*numbers, "flops");
  for (const auto& [from, latency, bandwidth] : get<std::vector<std::array<double, 3>>>(*numbers, "pieces"))
    machine.pieces.push_back({from, {latency, bandwidth}});
  return machine;
}

Pseudopotentials pseudopotentials_from(const nb::dict& settings, const std::vector<std::string>& species) {
  Pseudopotentials potentials;
  std::size_t i = 0;
  const bool spin_orbit = get<bool>(settings, "spin_orbit");
  for (const nb::dict& choice : get<std::vector<nb::dict>>(settings, "pseudopotentials"))
    potentials.push_back(read_pseudopotential(get<std::string>(choice, "file"), species.at(i++),
                                              optional<int>(choice, "valence"), get<std::string>(choice, "name"),
                                              spin_orbit));
  return potentials;
}

/// Potentials with the shells of DFT+U: {"projectors", "shells": {element: [{"shell", "u", "j", "occupations"}, ...]}}.
/// Settings of an earlier version have no such key.
Pseudopotentials with_shells(const nb::dict& settings, Pseudopotentials potentials,
                             const std::vector<std::string>& species) {
  const auto given = settings.contains("hubbard") ? optional<nb::dict>(settings, "hubbard") : std::nullopt;
  if (!given) return potentials;
  const auto orbitals = parsed<HubbardOrbitals>(get<std::string>(*given, "projectors"), "projectors of DFT+U");
  const auto shells = get<nb::dict>(*given, "shells");
  for (std::size_t i = 0; i < species.size(); ++i) {
    if (!shells.contains(species[i].c_str())) continue;
    std::vector<HubbardSetting> given_shells;
    for (const nb::dict& shell : get<std::vector<nb::dict>>(shells, species[i].c_str()))
      given_shells.push_back({.shell = get<std::string>(shell, "shell"),
                              .u = get<double>(shell, "u"),
                              .j = optional<double>(shell, "j"),
                              .initial = get<std::array<std::vector<double>, 2>>(shell, "occupations")});
    potentials[i] = with_hubbard(potentials[i], given_shells, orbitals);
  }
  return potentials;
}

/// {"shifts", "occupations"} of the table of DFT+U, for its linear response.
std::optional<HubbardPerturbation> hubbard_perturbation_from(const nb::dict& settings) {
  if (!settings.contains("hubbard_perturbation")) return {};
  const auto given = optional<nb::dict>(settings, "hubbard_perturbation");
  if (!given) return {};
  return HubbardPerturbation{
      .shifts = get<std::vector<double>>(*given, "shifts"),
      .occupations = get<std::vector<HubbardPerturbation::Matrices>>(*given, "occupations"),
  };
}

Smearing smearing_from(const nb::dict& settings) {
  const auto d = optional<nb::dict>(settings, "smearing");
  if (!d) return {SmearingKind::fixed, 0.0};
  return {parsed<SmearingKind>(get<std::string>(*d, "kind"), "smearing"), optional<double>(*d, "width").value_or(0)};
}

/// Settings of an earlier version have no such key.
std::vector<std::vector<double>> occupations_from(const nb::dict& settings) {
  if (!settings.contains("occupations")) return {};
  return optional<std::vector<std::vector<double>>>(settings, "occupations")
      .value_or(std::vector<std::vector<double>>{});
}

MixerOptions mixer_from(const nb::dict& d) {
  return {.method = parsed<MixingMethod>(get<std::string>(d, "method"), "mixing method"),
          .beta = get<double>(d, "beta"),
          .history = get<int>(d, "history"),
          .preconditioner = {.k0 = get<double>(d, "k0"), .epsilon = get<double>(d, "epsilon")}};
}

/// {"mesh", "shift"} of the k-points; none where they are listed or Gamma alone.
std::optional<KMesh> mesh_from(const nb::dict& settings) {
  const auto choice = optional<nb::dict>(settings, "kpoints");
  if (!choice || !choice->contains("mesh")) return std::nullopt;
  return KMesh{get<Int3>(*choice, "mesh"), get<Vec3>(*choice, "shift")};
}

/// The k-points of {"mesh", "shift"}, reduced by symmetry if the input requests it, or of {"list"}, which are reduced
/// already if it does.
KPointChoice kpoints_from(const nb::dict& settings, const Crystal& crystal, const std::vector<Int3>& grids,
                          const std::vector<double>& moments, const std::vector<Vec3>& vectors,
                          const Boundaries& boundaries, const std::optional<Propagation>& propagation) {
  const auto choice = optional<nb::dict>(settings, "kpoints");
  if (!choice) return {{KPoint{}}, SpaceGroup::identity(), "Gamma"};
  if (const auto mesh = mesh_from(settings))
    return choose_kpoints(crystal, moments, grids, *mesh, get<bool>(settings, "symmetry"), vectors, boundaries,
                          propagation ? std::optional(field_directions(*propagation)) : std::nullopt);
  const auto list = get<std::vector<std::array<double, 4>>>(*choice, "list");
  KPointChoice all{{}, SpaceGroup::identity(), std::to_string(list.size()) + " k-points from the input"};
  if (get<bool>(settings, "symmetry")) {
    all.group = symmetry_on_grids(crystal, moments, grids, vectors, boundaries);
    all.sentence += ", irreducible by " + all.group.description();
  }
  for (const auto& [x, y, z, weight] : list) all.points.push_back({{x, y, z}, weight});
  return all;
}

/// Real wave functions if Gamma is the only k-point, and neither band path nor propagation, response or spinors are
/// wanted.
Mode mode_of(const Problem& problem) {
  const bool gamma_alone = problem.kpoints.size() == 1 && norm2(problem.kpoints.front().k) == 0;
  const bool real =
      gamma_alone && problem.band_path.empty() && !problem.propagation && !problem.field_response && !problem.spinors;
  return real ? Mode::gamma : Mode::complex;
}

GroupOptions groups_from(const nb::dict& settings) {
  return {.kpoint_groups = optional<int>(settings, "kpoint_groups"),
          .band_groups = optional<int>(settings, "band_groups")};
}

std::optional<CheckpointOptions> checkpoint_from(const nb::dict& settings) {
  const auto d = optional<nb::dict>(settings, "checkpoint");
  if (!d) return std::nullopt;
  return CheckpointOptions{.file = get<std::string>(*d, "file"),
                           .keep = get<int>(*d, "keep"),
                           .every_seconds = optional<double>(*d, "every_seconds"),
                           .every_steps = optional<int>(*d, "every_steps"),
                           .at_end = get<bool>(*d, "at_end"),
                           .input = get<std::string>(*d, "input"),
                           .versions = get<std::string>(*d, "versions"),
                           .program = get<std::string>(*d, "program")};
}

MeshBasis::Region region_named(const std::string& name) {
  if (name == "spheres") return MeshBasis::Region::spheres;
  if (name == "cylinder") return MeshBasis::Region::cylinder;
  if (name == "box") return MeshBasis::Region::box;
  if (name == "cell") return MeshBasis::Region::cell;
  throw bad_input("unknown region \"" + name + "\" of a mesh; valid: cell, spheres, cylinder, box");
}

std::optional<GridShape> shape_from(const nb::dict& settings) {
  const auto rows = optional<int>(settings, "rows"), columns = optional<int>(settings, "columns");
  if (!rows && !columns) return std::nullopt;
  return GridShape{rows.value_or(1), columns.value_or(1)};
}

/// `hint`: of a norm-conserving file; `ecut`: of which the error is wanted.
void add_recommended_cutoffs(const std::shared_ptr<const Pseudopotential>& potential, std::optional<double> hint,
                             std::optional<double> ecut, nb::dict& d) {
  const PseudoAtom atom = solve_pseudo_atoms({potential}).front();
  const CutoffError error(atom);
  const AugmentedDataset* const dataset = potential->augmented();
  if (dataset != nullptr) hint = dataset->wave_cutoff;
  d["recommended_ecut"] = hint ? *hint : error.cutoff_for(recommended_error);
  d["recommended_ecut_source"] = hint ? "hint of the file" : "estimated";
  d["mesh_ecut"] = error.cutoff_for(mesh_error);
  if (ecut) d["ecut_error"] = error(*ecut);
  if (dataset == nullptr) return;
  const bool given = hint.has_value() && dataset->density_cutoff.has_value();
  d["recommended_density_ecut"] = given ? *dataset->density_cutoff : estimated_density_cutoff(atom, *potential);
  d["recommended_density_ecut_source"] = given ? "hint of the file" : "estimated";
}

}  // namespace

std::vector<int> gth_entries(const std::string& file, const std::string& element) {
  const GthTable table(file);
  const std::vector<std::string> elements = table.elements();
  if (std::find(elements.begin(), elements.end(), element) == elements.end()) return {};
  return table.entries(element);
}

nb::dict pseudopotential_info(const std::string& file, const std::string& element, std::optional<int> valence,
                              const std::string& name, std::optional<double> ecut) {
  const PseudopotentialFile found = read_any_pseudopotential_file(file, {element, valence, name});
  const Pseudopotential& potential = *found.potential;
  std::vector<int> projectors;
  for (int c = 0; c < potential.num_channels(); ++c) {
    const auto l = static_cast<std::size_t>(potential.channel_l(c));
    projectors.resize(std::max(projectors.size(), l + 1), 0);
    projectors[l] += potential.num_projectors(c);
  }
  nb::dict d;
  d["element"] = potential.element();
  d["valence"] = static_cast<int>(std::lround(potential.valence_charge()));
  d["format"] = found.format;
  d["functional"] = found.functional;
  d["core_density"] = potential.has_core_density();
  d["spin_orbit"] = found.fully_relativistic;
  d["kind"] = potential.augmented() == nullptr ? "norm-conserving" : potential.augmented()->kind();
  d["projectors"] = nb::cast(projectors);
  d["occupation"] = nb::cast(potential.valence_occupation());
  add_recommended_cutoffs(found.potential, cutoff_hint(TextFile(file).text()), ecut, d);
  return d;
}

Crystal crystal_from(const nb::dict& settings) {
  Crystal crystal{Lattice(get<Mat3>(settings, "cell")), get<std::vector<std::string>>(settings, "species"), {}};
  for (const nb::handle entry : get<nb::sequence>(settings, "atoms")) {
    const auto atom = converted<nb::sequence>(entry, "atoms");
    if (nb::len(atom) != 4)
      throw bad_input("an atom of the problem has " + std::to_string(nb::len(atom)) +
                      " values; valid: species and three fractional coordinates");
    const auto x = [&](int axis) { return converted<double>(atom[axis + 1], "atoms"); };
    crystal.atoms.push_back({converted<int>(atom[0], "atoms"), {x(0), x(1), x(2)}});
  }
  return crystal;
}

std::optional<MeshBasis> mesh_basis_from(const nb::dict& settings) {
  const auto d = optional<nb::dict>(settings, "realspace");
  if (!d) return std::nullopt;
  return MeshBasis{.order = get<int>(*d, "order"),
                   .region = region_named(get<std::string>(*d, "region")),
                   .radius = get<double>(*d, "radius"),
                   .axis = get<int>(*d, "axis") - 1,
                   .length = get<double>(*d, "length"),
                   .lengths = get<Vec3>(*d, "lengths"),
                   .centre = get<Vec3>(*d, "centre"),
                   .periodic = get<std::array<bool, 3>>(*d, "periodic"),
                   .partition = mesh_partition_method_named(get<std::string>(*d, "partition")),
                   .two_level = get<bool>(*d, "two_level"),
                   .reorder = get<bool>(*d, "reorder"),
                   .overlap = halo_overlap_named(get<std::string>(*d, "overlap"))};
}

/// Settings of an earlier version have no such key.
std::optional<LocalOrbitals> local_orbitals_from(const nb::dict& settings) {
  const auto given =
      settings.contains("local_orbitals") ? optional<nb::dict>(settings, "local_orbitals") : std::nullopt;
  if (!given) return std::nullopt;
  const bool has_kernel = given->contains("kernel");
  return LocalOrbitals{.set = parsed<OrbitalSet>(get<std::string>(*given, "functions"), "functions"),
                       .radius = get<double>(*given, "radius"),
                       .box_radius = optional<double>(*given, "box_radius"),
                       .optimise = given->contains("optimise") && get<bool>(*given, "optimise"),
                       .kernel = has_kernel ? parsed<DensityKernel>(get<std::string>(*given, "kernel"), "kernel")
                                            : DensityKernel::diagonalise,
                       .kernel_cutoff = has_kernel ? get<double>(*given, "kernel_cutoff") : 0.0};
}

/// None without "density_ecut"; settings of an earlier version have no such key.
std::optional<DensityGrid> density_grid_from(const nb::dict& settings) {
  const auto ecut = settings.contains("density_ecut") ? optional<double>(settings, "density_ecut") : std::nullopt;
  if (!ecut) return std::nullopt;
  const auto grid = optional<Int3>(settings, "density_grid");  // none on a mesh, which refuses the cutoff
  return DensityGrid{*ecut, grid.value_or(get<Int3>(settings, "grid"))};
}

/// Settings of an earlier version have no such key.
std::optional<External> external_from(const nb::dict& settings) {
  const auto given = settings.contains("external") ? optional<nb::dict>(settings, "external") : std::nullopt;
  if (!given) return std::nullopt;
  External external;
  if (const auto file = optional<std::string>(*given, "potential"))
    external.potential = std::make_shared<const ExternalPotential>(read_cube(*file));
  if (const auto axis = optional<int>(*given, "axis"))
    external.sawtooth = Sawtooth{.field = get<double>(*given, "field"),
                                 .axis = static_cast<std::size_t>(*axis - 1),
                                 .dipole_correction = get<bool>(*given, "dipole_correction")};
  return external;
}

/// Settings of an earlier version have no such key.
std::optional<MomentPenalty> moment_penalty_from(const nb::dict& settings) {
  const auto given = settings.contains("constrain") ? optional<nb::dict>(settings, "constrain") : std::nullopt;
  if (!given) return std::nullopt;
  return MomentPenalty{.strength = get<double>(*given, "penalty"), .radius = get<double>(*given, "radius")};
}

/// Settings of an earlier version have no such key.
std::optional<ExchangeOptions> exchange_from(const nb::dict& settings, const Problem& problem) {
  const auto given = settings.contains("exchange") ? optional<nb::dict>(settings, "exchange") : std::nullopt;
  if (!given) return Xc::parse(problem.xc, 1).interaction().is_none() ? std::nullopt : std::optional(ExchangeOptions{});
  return ExchangeOptions{.hybrid = {optional<double>(*given, "fraction"), optional<double>(*given, "screening")},
                         .mesh = optional<Int3>(*given, "kpoints"),
                         .singularity = parsed<Singularity>(get<std::string>(*given, "singularity"), "singularity"),
                         .extrapolate = get<bool>(*given, "extrapolate"),
                         .ecut = optional<double>(*given, "ecut"),
                         .tolerance = optional<double>(*given, "tolerance")};
}

/// Settings of an earlier version have no such key.
std::optional<Propagation> propagation_from(const nb::dict& settings) {
  const auto given = settings.contains("propagation") ? optional<nb::dict>(settings, "propagation") : std::nullopt;
  if (!given) return std::nullopt;
  Propagation propagation{.timestep = get<double>(*given, "timestep"),
                          .steps = get<int>(*given, "steps"),
                          .every = get<int>(*given, "every"),
                          .scheme = parsed<TimeScheme>(get<std::string>(*given, "propagator"), "propagator"),
                          .tolerance = get<double>(*given, "tolerance")};
  if (const auto kick = optional<nb::dict>(*given, "kick"))
    propagation.kick = Kick{get<Vec3>(*kick, "momentum"), parsed<Gauge>(get<std::string>(*kick, "gauge"), "gauge")};
  for (const nb::dict& laser : get<std::vector<nb::dict>>(*given, "lasers"))
    propagation.lasers.push_back({.peak = get<Vec3>(laser, "field"),
                                  .frequency = get<double>(laser, "frequency"),
                                  .phase = get<double>(laser, "phase"),
                                  .duration = get<double>(laser, "duration"),
                                  .centre = get<double>(laser, "centre"),
                                  .envelope = parsed<Envelope>(get<std::string>(laser, "envelope"), "envelope"),
                                  .gauge = parsed<Gauge>(get<std::string>(laser, "gauge"), "gauge")});
  if (const auto absorber = optional<nb::dict>(*given, "absorber"))
    propagation.absorber = Absorber{get<double>(*absorber, "width"), get<double>(*absorber, "strength")};
  propagation.density_every = get<int>(*given, "density_every");
  propagation.forces = get<bool>(*given, "forces");
  propagation.magnetic_moment = get<bool>(*given, "magnetic_moment");
  propagation.excited = get<bool>(*given, "excited");
  propagation.occupations = get<bool>(*given, "occupations");
  if (const auto moving = optional<nb::dict>(*given, "moving"))
    propagation.moving =
        MovingAtoms{get<std::vector<double>>(*moving, "masses"), get<std::vector<Vec3>>(*moving, "velocities")};
  propagation.restart_file = optional<std::string>(*given, "restart").value_or("");
  propagation.checkpoint_file = optional<std::string>(*given, "checkpoint").value_or("");
  propagation.identity = get<std::string>(*given, "identity");
  return propagation;
}

std::optional<FieldResponse> field_response_from(const nb::dict& settings) {
  const auto given =
      settings.contains("field_response") ? optional<nb::dict>(settings, "field_response") : std::nullopt;
  if (!given) return std::nullopt;
  return FieldResponse{.axes = get<std::array<bool, 3>>(*given, "axes"), .tolerance = get<double>(*given, "tolerance")};
}

Problem problem_from(const nb::dict& settings) {
  Problem problem{.crystal = crystal_from(settings), .pseudopotentials = {}, .scf = {}};
  problem.pseudopotentials =
      with_shells(settings, pseudopotentials_from(settings, problem.crystal.species), problem.crystal.species);
  problem.ecut = get<double>(settings, "ecut");
  problem.grid = get<Int3>(settings, "grid");
  problem.density_grid = density_grid_from(settings);
  problem.mesh_basis = mesh_basis_from(settings);
  problem.local_orbitals = local_orbitals_from(settings);
  if (settings.contains("periodic")) problem.periodic_waves = get<std::array<bool, 3>>(settings, "periodic");
  problem.projectors = parsed<ProjectorSpace>(get<std::string>(settings, "projectors"), "projectors");
  problem.augmentation = parsed<AugmentationSpace>(get<std::string>(settings, "augmentation"), "augmentation");
  problem.projector_accuracy = get<double>(settings, "projector_accuracy");
  problem.xc = get<std::string>(settings, "xc");
  problem.bands = get<Index>(settings, "bands");
  problem.may_add_bands = get<bool>(settings, "may_add_bands");
  problem.memory_limit = optional<double>(settings, "memory_limit");
  problem.smearing = smearing_from(settings);
  problem.initial_wavefunctions =
      parsed<InitialWavefunctions>(get<std::string>(settings, "initial_wavefunctions"), "initial_wavefunctions");
  problem.eigensolver = unless_automatic<Eigensolver>(get<std::string>(settings, "eigensolver"), "eigensolver");
  problem.scf.method = parsed<ScfMethod>(get<std::string>(settings, "method"), "method");
  problem.scf.energy_tolerance = get<double>(settings, "energy_tolerance");
  problem.scf.max_steps = get<int>(settings, "max_steps");
  problem.precision = parsed<Precision>(get<std::string>(settings, "precision"), "precision");
  const auto mixing = get<nb::dict>(settings, "mixing");
  problem.scf.mixer = mixer_from(mixing);
  problem.preconditioner =
      unless_automatic<PreconditionerKind>(get<std::string>(mixing, "preconditioner"), "preconditioner");
  if (!problem.mesh_basis) problem.scheme = scheme_named(get<std::string>(settings, "partition"));
  const std::string transport = get<std::string>(settings, "transport");
  if (transport != "auto") problem.transport = transport_named(transport);
  problem.machine = machine_from(settings);
  problem.transports_file = get<std::string>(settings, "transports_file");
  problem.deterministic = get<bool>(settings, "deterministic");
  problem.threads = get<int>(settings, "threads");
  problem.spins = get<int>(settings, "spins");
  problem.exchange = exchange_from(settings, problem);
  problem.spinors = get<bool>(settings, "spinors");
  problem.initial_magnetic_moments = get<std::vector<double>>(settings, "initial_magnetic_moments");
  problem.initial_moment_vectors = get<std::vector<Vec3>>(settings, "initial_moment_vectors");
  problem.moment_penalty = moment_penalty_from(settings);
  problem.total_magnetisation = optional<double>(settings, "total_magnetisation");
  problem.occupations = occupations_from(settings);
  problem.charge = get<double>(settings, "charge");
  problem.hubbard_perturbation = hubbard_perturbation_from(settings);
  problem.propagation = propagation_from(settings);
  KPointChoice kpoints =
      kpoints_from(settings, distinguished_atoms(problem), problem.grids(), problem.initial_magnetic_moments,
                   problem.initial_moment_vectors, problem.boundaries(), problem.propagation);
  problem.kpoints = std::move(kpoints.points);
  problem.symmetry = std::move(kpoints.group);
  problem.kpoints_description = std::move(kpoints.sentence);
  // Others would reduce that of a propagation further: only exact exchange, which does not, has it.
  problem.mesh = problem.propagation && !problem.exchange ? std::nullopt : mesh_from(settings);
  problem.follow_symmetry =
      settings["kpoints"].is_none() || problem.propagation ? false : get<bool>(settings, "symmetry");
  for (const Vec3& k : get<std::vector<Vec3>>(settings, "band_path")) problem.band_path.push_back({k, 0.0});
  problem.projections = get<bool>(settings, "projections");
  problem.projections_by_m = get<bool>(settings, "projections_by_m");
  problem.projections_by_j = settings.contains("projections_by_j") && get<bool>(settings, "projections_by_j");
  if (const auto levels = optional<std::string>(settings, "dos_tetrahedra"))
    problem.dos_tetrahedra = parsed<TetrahedronLevels>(*levels, "tetrahedra");
  problem.keep_density = get<bool>(settings, "keep_density");
  if (const auto potential = optional<std::string>(settings, "keep_potential"))
    problem.keep_potential = parsed<WantedPotential>(*potential, "potential");
  problem.average_axis = optional<int>(settings, "average_axis");
  problem.moment_axes = get<std::array<bool, 3>>(settings, "moment_axes");
  problem.derivatives.forces = get<bool>(settings, "forces");
  problem.derivatives.stress = get<bool>(settings, "stress");
  problem.external = external_from(settings);
  problem.field_response = field_response_from(settings);
  if (const auto casida = settings.contains("casida") ? optional<nb::dict>(settings, "casida") : std::nullopt)
    problem.casida =
        Casida{parsed<ExcitationSpin>(get<std::string>(*casida, "spin"), "spin"), get<double>(*casida, "tolerance")};
  problem.checkpoint = checkpoint_from(settings);
  problem.restart_file = optional<std::string>(settings, "restart").value_or("");
  if (settings.contains("restart_turn")) problem.restart_turn = optional<Mat3>(settings, "restart_turn");
  problem.scf.fixed_density = settings.contains("fixed_density") && get<bool>(settings, "fixed_density");
  problem.groups = groups_from(settings);
  problem.shape = shape_from(settings);
  problem.mode = mode_of(problem);
  return problem;
}
