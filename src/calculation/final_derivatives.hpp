// The derivatives that a problem asks for, at the end of a loop.
#pragma once

#include "calculation/derivatives.hpp"
#include "calculation/ion_energy.hpp"
#include "calculation/mesh_derivatives.hpp"
#include "planewaves/plane_wave_discretisation.hpp"
#include "realspace/mesh_discretisation.hpp"

namespace wavegrid {

/// Collective over the world, with the same result on all ranks.
template <class S>
[[nodiscard]] Derivatives final_derivatives(const Setting& setting, PlaneWaveDiscretisation& /*discretisation*/,
                                            const ScfSystem<S, GridFields>& system, const MyBands<S>& bands,
                                            const Problem& problem, const ScfEnd<GridFields>& end) {
  const DerivativeAtoms atoms{problem.crystal, problem.pseudopotentials, setting.pseudo_atoms, problem.symmetry,
                              problem.deterministic};
  return compute_derivatives<S>({system, bands}, atoms, end, problem.derivatives);
}
template <class S>
[[nodiscard]] Derivatives final_derivatives(const Setting& setting, MeshDiscretisation& discretisation,
                                            const ScfSystem<S, MeshFields>& system, const MeshBands<S>& bands,
                                            const Problem& problem, const ScfEnd<MeshFields>& end) {
  return derivatives_on_mesh<S>(setting.groups, discretisation.grid(), system.potential, bands, problem,
                                setting.pseudo_atoms, end);
}

}  // namespace wavegrid
