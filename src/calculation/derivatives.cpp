#include "calculation/derivatives.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "atoms/symmetrise.hpp"
#include "calculation/initial_density.hpp"
#include "ions/ewald.hpp"
#include "ions/ewald_derivatives.hpp"
#include "terms/core_density.hpp"
#include "terms/hartree.hpp"
#include "terms/kinetic_strain.hpp"
#include "terms/symmetric_sums.hpp"
#include "terms/xc_strain.hpp"

namespace wavegrid {

namespace {

std::vector<Vec3> no_forces(const Crystal& crystal) { return std::vector<Vec3>(crystal.atoms.size(), Vec3{0, 0, 0}); }

void add(std::vector<Vec3>& sum, const std::vector<Vec3>& forces) {
  std::transform(sum.begin(), sum.end(), forces.begin(), sum.begin(),
                 [](const Vec3& a, const Vec3& b) { return a + b; });
}

/// Forces and strains that are summed over ranks together.
struct Part {
  std::vector<Vec3> forces;
  Mat3 strain{}, kinetic_strain{};

  explicit Part(const Crystal& crystal) : forces(no_forces(crystal)) {}

  void add(const Part& part) {
    wavegrid::add(forces, part.forces);
    strain = strain + part.strain;
    kinetic_strain = kinetic_strain + part.kinetic_strain;
  }
  /// Appends all of them.
  void append_to(std::vector<Vec3*>& vectors) {
    for (Vec3& force : forces) vectors.push_back(&force);
    for (Mat3* matrix : {&strain, &kinetic_strain})
      for (Vec3& row : *matrix) vectors.push_back(&row);
  }
};

/// The sum of parts, each of which is nonzero on one rank only: reduced over ranks, then added in the order of the
/// parts. Collective.
Part sum_of(const Comm& comm, std::vector<Part> parts) {
  std::vector<Vec3*> vectors;
  for (Part& part : parts) part.append_to(vectors);
  sum_over_ranks(comm, vectors);
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) parts.front().add(*part);
  return std::move(parts.front());
}

Part of_ions(const Comm& comm, const DerivativeAtoms& atoms) {
  const PointCharges ions = ions_of(atoms.crystal, atoms.pseudopotentials);
  // Deterministic: a fixed number of parts, which stay separate until the ordered sum. Otherwise one part per rank.
  const int shares = atoms.deterministic ? fixed_ewald_parts : comm.size();
  std::vector<Part> parts(atoms.deterministic ? fixed_ewald_parts : 1, Part(atoms.crystal));
  for (int share = comm.rank(); share < shares; share += comm.size()) {
    EwaldDerivatives found = ewald_derivatives(atoms.crystal.lattice, ions.positions, ions.charges, share, shares);
    Part& part = parts[atoms.deterministic ? static_cast<std::size_t>(share) : 0];
    part.forces = std::move(found.forces);
    part.strain = found.strain;
  }
  return sum_of(comm, std::move(parts));
}

/// Contributions of the projectors (forces, strain) and of the kinetic energy (kinetic_strain).
template <class S>
Part of_bands(const PlaneWaveSystem<S>& system, const DerivativeAtoms& atoms, const ScfEnd<GridFields>& end,
              bool with_strain) {
  const StateTable table = system.scf.table();
  Part mine(atoms.crystal);
  for (const auto& bands : system.bands) {
    const auto guard = bands->h.time(Phase::nonlocal);
    const InnerProduct& product = bands->h.product();
    const BandView<const S> psi = std::as_const(bands->state.x).view();
    const auto occupations = std::span(end.result.occupations)
                                 .subspan(static_cast<std::size_t>(table.first(bands->k, bands->spin)),
                                          static_cast<std::size_t>(system.scf.bands_per_k));
    const NonlocalDerivatives found =
        bands->h.nonlocal().derivatives(product, psi, occupations, with_strain, bands->state.values);
    add(mine.forces, found.forces);
    mine.strain = mine.strain + found.strain;
    if (with_strain)
      mine.kinetic_strain = mine.kinetic_strain + kinetic_strain<S>(product, bands->h.waves(), psi, occupations);
  }
  // All ranks of a k-point group have the same result: its rank 0 contributes it, and k-point groups are added in
  // order.
  std::vector<Part> parts(static_cast<std::size_t>(system.scf.groups.counts().kpoint_groups), Part(atoms.crystal));
  if (system.scf.groups.kpoint_group().rank() == 0)
    parts[static_cast<std::size_t>(system.scf.groups.my_kpoint_group())] = std::move(mine);
  return sum_of(system.scf.groups.world(), std::move(parts));
}

/// The mean of all spins' fields on this rank's G of the box.
GridFft::Coefficients mean_of_spins(GridFft& grid, const SpinFields& fields) {
  std::vector<double> mean(fields[0]);
  if (fields.size() == 2)
    std::transform(mean.begin(), mean.end(), fields[1].begin(), mean.begin(),
                   [](double up, double down) { return 0.5 * (up + down); });
  return grid.to_recip(mean);
}

/// What the derivatives of the density's energy terms need.
struct DensityContributions {
  Mat3 xc_strain{};
  GridFft::Coefficients core_potential;  ///< of exchange and correlation; empty on all ranks without core densities
  GridFft::Coefficients change;          ///< V_out - V_in
};

template <class S>
DensityContributions of_density(const PlaneWaveSystem<S>& system, const ScfEnd<GridFields>& end,
                                DerivativeOptions wanted) {
  GridFft& grid = system.scf.space.grid();
  SpinFields values;
  for (const auto& component : end.density) values.push_back(grid.to_real(component));
  DensityContributions result;
  const XcPotential<GridFields>& xc = system.scf.potential.xc();
  if (wanted.stress || xc.has_core()) {
    const StrainedXc found = wanted.stress ? strained_xc(system.scf.space, xc, end.density, values)
                                           : StrainedXc{xc.evaluate(end.density, values), {}};
    result.xc_strain = found.strain;
    if (xc.has_core()) result.core_potential = mean_of_spins(grid, found.of_density.potential);
  }
  SpinFields change = system.scf.potential.potential(end.density, values);
  for (std::size_t spin = 0; spin < change.size(); ++spin)
    std::transform(change[spin].begin(), change[spin].end(), end.potential[spin].begin(), change[spin].begin(),
                   std::minus<>());
  result.change = grid.to_recip(weighted_by_spin(change, values));
  return result;
}

Vec3 remove_net_force(std::vector<Vec3>& forces) {
  const Vec3 net = std::accumulate(forces.begin(), forces.end(), Vec3{0, 0, 0},
                                   [](const Vec3& sum, const Vec3& force) { return sum + force; });
  for (Vec3& force : forces) force = force - (1.0 / static_cast<double>(forces.size())) * net;
  return net;
}

}  // namespace

