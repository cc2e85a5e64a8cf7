#include "problem.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "atoms/pseudopotential_file.hpp"
#include "base/error.hpp"
#include "scf/choose_kpoints.hpp"

namespace nb = nanobind;
using namespace wavegrid;

namespace {

/// Names and enumerators side by side.
template <class E, std::size_t N>
using Names = std::array<std::pair<const char*, E>, N>;

constexpr Names<Eigensolver, 4> eigensolvers{{{"rmm-diis", Eigensolver::rmm_diis},
                                              {"lobpcg", Eigensolver::lobpcg},
                                              {"davidson", Eigensolver::davidson},
                                              {"chebyshev", Eigensolver::chebyshev}}};
constexpr Names<SmearingKind, 4> smearings{{{"fermi-dirac", SmearingKind::fermi_dirac},
                                            {"gaussian", SmearingKind::gaussian},
                                            {"methfessel-paxton", SmearingKind::methfessel_paxton},
                                            {"cold", SmearingKind::cold}}};
constexpr Names<PreconditionerKind, 4> preconditioners{{{"none", PreconditionerKind::none},
                                                        {"kerker", PreconditionerKind::kerker},
                                                        {"dielectric", PreconditionerKind::dielectric},
                                                        {"ldos", PreconditionerKind::ldos}}};
constexpr Names<MixingMethod, 2> mixing_methods{{{"pulay", MixingMethod::pulay}, {"broyden", MixingMethod::broyden}}};
constexpr Names<Start, 2> starts{{{"lcao", Start::lcao}, {"random", Start::random}}};
constexpr Names<Precision, 3> precisions{
    {{"auto", Precision::automatic}, {"mixed", Precision::mixed}, {"double", Precision::double_only}}};
constexpr Names<Mode, 2> modes{{{"gamma", Mode::gamma}, {"complex", Mode::complex}}};

template <class E, std::size_t N>
E find(const Names<E, N>& names, const std::string& name, const char* what) {
  std::string valid;
  for (const auto& [text, value] : names) {
    if (name == text) return value;
    valid += std::string(valid.empty() ? "" : ", ") + text;
  }
  throw bad_input(std::string("unknown ") + what + " '" + name + "'; valid: " + valid);
}

template <class T>
T get(const nb::dict& d, const char* key) {
  return nb::cast<T>(d[key]);
}

std::optional<int> optional_int(const nb::object& value) {
  return value.is_none() ? std::nullopt : std::optional<int>(nb::cast<int>(value));
}

Pseudopotentials pseudopotentials_from(const nb::dict& settings, const std::vector<std::string>& species) {
  Pseudopotentials potentials;
  std::size_t i = 0;
  for (const nb::handle entry : nb::sequence(settings["pseudopotentials"])) {
    const nb::dict choice = nb::cast<nb::dict>(entry);
    const std::string name = choice.contains("name") ? get<std::string>(choice, "name") : "";
    const auto valence = optional_int(choice["valence"]);
    potentials.push_back(read_pseudopotential(get<std::string>(choice, "file"), species.at(i++), valence, name));
  }
  return potentials;
}

Smearing smearing_from(const nb::object& settings) {
  if (settings.is_none()) return {SmearingKind::fixed, 0.0};
  const nb::dict d = nb::cast<nb::dict>(settings);
  return {find(smearings, get<std::string>(d, "kind"), "smearing"), get<double>(d, "width")};
}

template <class T>
std::optional<T> maybe(const nb::dict& d, const char* key) {
  if (!d.contains(key) || d[key].is_none()) return std::nullopt;
  return nb::cast<T>(d[key]);
}

MixerOptions mixer_from(const nb::dict& d) {
  MixerOptions options{
      .method = find(mixing_methods, maybe<std::string>(d, "method").value_or("pulay"), "mixing method"),
      .amplitude = get<double>(d, "beta"),
      .k0 = get<double>(d, "k0"),
      .epsilon = maybe<double>(d, "epsilon").value_or(10.0),
      .history = get<int>(d, "history")};
  const std::string name = d.contains("preconditioner") ? get<std::string>(d, "preconditioner") : "auto";
  if (name != "auto") options.preconditioner = find(preconditioners, name, "preconditioner");
  return options;
}

/// {"mesh", "shift"} of the k-points; none where they are listed or Gamma alone.
std::optional<KMesh> mesh_from(const nb::dict& settings) {
  const auto choice = maybe<nb::dict>(settings, "kpoints");
  if (!choice || !choice->contains("mesh")) return std::nullopt;
  return KMesh{get<Int3>(*choice, "mesh"), get<Vec3>(*choice, "shift")};
}

/// The k-points of {"mesh", "shift"}, reduced by `group` where the input wants that, or of {"list"}.
KPointChoice kpoints_from(const nb::dict& settings, const Crystal& crystal, const Int3& grid,
                          const std::vector<double>& moments) {
  if (!settings.contains("kpoints")) return {{KPoint{}}, SpaceGroup::identity(), "Gamma"};
  const nb::dict choice = nb::cast<nb::dict>(settings["kpoints"]);
  if (const auto list = maybe<std::vector<std::array<double, 4>>>(choice, "list")) {
    KPointChoice all{{}, SpaceGroup::identity(), std::to_string(list->size()) + " k-points from the input"};
    for (const auto& [x, y, z, weight] : *list) all.points.push_back({{x, y, z}, weight});
    return all;
  }
  const bool symmetric = maybe<bool>(settings, "symmetry").value_or(false);
  return choose_kpoints(crystal, moments, grid, *mesh_from(settings), symmetric);
}

/// Real wave functions where Gamma is all there is.
Mode mode_of(const Problem& problem) {
  const bool gamma_alone = problem.kpoints.size() == 1 && norm2(problem.kpoints.front().k) == 0;
  return gamma_alone && problem.band_path.empty() ? Mode::gamma : Mode::complex;
}

LevelWish levels_from(const nb::dict& settings) {
  return {.kgroups = maybe<int>(settings, "kpoint_groups"), .bandgroups = maybe<int>(settings, "band_groups")};
}

std::optional<CheckpointWish> checkpoint_from(const nb::dict& settings) {
  const auto d = maybe<nb::dict>(settings, "checkpoint");
  if (!d) return std::nullopt;
  return CheckpointWish{.file = get<std::string>(*d, "file"),
                        .keep = get<int>(*d, "keep"),
                        .every_seconds = maybe<double>(*d, "every_seconds"),
                        .every_steps = maybe<int>(*d, "every_steps"),
                        .input = get<std::string>(*d, "input"),
                        .versions = get<std::string>(*d, "versions"),
                        .program = get<std::string>(*d, "program")};
}

std::optional<GridShape> shape_from(const nb::dict& settings) {
  const auto rows = maybe<int>(settings, "rows"), columns = maybe<int>(settings, "columns");
  if (!rows && !columns) return std::nullopt;
  return GridShape{rows.value_or(1), columns.value_or(1)};
}

}  // namespace

