// Converts the library's results to the dictionaries for observers and result.json.
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <csignal>

#include <wavegrid/problem/make_tetrahedra.hpp>

#include "arrays.hpp"
#include "problem.hpp"

namespace nb = nanobind;
using namespace wavegrid;

namespace {

const char* signal_name(int signal) { return signal == SIGINT ? "SIGINT" : "SIGTERM"; }

nb::dict energies_dict(const Energies& e) {
  nb::dict d;
  d["free"] = e.free();
  d["internal"] = e.total();
  for (const auto& [name, energy] : e) d[name.c_str()] = energy;
  return d;
}

nb::dict exchange_dict(const ExchangeReport& report) {
  nb::list rows;
  for (const TunerReport::Row& row : report.tuning.rows) {
    nb::dict d;
    d["transport"] = to_string(row.transport);
    d["median_us"] = 1e6 * row.median;
    d["spread_us"] = 1e6 * row.spread;
    rows.append(d);
  }
  nb::dict d;
  d["name"] = report.name;
  d["transport"] = to_string(report.tuning.chosen);
  d["reason"] = report.tuning.reason;
  d["measured"] = rows;
  return d;
}

nb::dict parallel_dict(const ParallelReport& report, const Problem& problem) {
  nb::dict d;
  d["ranks"] = report.ranks;
  d["kpoint_groups"] = report.groups.kpoint_groups;
  d["band_groups"] = report.groups.band_groups;
  d["groups_reason"] = report.groups_reason;
  d["rows"] = report.shape.rows;
  d["columns"] = report.shape.columns;
  d["threads"] = problem.threads;
  d["partition"] = report.partition;
  d["partition_reason"] = report.partition_reason;
  d["transport"] = report.transport;
  nb::list exchanges;
  for (const ExchangeReport& exchange : report.exchanges) exchanges.append(exchange_dict(exchange));
  d["exchanges"] = exchanges;
  d["max_plane_waves"] = report.max_plane_waves;
  d["min_plane_waves"] = report.min_plane_waves;
  return d;
}

nb::dict as_dict(const KernelReport& report) {
  nb::dict d;
  d["cutoff"] = report.cutoff;
  d["iterations"] = report.iterations;
  d["block_products"] = report.block_products;
  d["filled"] = report.filled;
  d["idempotency"] = report.idempotency;
  d["electrons"] = report.electrons;
  d["energy_error"] = report.energy_error;
  d["highest_occupied"] = report.highest_occupied;
  d["lowest_empty"] = report.lowest_empty;
  return d;
}

nb::dict as_dict(const LocalOrbitalSeconds& seconds) {
  nb::dict d;
  d["total"] = seconds.total;
  d["extract"] = seconds.extract;
  d["deposit"] = seconds.deposit;
  d["matrices"] = seconds.matrices;
  d["density"] = seconds.density;
  d["sharing"] = seconds.sharing;
  d["get"] = seconds.get;
  d["request"] = seconds.request;
  d["solution"] = seconds.solution;
  d["bands"] = seconds.bands;
  d["optimisation"] = seconds.optimisation;
  return d;
}

nb::dict as_dict(const LocalOrbitalReport& report) {
  nb::dict d;
  d["functions"] = report.functions;
  d["radius"] = report.radius;
  d["box_radius"] = report.box_radius;
  d["lost_norm"] = report.lost_norm;
  d["whole_cell"] = report.whole_cell;
  d["steps"] = report.steps;
  d["error"] = report.error;
  d["kernel"] = report.kernel ? nb::object(as_dict(*report.kernel)) : nb::none();
  d["seconds"] = as_dict(report.seconds);
  return d;
}

nb::dict mesh_dict(const MeshReport& report) {
  nb::dict d;
  d["points"] = report.points;
  d["max_points"] = report.max_points;
  d["min_points"] = report.min_points;
  d["max_ghosts"] = report.max_ghosts;
  d["max_neighbours"] = report.max_neighbours;
  d["highest_kinetic_energy"] = report.highest_energy;
  d["overlap"] = to_string(report.overlap);
  d["overlap_reason"] = report.overlap_reason;
  d["hidden_share"] = report.hidden_share;
  return d;
}

nb::dict seconds_dict(const PhaseSeconds& s) {
  nb::dict d;
  d["total"] = s.total;
  for (std::size_t phase = 0; phase < num_phases; ++phase) d[to_string(static_cast<Phase>(phase))] = s.per_phase[phase];
  return d;
}

/// The kinds of which something was exchanged.
nb::list traffic_list(const TrafficByKind& traffic) {
  nb::list list;
  for (std::size_t kind = 0; kind < num_traffic_kinds; ++kind) {
    if (traffic[kind].exchanges == 0) continue;
    nb::dict kind_entry;
    kind_entry["purpose"] = to_string(static_cast<TrafficKind>(kind));
    kind_entry["exchanges"] = traffic[kind].exchanges;
    kind_entry["messages"] = traffic[kind].messages;
    kind_entry["bytes"] = traffic[kind].bytes;
    kind_entry["seconds"] = traffic[kind].seconds;
    list.append(kind_entry);
  }
  return list;
}

/// An array over states as nested lists: spin, k-point, band; without bands where there are none.
nb::list by_spin(const std::vector<double>& states, StateTable table) {
  if (states.empty()) table.bands = 0;
  nb::list spin_list;
  for (int spin = 0; spin < table.spins; ++spin) {
    nb::list kpoint_list;
    for (Index k = 0; k < table.num_k; ++k) {
      const auto first = states.begin() + table.first(k, spin);
      kpoint_list.append(nb::cast(std::vector<double>(first, first + table.bands)));
    }
    spin_list.append(kpoint_list);
  }
  return spin_list;
}

nb::list kpoints_list(const std::vector<KPoint>& points) {
  nb::list list;
  for (const auto& [k, weight] : points) list.append(nb::cast(std::array<double, 4>{k[0], k[1], k[2], weight}));
  return list;
}

/// A field on the whole grid as a numpy array (nx, ny, nz).
nb::object field_array(std::vector<double> field, const Int3& grid) {
  return make_array(std::move(field), {grid.begin(), grid.end()});
}

/// Fields with the index of their first point, if there are any.
void add_fields(nb::dict& d, const std::string& name, const GatheredFields& fields) {
  if (fields.values.empty()) return;
  nb::list components;
  for (const auto& component : fields.values) components.append(field_array(component, fields.counts));
  d[name.c_str()] = components;
  d[(name + "_first").c_str()] = nb::cast(fields.first);
}

nb::dict as_dict(const ChargeMoments& moments) {
  nb::dict d;
  d["open"] = nb::cast(moments.open);
  d["charge"] = moments.charge;
  d["dipole"] = nb::cast(moments.dipole);
  d["second"] = nb::cast(moments.second);
  d["ions"] = nb::cast(moments.ions);
  return d;
}

/// weights (k-point, spin, band, channel), channels as pairs of atom and l, with m, or m (-1: all) and twice j.
nb::dict projections_dict(const Projections& found, int spins, Index bands) {
  nb::list channels, from_file;
  for (const auto& [atom, l, m, twice_j] : found.channels)
    channels.append(twice_j > 0 ? nb::make_tuple(atom, l, m, twice_j)
                    : m < 0     ? nb::make_tuple(atom, l)
                                : nb::make_tuple(atom, l, m));
  for (const bool is : found.from_file) from_file.append(is);
  const std::size_t values_per_kpoint = static_cast<std::size_t>(spins * bands) * found.channels.size();
  nb::dict d;
  d["channels"] = channels;
  d["from_file"] = from_file;
  d["weights"] = make_array(found.weights, {found.weights.size() / values_per_kpoint, static_cast<std::size_t>(spins),
                                            static_cast<std::size_t>(bands), found.channels.size()});
  return d;
}

nb::dict restart_dict(const RestartReport& report) {
  nb::dict d;
  d["file"] = report.file;
  d["kpoints_found"] = report.kpoints_found;
  d["kpoints_rotated"] = report.kpoints_rotated;
  d["kpoints_missing"] = report.kpoints_missing;
  d["bands_found"] = report.bands_found;
  d["bands_random"] = report.bands_random;
  d["min_norm_retained"] = report.norm_kept;
  d["density"] = report.density;
  if (!report.kinetic_density.empty()) d["kinetic_density"] = report.kinetic_density;
  if (!report.matrices.empty()) d["matrices"] = report.matrices;
  d["seconds"] = report.seconds;
  return d;
}

nb::dict forces_dict(const Forces& forces) {
  nb::dict terms;
  for (const auto& [name, part] : forces.terms) terms[name.c_str()] = nb::cast(part);
  nb::dict d;
  d["total"] = nb::cast(forces.total);
  d["terms"] = terms;
  d["net"] = nb::cast(forces.net);
  if (forces.torque) d["torque"] = nb::cast(*forces.torque);
  return d;
}

nb::dict stress_dict(const Stress& stress) {
  nb::dict terms;
  for (const auto& [name, part] : stress.terms) terms[name.c_str()] = nb::cast(part);
  nb::dict d;
  d["total"] = nb::cast(stress.total);
  d["terms"] = terms;
  d["pressure"] = stress.pressure();
  return d;
}

nb::dict charges_dict(const AtomicCharges& found) {
  nb::dict d;
  d["charges"] = nb::cast(found.charges);
  if (!found.moments.empty()) d["magnetic_moments"] = nb::cast(found.moments);
  if (!found.moment_vectors.empty()) d["magnetic_moment_vectors"] = nb::cast(found.moment_vectors);
  if (!found.torques.empty()) d["magnetic_torques"] = nb::cast(found.torques);
  d["unassigned"] = found.unassigned;
  return d;
}

nb::list shells_list(const std::vector<ShellOccupations>& shells) {
  nb::list all;
  for (const ShellOccupations& one : shells) {
    nb::dict d;
    d["atom"] = one.atom + 1;
    d["shell"] = one.shell;
    d["matrices"] = nb::cast(one.matrices);
    d["eigenvalues"] = nb::cast(one.eigenvalues);
    all.append(d);
  }
  return all;
}

/// points (tetrahedron, point) and factors (corner, point) of levels at corners, shares of the Brillouin zone.
nb::dict tetrahedra_dict(const Problem& problem) {
  const Tetrahedra tetrahedra = make_tetrahedra(problem, *problem.dos_tetrahedra);
  std::vector<double> factors = tetrahedra.corner_factors(), shares;
  const std::size_t num_points = factors.size() / 4;
  std::vector<Index> points;
  for (const auto& one : tetrahedra.all()) {
    points.insert(points.end(), one.points.begin(), one.points.begin() + static_cast<std::ptrdiff_t>(num_points));
    shares.push_back(one.share);
  }
  nb::dict d;
  d["points"] = make_array(std::move(points), {tetrahedra.all().size(), num_points});
  d["factors"] = make_array(std::move(factors), {4, num_points});
  d["shares"] = nb::cast(shares);
  return d;
}

nb::dict as_dict(const CasidaResult& result) {
  std::vector<double> energies, weights;
  std::vector<Vec3> strengths;
  std::vector<std::array<Index, 3>> bands;  // spin, and both bands from 1
  for (const Excitation& one : result.excitations) {
    energies.push_back(one.energy);
    strengths.push_back(one.strengths);
    bands.push_back({one.pair.spin, one.pair.from + 1, one.pair.to + 1});
    weights.push_back(one.weight);
  }
  nb::dict d;
  d["pairs"] = result.pairs;
  d["level_error"] = result.error;
  d["energies"] = nb::cast(energies);
  d["strengths"] = nb::cast(strengths);
  d["bands"] = nb::cast(bands);
  d["weights"] = nb::cast(weights);
  return d;
}

nb::dict path_dict(const CalculationResult& result, const Problem& problem) {
  const BandStructure& path = result.path;
  const StateTable table{static_cast<Index>(problem.band_path.size()), problem.spins, result.bands};
  nb::dict d = ::as_dict(path, table);
  d["kpoints"] = kpoints_list(problem.band_path);
  return d;
}

}  // namespace

