#include <algorithm>
#include <numeric>
#include <utility>

#include <wavegrid/calculation/ion_ion.hpp>
#include <wavegrid/ions/cluster.hpp>
#include <wavegrid/ions/ewald.hpp>
#include <wavegrid/ions/ewald_derivatives.hpp>
#include <wavegrid/ions/mixed_boundaries.hpp>
#include <wavegrid/problem/free_boundaries.hpp>
#include <wavegrid/terms/rank_sums.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

namespace {

[[nodiscard]] auto num_periodic(const Ions& ions) { return std::ranges::count(ions.periodic, true); }

/// Where not all directions are periodic. Deterministic: each rank computes all of it.
ClusterEnergy free_ions(const Comm& comm, const Ions& ions) {
  const PointCharges points = ion_charges(ions.crystal, ions.atoms);
  std::vector<Vec3> positions;
  const Crystal placed = ions.wraps ? in_one_piece(ions.crystal, ions.periodic) : ions.crystal;
  for (int a = 0; a < placed.num_atoms(); ++a) positions.push_back(placed.cartesian(a));
  if (num_periodic(ions) == 0) return cluster_energy(positions, points.charges);
  const Lattice& lattice = ions.crystal.lattice;
  if (ions.deterministic) return mixed_boundary_energy(lattice, ions.periodic, positions, points.charges);
  ClusterEnergy found =
      mixed_boundary_energy(lattice, ions.periodic, positions, points.charges, comm.rank(), comm.size());
  found.energy = comm.sum(found.energy);
  sum_over_ranks(comm, found.forces, found.strain);
  return found;
}

double ewald_sum(const Comm& comm, const Ions& ions) {
  const PointCharges points = ion_charges(ions.crystal, ions.atoms);
  const int num_parts = ions.deterministic ? fixed_ewald_parts : comm.size();
  std::vector<double> parts(static_cast<std::size_t>(num_parts), 0.0);
  for (int part = comm.rank(); part < num_parts; part += comm.size())
    parts[static_cast<std::size_t>(part)] =
        ewald_energy(ions.crystal.lattice, points.positions, points.charges, part, num_parts);
  comm.merge(std::span<double>(parts));
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

/// Deterministic: a fixed number of parts, which stay separate until the ordered sum. Otherwise one part per rank.
IonDerivatives periodic_derivatives(const Comm& comm, const Ions& ions) {
  const PointCharges points = ion_charges(ions.crystal, ions.atoms);
  const int shares = ions.deterministic ? fixed_ewald_parts : comm.size();
  std::vector<IonDerivatives> parts(ions.deterministic ? fixed_ewald_parts : 1,
                                    {std::vector<Vec3>(ions.crystal.atoms.size(), Vec3{0, 0, 0}), {}});
  for (int share = comm.rank(); share < shares; share += comm.size()) {
    EwaldDerivatives found = ewald_derivatives(ions.crystal.lattice, points.positions, points.charges, share, shares);
    parts[ions.deterministic ? static_cast<std::size_t>(share) : 0] = {std::move(found.forces), found.strain};
  }
  for (IonDerivatives& part : parts) sum_over_ranks(comm, part.forces, part.strain);
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    parts.front().forces = sum_forces(std::move(parts.front().forces), part->forces);
    parts.front().strain = parts.front().strain + part->strain;
  }
  return std::move(parts.front());
}

}  // namespace

double ion_ion_energy(const Comm& comm, const Ions& ions) {
  return num_periodic(ions) == 3 ? ewald_sum(comm, ions) : free_ions(comm, ions).energy;
}

IonDerivatives ion_ion_derivatives(const Comm& comm, const Ions& ions) {
  if (num_periodic(ions) == 3) return periodic_derivatives(comm, ions);
  ClusterEnergy found = free_ions(comm, ions);
  return {std::move(found.forces), found.strain};
}

}  // namespace wavegrid