std::vector<double> weighted_by_spin(const SpinFields& fields, const SpinFields& density) {
  std::vector<double> sum(fields[0]);
  if (fields.size() == 1) return sum;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double polarisation = density[0][i] > 0.0 ? std::clamp(density[1][i] / density[0][i], -1.0, 1.0) : 0.0;
    sum[i] = 0.5 * ((1.0 + polarisation) * fields[0][i] + (1.0 - polarisation) * fields[1][i]);
  }
  return sum;
}

void sum_over_ranks(const Comm& comm, const std::vector<Vec3*>& vectors) {
  std::vector<double> numbers;
  for (const Vec3* vector : vectors) numbers.insert(numbers.end(), vector->begin(), vector->end());
  comm.sum(std::span<double>(numbers));
  auto from = numbers.cbegin();
  for (Vec3* vector : vectors) {
    std::copy_n(from, 3, vector->begin());
    from += 3;
  }
}

Forces summed(Forces forces, const Crystal& crystal, const SpaceGroup& symmetry) {
  forces.total = no_forces(crystal);
  for (auto* part : {&forces.ewald, &forces.local, &forces.nonlocal, &forces.nlcc, &forces.scf_correction}) {
    if (part->empty()) *part = no_forces(crystal);
    *part = symmetrise_forces(symmetry, crystal, *part);
    add(forces.total, *part);
  }
  forces.net = remove_net_force(forces.total);
  return forces;
}

Stress summed(Stress stress, const Lattice& lattice, const SpaceGroup& symmetry) {
  for (Mat3* part : {&stress.kinetic, &stress.hartree, &stress.xc, &stress.ewald, &stress.local, &stress.nonlocal,
                     &stress.local_g0, &stress.nlcc, &stress.scf_correction}) {
    *part = symmetrise_stress(symmetry, lattice, 1.0 / lattice.volume() * *part);
    stress.total = stress.total + *part;
  }
  return stress;
}

template <class S>
Derivatives compute_derivatives(const PlaneWaveSystem<S>& system, const DerivativeAtoms& atoms,
                                const ScfEnd<GridFields>& end, DerivativeOptions wanted) {
  const auto& [crystal, potentials, pseudo_atoms, symmetry, deterministic] = atoms;
  const GridFft& grid = system.scf.space.grid();
  const std::vector<char>& inside = system.scf.space.inside();
  const GridFft::Coefficients& density = end.density[0];
  const bool has_core = system.scf.potential.xc().has_core();
  Part ions = of_ions(system.scf.groups.world(), atoms);
  Part bands = of_bands(system, atoms, end, wanted.stress);
  const DensityContributions found = of_density(system, end, wanted);
  Derivatives result;
  if (wanted.forces) {
    Forces forces;
    forces.ewald = std::move(ions.forces);
    forces.nonlocal = std::move(bands.forces);
    forces.local = local_forces(grid, inside, crystal, potentials, density);
    if (has_core) forces.nlcc = core_forces(grid, crystal, potentials, found.core_potential);
    forces.scf_correction = superposed_forces(grid, crystal, pseudo_atoms, found.change);
    result.forces = summed(std::move(forces), crystal, symmetry);
  }
  if (wanted.stress) {
    Stress strain;
    strain.kinetic = bands.kinetic_strain;
    strain.hartree = hartree_strain(grid, inside, density);
    strain.xc = found.xc_strain;
    strain.ewald = ions.strain;
    strain.local = local_strain(grid, inside, crystal, potentials, density, end.result.energies.local);
    strain.nonlocal = bands.strain;
    strain.local_g0 = isotropic(-end.result.energies.local_g0);
    if (has_core) strain.nlcc = core_strain(grid, crystal, potentials, found.core_potential);
    strain.scf_correction = superposed_strain(grid, crystal, pseudo_atoms, found.change);
    result.stress = summed(strain, crystal.lattice, symmetry);
  }
  return result;
}

#define WAVEGRID_INSTANTIATE(S)                                                                  \
  template Derivatives compute_derivatives<S>(const PlaneWaveSystem<S>&, const DerivativeAtoms&, \
                                              const ScfEnd<GridFields>&, DerivativeOptions);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