nb::dict as_dict(const BandStructure& path, const StateTable& table) {
  nb::dict d;
  d["eigenvalues"] = by_spin(path.eigenvalues, table);
  d["error_bound"] = path.error;
  d["converged"] = path.converged;
  return d;
}

nb::dict as_dict(const ScfStep& step, std::chrono::steady_clock::time_point began) {
  nb::dict d;
  d["step"] = step.step;
  d["free_energy"] = step.free_energy;
  d["error_estimate"] = step.error_estimate;
  d["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  d["h_applications"] = step.h_applications;
  d["num_bands"] = step.bands;
  d["single_precision"] = step.single_precision;
  if (step.single_precision) d["rounding"] = step.rounding;
  if (step.total_magnetisation) d["total_magnetisation"] = *step.total_magnetisation;
  return d;
}

nb::dict as_dict(const Activity& activity, std::chrono::steady_clock::time_point began) {
  static constexpr const char* names[] = {"mixing", "derivatives", "checkpoint", "bands"};
  nb::dict d;
  d["stage"] = names[static_cast<std::size_t>(activity.stage)];
  d["done"] = activity.done;
  d["total"] = activity.total;
  d["groups"] = activity.groups;
  if (activity.stage == Stage::mixing) {
    d["preconditioner"] = to_string(activity.preconditioner.kind);
    d["reason"] = activity.preconditioner.reason;
  }
  d["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return d;
}

nb::dict as_dict(const FieldResponseStep& step, std::chrono::steady_clock::time_point began) {
  nb::dict d;
  d["stage"] = "response";
  d["done"] = step.done;
  d["total"] = step.total;
  d["groups"] = 1;
  d["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  d["axis"] = step.axis;
  d["dielectric"] = nb::cast(step.dielectric);
  d["charges"] = nb::cast(step.charges);
  d["iterations"] = step.iterations;
  d["error"] = step.error;
  return d;
}

void add(nb::dict& all, const FieldResponseResult& result) {
  nb::list fields;
  for (const FieldResponseStep& step : result.steps) fields.append(as_dict(step, std::chrono::steady_clock::now()));
  nb::dict d;
  d["fields"] = fields;
  d["seconds"] = result.seconds;
  all["field_response"] = d;
  if (result.stop_signal != 0) all["stopped"] = signal_name(result.stop_signal);
}

nb::dict as_dict(const PropagationStep& step, Index steps, std::chrono::steady_clock::time_point began) {
  nb::dict d;
  d["stage"] = "propagation";
  d["done"] = step.step;
  d["total"] = steps;
  d["groups"] = 1;
  d["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  d["time"] = step.time;
  d["energy"] = step.energy;
  d["electrons"] = step.electrons;
  if (step.dipole) d["dipole"] = nb::cast(*step.dipole);
  if (step.current) d["current"] = nb::cast(*step.current);
  if (step.magnetic_moment) d["magnetic_moment"] = nb::cast(*step.magnetic_moment);
  if (step.field) d["field"] = nb::cast(*step.field);
  if (!step.forces.empty()) d["forces"] = nb::cast(step.forces);
  add_fields(d, "density", step.density);
  if (!step.positions.empty()) {
    d["positions"] = nb::cast(step.positions);
    d["ion_kinetic"] = step.ion_kinetic;
  }
  if (!step.occupations.empty()) d["occupations"] = nb::cast(step.occupations);
  if (step.excited) d["excited"] = *step.excited;
  return d;
}

void add(nb::dict& all, const PropagationResult& result) {
  nb::dict d;
  d["steps"] = result.steps;
  d["first_energy"] = result.first_energy;
  d["last_energy"] = result.last_energy;
  d["lost_electrons"] = result.electrons;
  d["phase_error"] = result.phase_error;
  d["frequency_error"] = result.frequency_error;
  d["iterations"] = result.iterations;
  d["applications"] = result.applications;
  d["seconds"] = result.seconds;
  if (result.checkpoint) d["state"] = result.checkpoint->file;
  if (result.checkpoint && !result.checkpoint->error.empty()) d["state_error"] = result.checkpoint->error;
  all["propagation"] = d;
  if (result.stop_signal != 0) all["stopped"] = signal_name(result.stop_signal);
}

nb::dict as_dict(const ProjectorChoice& choice) {
  nb::dict d;
  d["kind"] = choice.in_real_space ? "real" : "reciprocal";
  d["reason"] = choice.reason;
  if (!choice.in_real_space) return d;
  d["error_estimate"] = choice.error;
  d["radius"] = choice.radius;
  d["points"] = static_cast<Index>(std::llround(choice.points));
  return d;
}

nb::dict as_dict(const AugmentationChoice& choice) {
  nb::dict d;
  d["kind"] = choice.in_boxes ? "boxes" : "reciprocal";
  d["reason"] = choice.reason;
  if (choice.in_boxes) {
    d["error_estimate"] = choice.error;
    d["radius"] = choice.radius;
  }
  return d;
}

nb::dict as_dict(const ExactExchangeReport& report) {
  nb::dict d;
  d["in_single"] = report.in_single;
  d["in_double"] = report.in_double;
  d["error_estimate"] = report.error;
  d["seconds"] = report.seconds;
  d["communication_seconds"] = report.communication_seconds;
  return d;
}

nb::dict as_dict(const CheckpointReport& report) {
  nb::dict d;
  d["file"] = report.file;
  d["writes"] = report.writes;
  d["seconds"] = report.seconds;
  d["bytes"] = report.bytes;
  if (!report.error.empty()) d["error"] = report.error;
  return d;
}

nb::dict as_dict(const CalculationResult& result, const Problem& problem) {
  nb::dict d;
  d["converged"] = result.scf.converged;
  d["energy"] = energies_dict(result.scf.energies);
  d["error_estimate"] = result.scf.error_estimate;
  if (result.scf.fermi.size() == 1)
    d["fermi_level"] = result.scf.fermi.front();
  else
    d["fermi_level"] = nb::cast(result.scf.fermi);
  const StateTable table{static_cast<Index>(result.kpoints.size()), problem.spins, result.bands};
  d["kpoints"] = kpoints_list(result.kpoints);
  d["kpoints_description"] = result.kpoints_description;
  d["eigenvalues"] = by_spin(result.scf.eigenvalues, table);
  d["residuals"] = by_spin(result.scf.residuals, table);
  const bool has_levels = !result.scf.eigenvalues.empty();
  d["occupations"] = by_spin(has_levels ? result.scf.occupations : std::vector<double>{}, table);
  if (problem.spinors) d["spinors"] = true;
  if (problem.density_components() > 1) {
    nb::dict m;
    m["total"] = result.scf.magnetisation.total;
    m["absolute"] = result.scf.magnetisation.absolute;
    if (problem.has_vector_magnetisation()) m["vector"] = nb::cast(result.scf.magnetisation.vector);
    d["magnetisation"] = m;
  }
  if (result.derivatives.forces) d["forces"] = forces_dict(*result.derivatives.forces);
  if (result.derivatives.stress) d["stress"] = stress_dict(*result.derivatives.stress);
  if (result.derivatives.forces || result.derivatives.stress) d["derivative_seconds"] = result.derivative_seconds;
  if (result.local_orbitals) d["local_orbitals"] = as_dict(*result.local_orbitals);
  if (result.mesh) d["mesh"] = mesh_dict(*result.mesh);
  if (result.atomic_charges) d["atomic_charges"] = charges_dict(*result.atomic_charges);
  if (!result.shells.empty()) d["hubbard"] = shells_list(result.shells);
  if (!result.spins.empty()) {
    const auto bands = static_cast<std::size_t>(result.bands);
    d["spins"] = make_array(result.spins, {result.spins.size() / (3 * bands), bands, std::size_t{3}});
  }
  if (result.projections) d["projections"] = projections_dict(*result.projections, problem.spins, result.bands);
  if (problem.dos_tetrahedra && !result.scf.stopped) d["tetrahedra"] = tetrahedra_dict(problem);
  if (result.restart) d["restart"] = restart_dict(*result.restart);
  if (result.checkpoint) d["checkpoint"] = as_dict(*result.checkpoint);
  if (result.stop_signal != 0) d["stopped"] = signal_name(result.stop_signal);
  if (result.casida) d["excitations"] = as_dict(*result.casida);
  if (!problem.band_path.empty() && !result.scf.stopped) d["path"] = path_dict(result, problem);
  add_fields(d, "density", result.density);
  add_fields(d, "potential", result.potential);
  if (const PlaneAverage& average = result.potential_average; !average.values.empty()) {
    d["potential_average"] = nb::cast(average.values);
    d["potential_average_first"] = average.first;
  }
  if (result.charge_moments) d["charge_moments"] = as_dict(*result.charge_moments);
  d["num_bands"] = result.bands;
  d["too_few_bands"] = result.scf.too_few_bands;
  d["moment_limited"] = result.scf.moment_limited;
  if (result.scf.too_few_bands) d["enough_bands"] = result.scf.enough_bands;
  d["at_rounding"] = result.scf.at_rounding;
  d["hpsi_deviation"] = result.scf.hpsi_deviation;
  nb::list changes;
  for (const ScfChange& change : result.scf.changes) {
    nb::dict step_entry;
    step_entry["step"] = change.step;
    step_entry["what"] = change.what;
    changes.append(step_entry);
  }
  d["scf_changes"] = changes;
  d["recovered_states"] = result.scf.recovered_states;
  d["scf_steps"] = result.scf.steps;
  d["precision"] = result.mixed_precision ? "mixed" : "double";
  d["scf_method"] = to_string(result.method);
  d["eigensolver"] = to_string(result.eigensolver);
  d["eigensolver_reason"] = result.eigensolver_reason;
  if (!result.mesh) d["projectors"] = as_dict(result.projectors);
  if (result.exact_exchange) d["exact_exchange"] = as_dict(*result.exact_exchange);
  if (result.augmentation) d["augmentation"] = as_dict(*result.augmentation);
  d["preconditioner"] = to_string(result.preconditioner.kind);
  d["preconditioner_reason"] = result.preconditioner.reason;
  d["h_applications"] = result.work.h_applications;
  d["nonlocal_applications"] = result.work.nonlocal_applications;
  d["ffts"] = result.work.ffts;
  d["plane_waves"] = result.parallel.plane_waves;
  d["grid"] = nb::cast(problem.grid);
  if (problem.density_grid) d["density_grid"] = nb::cast(problem.density_grid->grid);
  d["parallel"] = parallel_dict(result.parallel, problem);
  d["wall_seconds"] = seconds_dict(result.seconds);
  d["traffic"] = traffic_list(result.traffic);
  d["peak_bytes"] = result.peak_memory;
  return d;
}
