#include "calculation/mesh_derivatives.hpp"

#include "calculation/ion_energy.hpp"
#include "ions/cluster.hpp"
#include "ions/ewald_derivatives.hpp"
#include "realspace/mesh_forces.hpp"

namespace wavegrid {

namespace {

/// The ions of a problem at Cartesian positions, as free charges.
ClusterEnergy free_ions(const Problem& problem) {
  const PointCharges ions = ions_of(problem.crystal, problem.pseudopotentials);
  std::vector<Vec3> positions;
  for (int a = 0; a < problem.crystal.num_atoms(); ++a) positions.push_back(problem.crystal.cartesian(a));
  return cluster_energy(positions, ions.charges);
}

std::vector<Vec3> ion_forces(const Comm& comm, const Problem& problem) {
  if (!problem.mesh_basis->periodic) return free_ions(problem).forces;
  const PointCharges ions = ions_of(problem.crystal, problem.pseudopotentials);
  std::vector<Vec3> forces =
      ewald_derivatives(problem.crystal.lattice, ions.positions, ions.charges, comm.rank(), comm.size()).forces;
  for (Vec3& force : forces) comm.sum(std::span<double>(force));
  return forces;
}

}  // namespace

double ion_energy_on_mesh(const Comm& comm, const Problem& problem) {
  return problem.mesh_basis->periodic ? ewald_of(comm, problem) : free_ions(problem).energy;
}

template <class S>
Forces forces_on_mesh(const ProcessGroups& groups, MeshSpace& space, const MeshPotential& potential,
                      const MeshBands<S>& bands, const Problem& problem, const ScfEnd<MeshFields>& end) {
  const int atoms = problem.crystal.num_atoms();
  const std::vector<Vec3> none(static_cast<std::size_t>(atoms), Vec3{0, 0, 0});
  Forces forces{none, ion_forces(space.mesh.comm(), problem), none, none, none, none};
  MeshBox& box = space.fields.box();
  forces.local = local_forces(box, problem.crystal, problem.pseudopotentials, end.density[0]);
  // All ranks of a k-point group have the same result: its rank 0 contributes it.
  const bool contributes = groups.kpoint_group().rank() == 0;
  const StateTable table{static_cast<Index>(problem.kpoints.size()), problem.spins, problem.bands};
  for (const auto& one : bands.all()) {
    const auto occupations =
        std::span(end.result.occupations)
            .subspan(static_cast<std::size_t>(table.first(one->k, one->spin)), static_cast<std::size_t>(problem.bands));
    const std::vector<Vec3> found = nonlocal_forces<S>(one->h, std::as_const(one->state.x).view(), occupations, atoms);
    for (std::size_t a = 0; contributes && a < found.size(); ++a) forces.nonlocal[a] = forces.nonlocal[a] + found[a];
  }
  for (Vec3& force : forces.nonlocal) groups.world().sum(std::span<double>(force));
  if (potential.xc().has_core())
    forces.nlcc = core_forces(box, problem.crystal, problem.pseudopotentials,
                              potential.xc().evaluate(end.density, end.density).potential);
  for (std::size_t a = 0; a < none.size(); ++a) {
    forces.total[a] = forces.ewald[a] + forces.local[a] + forces.nonlocal[a] + forces.nlcc[a];
    forces.net = forces.net + forces.total[a];
  }
  for (Vec3& force : forces.total) force = force - (1.0 / atoms) * forces.net;
  return forces;
}

template Forces forces_on_mesh<double>(const ProcessGroups&, MeshSpace&, const MeshPotential&, const MeshBands<double>&,
                                       const Problem&, const ScfEnd<MeshFields>&);
template Forces forces_on_mesh<std::complex<double>>(const ProcessGroups&, MeshSpace&, const MeshPotential&,
                                                     const MeshBands<std::complex<double>>&, const Problem&,
                                                     const ScfEnd<MeshFields>&);

}  // namespace wavegrid
