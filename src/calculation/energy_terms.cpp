#include <algorithm>
#include <memory>

#include <wavegrid/calculation/augmentation.hpp>
#include <wavegrid/calculation/energy_terms.hpp>
#include <wavegrid/calculation/ion_ion_term.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/realspace/mesh_fields.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/hartree_term.hpp>
#include <wavegrid/terms/hubbard_term.hpp>
#include <wavegrid/terms/local_g0_term.hpp>
#include <wavegrid/terms/local_term.hpp>
#include <wavegrid/terms/moment_constraint_term.hpp>
#include <wavegrid/terms/onsite_term.hpp>
#include <wavegrid/terms/sawtooth_term.hpp>
#include <wavegrid/terms/xc_term.hpp>

namespace wavegrid {

namespace {

/// The values at this rank's points.
template <class Space>
typename Space::Field on_points(Space& space, const ExternalPotential& potential) {
  const Index y = potential.grid[1], z = potential.grid[2];
  FieldValues values;
  for (const Int3& point : space.point_indices()) {
    const Index row = static_cast<Index>(point[0]) * y + point[1];
    values.push_back(potential.values[static_cast<std::size_t>(row * z + point[2])]);
  }
  return space.to_field(values);
}

}  // namespace

template <class Space>
EnergyTerms<Space> make_energy_terms(const Comm& world, Space& space, const Problem& problem, double electrons,
                                     const std::shared_ptr<AugmentationChoice>& augmentation) {
  const Crystal& crystal = problem.crystal;
  const Pseudopotentials& atoms = problem.pseudopotentials;
  const bool periodic = space.fourier_box().periodic;
  Ions ions{crystal, atoms};
  ions.deterministic = problem.deterministic;
  ions.periodic = problem.periodic();
  ions.wraps = !problem.mesh_basis;

  typename EnergyTerms<Space>::Terms terms;
  terms.push_back(std::make_unique<HartreeTerm<Space>>(space));
  auto xc = std::make_unique<XcTerm<Space>>(
      space, functional_of(problem), crystal, atoms,
      make_augmentation(world, space, problem, Augmentation::Datasets::outside_xc, augmentation));
  xc->set_spin_axis(common_axis(problem.initial_moment_vectors));
  terms.push_back(std::move(xc));
  if (has_paw(atoms))
    terms.push_back(std::make_unique<OnsiteTerm<Space>>(
        OnsiteSum(world, crystal, atoms, std::make_shared<const Xc>(Xc::parse(problem.xc, problem.xc_spins())),
                  common_axis(problem.initial_moment_vectors))));
  if (has_hubbard(atoms))
    terms.push_back(std::make_unique<HubbardTerm<Space>>(crystal, atoms, problem.hubbard_perturbation));
  terms.push_back(std::make_unique<IonIonTerm<Space>>(world, ions));
  terms.push_back(std::make_unique<LocalTerm<Space>>(space, crystal, atoms));
  terms.push_back(std::make_unique<LocalG0Term<Space>>(periodic ? local_g0_energy(crystal, atoms, electrons) : 0.0));
  if (problem.moment_penalty)
    terms.push_back(std::make_unique<MomentConstraintTerm<Space>>(space, crystal, problem.initial_moment_vectors,
                                                                  *problem.moment_penalty));
  if (problem.external && problem.external->potential)
    terms.push_back(
        std::make_unique<LinearTerm<Space>>("external", space, on_points(space, *problem.external->potential)));
  if (problem.external && problem.external->sawtooth) {
    const auto& [field, axis, dipole_correction] = *problem.external->sawtooth;
    const SawtoothSetting setting{field, axis, jump_place(crystal, axis, problem.field_grid()[axis]),
                                  dipole_correction};
    terms.push_back(std::make_unique<SawtoothTerm<Space>>(space, setting, crystal, atoms));
  }
  return {space, std::move(terms), make_augmentation(world, space, problem, Augmentation::Datasets::all, augmentation)};
}

template EnergyTerms<GridFields> make_energy_terms(const Comm&, GridFields&, const Problem&, double,
                                                   const std::shared_ptr<AugmentationChoice>&);
template EnergyTerms<MeshFields> make_energy_terms(const Comm&, MeshFields&, const Problem&, double,
                                                   const std::shared_ptr<AugmentationChoice>&);

}  // namespace wavegrid
