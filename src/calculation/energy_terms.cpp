#include "calculation/energy_terms.hpp"

#include <memory>

#include "calculation/ion_ion_term.hpp"
#include "realspace/mesh_fields.hpp"
#include "terms/grid_fields.hpp"
#include "terms/hartree_term.hpp"
#include "terms/local_g0_term.hpp"
#include "terms/local_term.hpp"
#include "terms/xc_term.hpp"

namespace wavegrid {

template <class Space>
EnergyTerms<Space> make_energy_terms(const Comm& world, Space& space, const Problem& problem, double electrons) {
  const Crystal& crystal = problem.crystal;
  const Pseudopotentials& atoms = problem.pseudopotentials;
  const bool periodic = space.fourier_box().periodic;
  Ions ions{crystal, atoms};
  ions.deterministic = problem.deterministic;
  ions.periodic = problem.periodic();

  typename EnergyTerms<Space>::Terms terms;
  terms.push_back(std::make_unique<HartreeTerm<Space>>(space));
  terms.push_back(std::make_unique<XcTerm<Space>>(space, Xc::parse(problem.xc, problem.spins), crystal, atoms));
  terms.push_back(std::make_unique<IonIonTerm<Space>>(world, ions));
  terms.push_back(std::make_unique<LocalTerm<Space>>(space, crystal, atoms));
  terms.push_back(std::make_unique<LocalG0Term<Space>>(periodic ? local_g0_energy(crystal, atoms, electrons) : 0.0));
  return {space, std::move(terms)};
}

template EnergyTerms<GridFields> make_energy_terms(const Comm&, GridFields&, const Problem&, double);
template EnergyTerms<MeshFields> make_energy_terms(const Comm&, MeshFields&, const Problem&, double);

}  // namespace wavegrid
