// Choice between projectors in reciprocal space and in real space for a problem.
#pragma once

#include <vector>

#include <wavegrid/discretisation/projector_choice.hpp>
#include <wavegrid/hamiltonian/projector_spheres.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// The kind set in the problem, otherwise the one whose products take less time by measured rates (decision 0020).
/// Pure, the same on all ranks. Throws bad_input where projectors in real space are set and the grid cannot give their
/// accuracy.
[[nodiscard]] ProjectorChoice choose_projectors(const Problem& problem, const std::vector<PseudoAtom>& pseudo_atoms);

/// The same choice; the pseudo-atoms are solved only where it depends on them.
[[nodiscard]] ProjectorChoice choose_projectors(const Problem& problem);

}  // namespace wavegrid
