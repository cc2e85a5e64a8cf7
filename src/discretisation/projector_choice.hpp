// Where the projectors of a calculation are applied.
#pragma once

#include <string>

namespace wavegrid {

struct ProjectorChoice {
  bool in_real_space = false;  ///< on the FFT grid
  std::string reason;
  /// In real space, otherwise 0: the estimated error of the energy by the filter, Ha per atom (the mean of all atoms),
  /// the largest radius of the spheres (bohr), and the mean number of grid points in a sphere.
  double error = 0, radius = 0, points = 0;
};

}  // namespace wavegrid
