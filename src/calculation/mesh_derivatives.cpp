#include "calculation/mesh_derivatives.hpp"

#include <tuple>

#include "calculation/initial_density.hpp"
#include "calculation/ion_energy.hpp"
#include "ions/cluster.hpp"
#include "ions/ewald_derivatives.hpp"
#include "ions/mixed_boundaries.hpp"
#include "realspace/mesh_derivatives.hpp"
#include "terms/core_density.hpp"
#include "terms/symmetric_sums.hpp"
#include "terms/xc_strain.hpp"

namespace wavegrid {

namespace {

void append(std::vector<Vec3>& forces, std::vector<Vec3*>& vectors) {
  for (Vec3& force : forces) vectors.push_back(&force);
}
void append(Mat3& strain, std::vector<Vec3*>& vectors) {
  for (Vec3& row : strain) vectors.push_back(&row);
}
/// Sums forces and strains over all ranks by one reduction.
template <class... Parts>
void sum_over(const Comm& comm, Parts&... parts) {
  std::vector<Vec3*> vectors;
  (append(parts, vectors), ...);
  sum_over_ranks(comm, vectors);
}

/// Energy and forces of ions that are not periodic in all directions, by all ranks together.
ClusterEnergy free_ions(const Comm& comm, const Problem& problem) {
  const PointCharges ions = ions_of(problem.crystal, problem.pseudopotentials);
  std::vector<Vec3> positions;
  for (int a = 0; a < problem.crystal.num_atoms(); ++a) positions.push_back(problem.crystal.cartesian(a));
  if (problem.mesh_basis->num_periodic() == 0) return cluster_energy(positions, ions.charges);
  ClusterEnergy found = mixed_boundary_energy(problem.crystal.lattice, problem.mesh_basis->periodic, positions,
                                              ions.charges, comm.rank(), comm.size());
  found.energy = comm.sum(found.energy);
  sum_over(comm, found.forces);
  return found;
}

/// Forces, and in a periodic cell the strain, of the ions among themselves.
EwaldDerivatives of_ions(const Comm& comm, const Problem& problem) {
  if (!problem.mesh_basis->is_periodic()) return {free_ions(comm, problem).forces, {}};
  const PointCharges ions = ions_of(problem.crystal, problem.pseudopotentials);
  EwaldDerivatives found =
      ewald_derivatives(problem.crystal.lattice, ions.positions, ions.charges, comm.rank(), comm.size());
  sum_over(comm, found.forces, found.strain);
  return found;
}

/// The contributions of the bands of one k-point and spin, with several band groups of this group's share.
template <class S>
MeshBandDerivatives of_group(const MeshKPointBands<S>& bands, const std::optional<BandGroupExchange>& exchange,
                             std::span<const double> occupations, const Problem& problem) {
  const BandView<const S> x = bands.state.x.view();
  const auto of = [&](BandView<const S> psi, std::span<const double> weights, std::span<const double> eigenvalues) {
    return band_derivatives<S>(bands.h, psi, weights, problem.crystal.num_atoms(), problem.derivatives.stress,
                               eigenvalues);
  };
  if (!exchange) return of(x, occupations, bands.state.values);
  const Bands<S> mine = bands.grouped->share_of(x);
  return of(mine.view(), exchange->share_of(occupations), exchange->share_of(bands.state.values));
}

/// The contributions of all bands, the same on all ranks.
template <class S>
MeshBandDerivatives of_bands(const ProcessGroups& groups, const MeshSpace& space, const MeshBands<S>& bands,
                             const Problem& problem, const std::vector<double>& occupations) {
  const StateTable table{static_cast<Index>(problem.kpoints.size()), problem.spins, problem.bands};
  MeshBandDerivatives sum{.forces = std::vector<Vec3>(problem.crystal.atoms.size(), Vec3{0, 0, 0})};
  // All ranks of a band group have the same result, of their share of the bands: its rank 0 contributes it.
  const bool contributes = groups.band_group().rank() == 0;
  for (const auto& one : bands.all()) {
    const auto share =
        std::span(occupations)
            .subspan(static_cast<std::size_t>(table.first(one->k, one->spin)), static_cast<std::size_t>(problem.bands));
    const MeshBandDerivatives found = of_group<S>(*one, space.exchange, share, problem);
    if (!contributes) continue;
    for (std::size_t a = 0; a < found.forces.size(); ++a) sum.forces[a] = sum.forces[a] + found.forces[a];
    sum.nonlocal_strain = sum.nonlocal_strain + found.nonlocal_strain;
    sum.kinetic_strain = sum.kinetic_strain + found.kinetic_strain;
  }
  sum_over(groups.world(), sum.forces, sum.nonlocal_strain, sum.kinetic_strain);
  return sum;
}

/// V_out - V_in in the box, of both spins by their shares of the density, Ha.
MeshBox::Coefficients change_of(MeshBox& box, const MeshPotential& potential, const ScfEnd<MeshFields>& end) {
  SpinFields change = potential.potential(end.density, end.density);
  for (std::size_t spin = 0; spin < change.size(); ++spin)
    for (std::size_t i = 0; i < change[spin].size(); ++i) change[spin][i] -= end.potential[spin][i];
  return box.to_box(weighted_by_spin(change, end.density));
}

}  // namespace

double ion_energy_on_mesh(const Comm& comm, const Problem& problem) {
  return problem.mesh_basis->is_periodic() ? ewald_of(comm, problem) : free_ions(comm, problem).energy;
}

template <class S>
Derivatives derivatives_on_mesh(const ProcessGroups& groups, MeshSpace& space, const MeshPotential& potential,
                                const MeshBands<S>& bands, const Problem& problem,
                                const std::vector<PseudoAtom>& pseudo_atoms, const ScfEnd<MeshFields>& end) {
  const auto& [crystal, potentials] = std::tie(problem.crystal, problem.pseudopotentials);
  MeshBox& box = space.fields.box();
  EwaldDerivatives ions = of_ions(groups.world(), problem);
  MeshBandDerivatives of_all = of_bands<S>(groups, space, bands, problem, end.result.occupations);
  const MeshBox::Coefficients change = change_of(box, potential, end);
  const bool has_core = potential.xc().has_core();
  const StrainedXc xc = problem.derivatives.stress
                            ? strained_xc(space.fields, potential.xc(), end.density, end.density)
                            : StrainedXc{has_core ? potential.xc().evaluate(end.density, end.density) : XcResult{}, {}};
  const Crystal placed = box.in_box(crystal);
  const MeshBox::Coefficients on_cores =
      has_core ? core_potential(box, xc.of_density.potential) : MeshBox::Coefficients{};
  Derivatives result;
  if (problem.derivatives.forces) {
    Forces forces;
    forces.ewald = std::move(ions.forces);
    forces.nonlocal = std::move(of_all.forces);
    forces.local = local_forces(box, crystal, potentials, end.density[0]);
    if (has_core) forces.nlcc = core_forces(box.fft(), placed, potentials, on_cores);
    forces.scf_correction = superposed_forces(box.fft(), placed, pseudo_atoms, change);
    result.forces = summed(std::move(forces), crystal, problem.symmetry);
  }
  if (problem.derivatives.stress) {
    Stress strain;
    strain.kinetic = of_all.kinetic_strain;
    strain.nonlocal = of_all.nonlocal_strain;
    strain.hartree = hartree_strain(box, end.density[0]);
    strain.xc = xc.strain;
    strain.ewald = ions.strain;
    strain.local = local_strain(box, crystal, potentials, end.density[0], end.result.energies.local);
    strain.local_g0 = isotropic(-end.result.energies.local_g0);
    if (has_core) strain.nlcc = core_strain(box.fft(), placed, potentials, on_cores);
    strain.scf_correction = superposed_strain(box.fft(), placed, pseudo_atoms, change);
    result.stress = summed(strain, crystal.lattice, problem.symmetry);
  }
  return result;
}

#define WAVEGRID_INSTANTIATE(S)                                                                                    \
  template Derivatives derivatives_on_mesh<S>(const ProcessGroups&, MeshSpace&, const MeshPotential&,              \
                                              const MeshBands<S>&, const Problem&, const std::vector<PseudoAtom>&, \
                                              const ScfEnd<MeshFields>&);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
