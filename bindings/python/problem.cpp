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

namespace nb = nanobind;
using namespace wavegrid;

namespace {

/// Names and enumerators side by side.
template <class E, std::size_t N>
using Names = std::array<std::pair<const char*, E>, N>;

constexpr Names<Eigensolver, 3> eigensolvers{
    {{"rmm-diis", Eigensolver::rmm_diis}, {"lobpcg", Eigensolver::lobpcg}, {"davidson", Eigensolver::davidson}}};
constexpr Names<SmearingKind, 4> smearings{{{"fermi-dirac", SmearingKind::fermi_dirac},
                                            {"gaussian", SmearingKind::gaussian},
                                            {"methfessel-paxton", SmearingKind::methfessel_paxton},
                                            {"cold", SmearingKind::cold}}};
constexpr Names<Start, 2> starts{{{"lcao", Start::lcao}, {"random", Start::random}}};
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

Crystal crystal_from(const nb::dict& settings) {
  Crystal crystal{Lattice(get<Mat3>(settings, "cell")), get<std::vector<std::string>>(settings, "species"), {}};
  for (const nb::handle entry : nb::sequence(settings["atoms"])) {
    const nb::sequence atom = nb::cast<nb::sequence>(entry);
    crystal.atoms.push_back(
        {nb::cast<int>(atom[0]), {nb::cast<double>(atom[1]), nb::cast<double>(atom[2]), nb::cast<double>(atom[3])}});
  }
  return crystal;
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

MixerOptions mixer_from(const nb::dict& d) {
  return {get<double>(d, "amplitude"), get<double>(d, "k0"), get<int>(d, "history")};
}

nb::dict energies_dict(const Energies& e) {
  nb::dict d;
  d["free"] = e.free();
  d["total"] = e.total();
  d["kinetic"] = e.kinetic;
  d["hartree"] = e.hartree;
  d["xc"] = e.xc;
  d["ewald"] = e.ewald;
  d["local"] = e.local;
  d["core"] = e.core;
  d["nonlocal"] = e.nonlocal;
  d["smearing"] = e.smearing;
  return d;
}

nb::dict tuning_dict(const TunerReport& report) {
  nb::list rows;
  for (const TunerReport::Row& row : report.rows) {
    nb::dict d;
    d["transport"] = name_of(row.transport);
    d["median_us"] = 1e6 * row.median;
    d["spread_us"] = 1e6 * row.spread;
    rows.append(d);
  }
  nb::dict d;
  d["chosen"] = name_of(report.chosen);
  d["reason"] = report.reason;
  d["measured"] = rows;
  return d;
}

nb::dict parallel_dict(const CalculationResult& result, const Problem& problem) {
  nb::dict d;
  d["ranks"] = result.ranks;
  d["rows"] = result.shape.rows;
  d["columns"] = result.shape.columns;
  d["threads"] = problem.threads;
  d["partition"] = name_of(result.scheme);
  d["partition_reason"] = result.partition_reason;
  d["transport"] = result.transport;
  if (result.tuning) d["tuning"] = tuning_dict(*result.tuning);
  d["max_plane_waves"] = result.max_plane_waves;
  d["min_plane_waves"] = result.min_plane_waves;
  return d;
}

nb::dict seconds_dict(const CalculationResult::Seconds& s) {
  nb::dict d;
  d["total"] = s.total;
  d["fft"] = s.fft;
  d["exchange"] = s.exchange;
  d["linear_algebra"] = s.linear_algebra;
  d["nonlocal"] = s.nonlocal;
  d["other"] = s.other;
  return d;
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

Problem problem_from(const nb::dict& settings) {
  Problem problem{.crystal = crystal_from(settings), .pseudopotentials = {}, .scf = {}};
  problem.pseudopotentials = pseudopotentials_from(settings, problem.crystal.species);
  problem.ecut = get<double>(settings, "ecut");
  problem.grid = get<Int3>(settings, "grid");
  problem.xc = get<std::string>(settings, "xc");
  problem.bands = get<Index>(settings, "bands");
  problem.smearing = smearing_from(settings["smearing"]);
  problem.start = find(starts, get<std::string>(settings, "start"), "start");
  problem.scf.eigensolver = find(eigensolvers, get<std::string>(settings, "eigensolver"), "eigensolver");
  problem.scf.energy_tolerance = get<double>(settings, "energy_tolerance");
  problem.scf.max_steps = get<int>(settings, "max_steps");
  problem.scf.mixer = mixer_from(nb::cast<nb::dict>(settings["mixing"]));
  problem.scheme = scheme_named(get<std::string>(settings, "partition"));
  const std::string transport = get<std::string>(settings, "transport");
  if (transport != "auto") problem.transport = transport_named(transport);
  if (settings.contains("transports_file")) problem.transports_file = get<std::string>(settings, "transports_file");
  problem.threads = get<int>(settings, "threads");
  if (settings.contains("mode")) problem.mode = find(modes, get<std::string>(settings, "mode"), "mode");
  return problem;
}

nb::dict as_dict(const ScfStep& step, std::chrono::steady_clock::time_point began) {
  nb::dict d;
  d["step"] = step.step;
  d["free_energy"] = step.free_energy;
  d["error_estimate"] = step.error_estimate;
  d["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  d["h_applications"] = step.h_applications;
  return d;
}

nb::dict as_dict(const CalculationResult& result, const Problem& problem) {
  nb::dict d;
  d["converged"] = result.scf.converged;
  d["energy"] = energies_dict(result.scf.energies);
  d["error_estimate"] = result.scf.error_estimate;
  d["fermi"] = result.scf.fermi;
  nb::list of_k, of_spin;
  of_k.append(nb::cast(result.scf.eigenvalues));
  of_spin.append(of_k);
  d["eigenvalues"] = of_spin;
  nb::list filling_of_k, filling_of_spin;
  filling_of_k.append(nb::cast(result.scf.filling));
  filling_of_spin.append(filling_of_k);
  d["occupations"] = filling_of_spin;
  d["too_few_bands"] = result.scf.too_few_bands;
  d["recovered_states"] = result.scf.recovered_states;
  d["scf_steps"] = result.scf.steps;
  d["h_applications"] = result.h_applications;
  d["nonlocal_applications"] = result.nonlocal_applications;
  d["ffts"] = result.ffts;
  d["plane_waves"] = result.plane_waves;
  d["grid"] = nb::cast(problem.grid);
  d["parallel"] = parallel_dict(result, problem);
  d["wall_seconds"] = seconds_dict(result.seconds);
  d["peak_bytes"] = result.peak_memory;
  return d;
}
