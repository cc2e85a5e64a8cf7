#include <algorithm>
#include <array>
#include <complex>
#include <functional>
#include <string_view>
#include <utility>

#include <wavegrid/calculation/derivatives.hpp>
#include <wavegrid/calculation/net_torque.hpp>
#include <wavegrid/crystal/symmetrise.hpp>
#include <wavegrid/ions/coulomb_kernel.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/planewaves/superposed_density.hpp>
#include <wavegrid/problem/free_boundaries.hpp>
#include <wavegrid/realspace/mesh_fields.hpp>
#include <wavegrid/scf/band_sums.hpp>
#include <wavegrid/scf/electron_solver.hpp>
#include <wavegrid/terms/rank_sums.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

namespace {

/// The order of the parts in results, in which they are added; others follow.
constexpr std::array<std::string_view, 11> part_order{"kinetic",       "hartree",  "xc",           "ion_ion",  "local",
                                                      "nonlocal",      "exchange", "augmentation", "local_g0", "nlcc",
                                                      "scf_correction"};

/// The contributions of all bands. All ranks of a k-point group have the same: its rank 0 contributes it, and k-point
/// groups are added in order.
template <class S, class Space>
BandDerivatives sum_over_bands(const ScfSystem<S, Space>& system, const std::vector<double>& occupations,
                               std::size_t num_atoms, bool with_strain) {
  const StateTable table = system.table();
  const BandDerivatives none{.forces = std::vector<Vec3>(num_atoms, Vec3{0, 0, 0})};
  BandDerivatives mine = none;
  for (KohnShamBands<S>* bands : system.bands)
    bands->op.add_derivatives(std::as_const(bands->state.x).view(),
                              std::span(occupations)
                                  .subspan(static_cast<std::size_t>(table.first(bands->k, bands->spin)),
                                           static_cast<std::size_t>(system.bands_per_k)),
                              bands->state.values, with_strain, mine);
  std::vector<BandDerivatives> parts(static_cast<std::size_t>(system.groups.counts().kpoint_groups), none);
  if (system.groups.kpoint_group().rank() == 0)
    parts[static_cast<std::size_t>(system.groups.my_kpoint_group())] = std::move(mine);
  BandDerivatives sum = none;
  for (BandDerivatives& part : parts) {
    sum_over_ranks(system.groups.world(), part.forces, part.nonlocal_strain, part.kinetic_strain, part.tau_strain);
    sum.forces = sum_forces(std::move(sum.forces), part.forces);
    sum.nonlocal_strain = sum.nonlocal_strain + part.nonlocal_strain;
    sum.kinetic_strain = sum.kinetic_strain + part.kinetic_strain;
    sum.tau_strain = sum.tau_strain + part.tau_strain;
  }
  return sum;
}

/// sum_s n_s / n V_s of the spins' fields V_s at the points of this rank: what acts on a density that changes without
/// its polarisation; of spinors V + B.m / n. `density`: n, and n_up - n_down with two spins, or m.
FieldValues weighted_by_spin(const SpinFields& fields, const SpinFields& density) {
  FieldValues sum(fields[0]);
  if (fields.size() == 1) return sum;
  if (has_vector(fields)) {
    for (std::size_t i = 0; i < sum.size(); ++i)
      for (std::size_t c = 1; c < 4 && density[0][i] > 0.0; ++c)
        sum[i] += fields[c][i] * std::clamp(density[c][i] / density[0][i], -1.0, 1.0);
    return sum;
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double polarisation = density[0][i] > 0.0 ? std::clamp(density[1][i] / density[0][i], -1.0, 1.0) : 0.0;
    sum[i] = 0.5 * ((1.0 + polarisation) * fields[0][i] + (1.0 - polarisation) * fields[1][i]);
  }
  return sum;
}

/// The correction for a density that is not fully self-consistent: atoms move in V_out - V_in.
template <class S, class Space>
void add_scf_correction(const ScfSystem<S, Space>& system, const DensityView<Space>& density, const Potential& input,
                        const Crystal& crystal, const std::vector<PseudoAtom>& pseudo_atoms, Gradients& sum) {
  Space& space = system.space;
  SpinFields change = system.terms.potential(density).v;
  for (std::size_t spin = 0; spin < change.size(); ++spin)
    std::transform(change[spin].begin(), change[spin].end(), input.v[spin].begin(), change[spin].begin(),
                   std::minus<>());
  const GridFft::Coefficients& in_box = space.to_box(space.to_field(weighted_by_spin(change, density.values.n)));
  const Crystal& placed = space.in_box(crystal);
  const GridFft& fft = space.fourier_box().fft;
  if (sum.with_forces) sum.forces["scf_correction"] = superposed_forces(fft, placed, pseudo_atoms, in_box);
  if (sum.with_strain) sum.strains["scf_correction"] = superposed_strain(fft, placed, pseudo_atoms, in_box);
}

/// The augmentation charge of the bands moves with the atoms in the potential.
template <class S, class Space>
void add_augmentation(const ScfSystem<S, Space>& system, const ScfEnd<Space>& end, Gradients& sum) {
  const AugmentationCharge<Space>* const augmentation = system.terms.augmentation();
  if (augmentation == nullptr) return;
  BandSums<S, Space> bands(system);
  const SpinMatrices rho = bands.projections(end.result.occupations);
  for (std::size_t channel = 0; channel < rho.size(); ++channel)
    augmentation->add_gradients(rho[channel], end.potential.v[channel], sum);
}

/// Makes the sum of the forces that of the terms; returns what was taken off.
template <class Space>
Vec3 correct_net_force(const EnergyTerms<Space>& terms, const DensityView<Space>& density, std::vector<Vec3>& forces) {
  Vec3 error{0, 0, 0};
  for (const Vec3& force : forces) error = error + force;
  for (const auto& term : terms.terms()) error = error - term->net_force(density);
  for (Vec3& force : forces) force = force - (1.0 / static_cast<double>(forces.size())) * error;
  return error;
}

/// Makes a molecule without periodic directions free of torque; returns what was taken off.
std::optional<Vec3> correct_torque(const Problem& problem, std::vector<Vec3>& forces) {
  if (problem.periodic() != Periodic{false, false, false} || forces.size() < 2) return std::nullopt;
  const Crystal placed = problem.mesh_basis ? problem.crystal : in_one_piece(problem.crystal, problem.periodic());
  std::vector<Vec3> positions;
  for (int a = 0; a < placed.num_atoms(); ++a) positions.push_back(placed.cartesian(a));
  return take_off_torque(positions, forces);
}

/// The sum of the terms, each symmetrised.
Forces summed(NamedForces terms, const Crystal& crystal, const SpaceGroup& symmetry) {
  Forces forces{std::vector<Vec3>(crystal.atoms.size(), Vec3{0, 0, 0}), std::move(terms)};
  for (auto& [name, part] : forces.terms) {
    part = symmetrise_forces(symmetry, crystal, part);
    forces.total = sum_forces(std::move(forces.total), part);
  }
  return forces;
}

/// P m P with the projector P on the periodic directions, the only ones that can be strained.
Mat3 along_periodic(const Mat3& m, const Lattice& lattice, const Periodic& periodic) {
  const CoulombKernel directions(lattice, periodic, 0);
  Mat3 rows{};
  for (std::size_t i = 0; i < 3; ++i) rows[i] = directions.along(m[i]);
  Mat3 result{};
  for (std::size_t j = 0; j < 3; ++j) {
    const Vec3 column = directions.along({rows[0][j], rows[1][j], rows[2][j]});
    for (std::size_t i = 0; i < 3; ++i) result[i][j] = column[i];
  }
  return result;
}

/// The same for the stress; the terms are given as dF/d eps_ab in Ha.
Stress summed(NamedStrains strains, const Lattice& lattice, const SpaceGroup& symmetry, const Periodic& periodic) {
  Stress stress{{}, std::move(strains)};
  for (auto& [name, part] : stress.terms) {
    part = symmetrise_stress(symmetry, lattice, 1.0 / lattice.volume() * along_periodic(part, lattice, periodic));
    stress.total = stress.total + part;
  }
  return stress;
}

}  // namespace