std::vector<int> gth_entries(const std::string& file, const std::string& element) {
  const GthTable table(file);
  const std::vector<std::string> elements = table.elements();
  if (std::find(elements.begin(), elements.end(), element) == elements.end()) return {};
  return table.entries(element);
}

nb::dict pseudopotential_info(const std::string& file, const std::string& element, const nb::object& valence,
                              const std::string& name) {
  const PseudopotentialFile found = read_pseudopotential_file(file, {element, optional_int(valence), name});
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
  d["projectors"] = nb::cast(projectors);
  d["occupation"] = nb::cast(potential.valence_occupation());
  return d;
}

Crystal crystal_from(const nb::dict& settings) {
  Crystal crystal{Lattice(get<Mat3>(settings, "cell")), get<std::vector<std::string>>(settings, "species"), {}};
  for (const nb::handle entry : nb::sequence(settings["atoms"])) {
    const nb::sequence atom = nb::cast<nb::sequence>(entry);
    crystal.atoms.push_back(
        {nb::cast<int>(atom[0]), {nb::cast<double>(atom[1]), nb::cast<double>(atom[2]), nb::cast<double>(atom[3])}});
  }
  return crystal;
}

Problem problem_from(const nb::dict& settings) {
  Problem problem{.crystal = crystal_from(settings), .pseudopotentials = {}, .scf = {}};
  problem.pseudopotentials = pseudopotentials_from(settings, problem.crystal.species);
  problem.ecut = get<double>(settings, "ecut");
  problem.grid = get<Int3>(settings, "grid");
  problem.xc = get<std::string>(settings, "xc");
  problem.bands = get<Index>(settings, "bands");
  problem.smearing = smearing_from(settings["smearing"]);
  problem.start = find(starts, get<std::string>(settings, "initial_wavefunctions"), "initial_wavefunctions");
  const std::string eigensolver = get<std::string>(settings, "eigensolver");
  if (eigensolver != "auto") problem.scf.eigensolver = find(eigensolvers, eigensolver, "eigensolver");
  problem.scf.energy_tolerance = get<double>(settings, "energy_tolerance");
  problem.scf.max_steps = get<int>(settings, "max_steps");
  problem.precision = find(precisions, maybe<std::string>(settings, "precision").value_or("double"), "precision");
  problem.scf.mixer = mixer_from(nb::cast<nb::dict>(settings["mixing"]));
  problem.scheme = scheme_named(get<std::string>(settings, "partition"));
  const std::string transport = get<std::string>(settings, "transport");
  if (transport != "auto") problem.transport = transport_named(transport);
  if (settings.contains("transports_file")) problem.transports_file = get<std::string>(settings, "transports_file");
  problem.deterministic = maybe<bool>(settings, "deterministic").value_or(false);
  problem.threads = get<int>(settings, "threads");
  problem.spins = maybe<int>(settings, "spins").value_or(1);
  problem.moments = maybe<std::vector<double>>(settings, "initial_magnetic_moments").value_or(std::vector<double>{});
  problem.total_moment = maybe<double>(settings, "total_magnetisation");
  problem.charge = maybe<double>(settings, "charge").value_or(0.0);
  KPointChoice kpoints = kpoints_from(settings, problem.crystal, problem.grid, problem.moments);
  problem.kpoints = std::move(kpoints.points);
  problem.symmetry = std::move(kpoints.group);
  problem.kpoints_sentence = std::move(kpoints.sentence);
  problem.mesh = mesh_from(settings);
  for (const Vec3& k : maybe<std::vector<Vec3>>(settings, "band_path").value_or(std::vector<Vec3>{}))
    problem.band_path.push_back({k, 0.0});
  problem.keep_density = maybe<bool>(settings, "keep_density").value_or(false);
  problem.derivatives.forces = maybe<bool>(settings, "forces").value_or(false);
  problem.derivatives.stress = maybe<bool>(settings, "stress").value_or(false);
  problem.checkpoint = checkpoint_from(settings);
  problem.restart_file = maybe<std::string>(settings, "restart").value_or("");
  problem.levels = levels_from(settings);
  problem.shape = shape_from(settings);
  problem.mode = mode_of(problem);
  if (settings.contains("mode")) problem.mode = find(modes, get<std::string>(settings, "mode"), "mode");
  return problem;
}
