// The grid of the density where it is another one than that of the bands (plane waves).
#pragma once

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Densities and potentials live on this grid; bands see the potential's coefficients up to 4 times their own cutoff
/// (fft/grid_transfer.hpp).
struct DensityGrid {
  double ecut = 0;  ///< Ha: electrostatic potentials and core densities have |G|^2/2 up to it
  Int3 grid{};      ///< FFT grid: holds that sphere, and is along no vector coarser than that of the bands

  bool operator==(const DensityGrid&) const = default;
};

}  // namespace wavegrid
