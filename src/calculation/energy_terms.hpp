// The terms of the energy of a problem.
#pragma once

#include <memory>

#include <wavegrid/fields/energy_terms.hpp>
#include <wavegrid/mpi/comm.hpp>
#include <wavegrid/problem/problem.hpp>
#include <wavegrid/terms/augmentation_choice.hpp>

namespace wavegrid {

/// All terms that depend on the density and the positions of the ions, in the order of results; the kinetic and
/// nonlocal energies of the bands and the entropy of their occupations are added by the loop (scf/energies.hpp).
/// `electrons`: of the cell; `augmentation`: the form of the augmentation charge (augmentation.hpp). Communicator,
/// space and problem must outlive the result. Collective over `world`.
template <class Space>
[[nodiscard]] EnergyTerms<Space> make_energy_terms(const Comm& world, Space& space, const Problem& problem,
                                                   double electrons,
                                                   const std::shared_ptr<AugmentationChoice>& augmentation);

}  // namespace wavegrid