template <class S, class Space>
Derivatives compute_derivatives(const ScfSystem<S, Space>& system, const Problem& problem,
                                const std::vector<PseudoAtom>& pseudo_atoms, const ScfEnd<Space>& end,
                                const std::optional<Mat3>& exchange_strain, NetForce net) {
  const Crystal& crystal = problem.crystal;
  Gradients sum{.with_forces = problem.derivatives.forces, .with_strain = problem.derivatives.stress};
  BandDerivatives bands =
      sum_over_bands(system, end.result.occupations, crystal.atoms.size(), problem.derivatives.stress);
  if (sum.with_strain) sum.strains["kinetic"] = bands.kinetic_strain;
  const DensityValues values = density_values(system.space, end.density);
  const DensityView<Space> density{end.density, values};
  for (const auto& term : system.terms.terms()) term->add_gradients(density, sum);
  if (sum.with_strain && system.terms.needs_tau()) sum.strains["xc"] = sum.strains["xc"] + bands.tau_strain;
  if (sum.with_forces) sum.forces["nonlocal"] = std::move(bands.forces);
  if (sum.with_strain) sum.strains["nonlocal"] = bands.nonlocal_strain;
  if (sum.with_strain && exchange_strain) sum.strains["exchange"] = *exchange_strain;
  add_augmentation(system, end, sum);
  if (end.solver != nullptr) end.solver->add_gradients(end.potential, end.result, sum);
  add_scf_correction(system, density, end.potential, crystal, pseudo_atoms, sum);
  sum.forces.sort(part_order);
  sum.strains.sort(part_order);
  Derivatives result;
  if (sum.with_forces) {
    result.forces = summed(std::move(sum.forces), crystal, problem.symmetry);
    if (net == NetForce::corrected) {
      result.forces->net = correct_net_force(system.terms, density, result.forces->total);
      result.forces->torque = correct_torque(problem, result.forces->total);
    }
  }
  if (sum.with_strain)
    result.stress = summed(std::move(sum.strains), crystal.lattice, problem.symmetry, problem.periodic());
  return result;
}

#define WAVEGRID_INSTANTIATE(S, Space)                                                                     \
  template Derivatives compute_derivatives<S, Space>(const ScfSystem<S, Space>&, const Problem&,           \
                                                     const std::vector<PseudoAtom>&, const ScfEnd<Space>&, \
                                                     const std::optional<Mat3>&, NetForce);
WAVEGRID_INSTANTIATE(double, GridFields)
WAVEGRID_INSTANTIATE(std::complex<double>, GridFields)
WAVEGRID_INSTANTIATE(double, MeshFields)
WAVEGRID_INSTANTIATE(std::complex<double>, MeshFields)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
