#include "scf/forces.hpp"

#include <algorithm>
#include <numeric>

#include "atoms/symmetrise.hpp"
#include "scf/start_density.hpp"
#include "terms/core_density.hpp"
#include "terms/ewald_derivatives.hpp"
#include "terms/nonlocal_derivatives.hpp"

namespace wavegrid {

namespace {

std::vector<Vec3> no_forces(const Crystal& crystal) { return std::vector<Vec3>(crystal.atoms.size(), Vec3{0, 0, 0}); }

void add(std::vector<Vec3>& sum, const std::vector<Vec3>& forces) {
  std::transform(sum.begin(), sum.end(), forces.begin(), sum.begin(), [](const Vec3& a, const Vec3& b) { return a + b; });
}

/// Forces as a row of numbers and back, for sums over ranks.
std::span<double> numbers(std::vector<Vec3>& forces) { return {forces.data()->data(), 3 * forces.size()}; }

/// Arrays of which every part is held by one rank, added over the ranks in the order of the parts. Collective.
void sum_parts(const Comm& comm, std::vector<std::vector<Vec3>>& parts) {
  std::vector<double> all;
  for (auto& part : parts) {
    const auto values = numbers(part);
    all.insert(all.end(), values.begin(), values.end());
  }
  comm.sum(std::span<double>(all));
  auto next = all.begin();
  for (auto& part : parts) {
    const auto values = numbers(part);
    std::copy_n(next, values.size(), values.begin());
    next += static_cast<std::ptrdiff_t>(values.size());
  }
}

std::vector<Vec3> sum_of(const Comm& comm, std::vector<std::vector<Vec3>> parts, const Crystal& crystal) {
  sum_parts(comm, parts);
  std::vector<Vec3> sum = no_forces(crystal);
  for (const auto& part : parts) add(sum, part);
  return sum;
}

std::vector<Vec3> ewald_forces(const Comm& comm, const AtomsOfCalculation& atoms) {
  std::vector<Vec3> positions;
  std::vector<double> charges;
  for (const Atom& atom : atoms.crystal.atoms) {
    positions.push_back(atom.position);
    charges.push_back(atoms.pseudopotentials[static_cast<std::size_t>(atom.species)]->valence_charge());
  }
  const int of_all = atoms.deterministic ? 64 : comm.size();
  // Deterministic: all parts travel by themselves. Else each rank's part is added as MPI likes best.
  std::vector<std::vector<Vec3>> parts(static_cast<std::size_t>(atoms.deterministic ? of_all : 1),
                                       no_forces(atoms.crystal));
  for (int part = comm.rank(); part < of_all; part += comm.size())
    parts[atoms.deterministic ? static_cast<std::size_t>(part) : 0] =
        ewald_derivatives(atoms.crystal.lattice, positions, charges, part, of_all).forces;
  return sum_of(comm, std::move(parts), atoms.crystal);
}

template <class S>
std::vector<Vec3> nonlocal_forces(const ScfSystem<S>& system, const AtomsOfCalculation& atoms, const ScfEnd& end) {
  const StateTable table{static_cast<Index>(system.k_weights.size()), system.electrons.spins, system.bands_per_k};
  std::vector<Vec3> mine = no_forces(atoms.crystal);
  for (const auto& bands : system.bands) {
    const auto guard = bands->h.time(Phase::nonlocal);
    const auto filling = std::span(end.result.filling)
                             .subspan(static_cast<std::size_t>(table.first(bands->k, bands->spin)),
                                      static_cast<std::size_t>(system.bands_per_k));
    add(mine, nonlocal_derivatives<S>(bands->h.product(), bands->h.waves(), bands->basis->nonlocal, atoms.crystal,
                                      atoms.pseudopotentials, std::as_const(bands->state.x).view(), filling)
                  .forces);
  }
  // All ranks of a k-group hold the same: one of them gives it, and k-groups are added in their order.
  std::vector<std::vector<Vec3>> parts(static_cast<std::size_t>(system.levels.counts().kgroups),
                                       no_forces(atoms.crystal));
  if (system.levels.kgroup().rank() == 0) parts[static_cast<std::size_t>(system.levels.my_kgroup())] = std::move(mine);
  return sum_of(system.levels.world(), std::move(parts), atoms.crystal);
}

/// The mean of all spins' fields on this rank's G of the box.
GridFft::Coefficients mean_of_spins(GridFft& grid, const SpinFields& fields) {
  std::vector<double> mean(fields[0]);
  if (fields.size() == 2)
    std::transform(mean.begin(), mean.end(), fields[1].begin(), mean.begin(),
                   [](double up, double down) { return 0.5 * (up + down); });
  return grid.to_recip(mean);
}

Vec3 take_off_net(std::vector<Vec3>& forces) {
  const Vec3 net = std::accumulate(forces.begin(), forces.end(), Vec3{0, 0, 0},
                                   [](const Vec3& sum, const Vec3& force) { return sum + force; });
  for (Vec3& force : forces) force = force - (1.0 / static_cast<double>(forces.size())) * net;
  return net;
}

}  // namespace

template <class S>
Forces compute_forces(const ScfSystem<S>& system, const AtomsOfCalculation& atoms, const ScfEnd& end) {
  GridFft& grid = system.grid;
  SpinFields values;
  for (const auto& component : end.density) values.push_back(grid.to_real(component));

  Forces forces;
  forces.ewald = ewald_forces(system.levels.world(), atoms);
  forces.nonlocal = nonlocal_forces(system, atoms, end);
  forces.local =
      local_forces(grid, system.potential.inside(), atoms.crystal, atoms.pseudopotentials, end.density[0]);
  forces.core = no_forces(atoms.crystal);
  if (system.potential.xc().has_core())
    forces.core = core_forces(grid, atoms.crystal, atoms.pseudopotentials,
                              mean_of_spins(grid, system.potential.xc().evaluate(end.density, values).potential));
  SpinFields change = system.potential.potential(end.density, values);
  for (std::size_t spin = 0; spin < change.size(); ++spin)
    std::transform(change[spin].begin(), change[spin].end(), end.potential[spin].begin(), change[spin].begin(),
                   std::minus<>());
  forces.correction = superposed_forces(grid, atoms.crystal, atoms.pseudo_atoms, mean_of_spins(grid, change));

  forces.total = no_forces(atoms.crystal);
  for (auto* part : {&forces.ewald, &forces.local, &forces.nonlocal, &forces.core, &forces.correction}) {
    *part = symmetrise_forces(atoms.symmetry, atoms.crystal, *part);
    add(forces.total, *part);
  }
  forces.net = take_off_net(forces.total);
  return forces;
}

#define WAVEGRID_INSTANTIATE(S) \
  template Forces compute_forces<S>(const ScfSystem<S>&, const AtomsOfCalculation&, const ScfEnd&);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
