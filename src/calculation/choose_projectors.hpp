// Choice between projectors in reciprocal space and in real space for a problem.
#pragma once

#include <string>
#include <vector>

#include "calculation/problem.hpp"
#include "terms/projector_spheres.hpp"

namespace wavegrid {

struct ProjectorChoice {
  bool in_real_space = false;
  std::string reason;
  /// In real space, otherwise 0: the estimated error of the energy by the filter, Ha per atom (the mean of all atoms),
  /// the largest radius of the spheres (bohr), and the mean number of grid points in a sphere.
  double error = 0, radius = 0, points = 0;
};

/// The kind set in the problem, otherwise the one whose products take less time by measured rates (decision 0020).
/// Pure, the same on all ranks. Throws bad_input where projectors in real space are set and the grid cannot give their
/// accuracy.
[[nodiscard]] ProjectorChoice choose_projectors(const Problem& problem, const std::vector<PseudoAtom>& pseudo_atoms);

/// The same choice; the pseudo-atoms are solved only where it depends on them.
[[nodiscard]] ProjectorChoice choose_projectors(const Problem& problem);

}  // namespace wavegrid
