#include "calculation/ion_energy.hpp"

#include <numeric>

#include "calculation/mesh_derivatives.hpp"
#include "ions/ewald.hpp"
#include "terms/local_potential.hpp"

namespace wavegrid {

double ewald_of(const Comm& comm, const Problem& problem) {
  const PointCharges ions = ions_of(problem.crystal, problem.pseudopotentials);
  const int num_parts = problem.deterministic ? fixed_ewald_parts : comm.size();
  std::vector<double> parts(static_cast<std::size_t>(num_parts), 0.0);
  for (int part = comm.rank(); part < num_parts; part += comm.size())
    parts[static_cast<std::size_t>(part)] =
        ewald_energy(problem.crystal.lattice, ions.positions, ions.charges, part, num_parts);
  comm.merge(std::span<double>(parts));
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

IonEnergy ion_energy(const Comm& comm, const Problem& problem, double electrons) {
  if (problem.periodic() != Periodic{true, true, true}) return {ion_energy_on_mesh(comm, problem), 0.0};
  return {ewald_of(comm, problem), local_g0_energy(problem.crystal, problem.pseudopotentials, electrons)};
}

}  // namespace wavegrid
