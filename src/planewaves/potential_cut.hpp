// The cutoff of the local and the Hartree potential in reciprocal space.
#pragma once

#include <vector>

#include <wavegrid/basis/plane_waves.hpp>

namespace wavegrid {

/// 1 where |G|^2/2 <= min(2, boxcut)^2 E_cut, else 0; boxcut is the radius of the largest sphere inside the FFT box
/// over G_cut. Points on that sphere count as inside. This is ABINIT's rule; it matters on coarse grids
/// (docs/conventions.md).
[[nodiscard]] std::vector<char> inside_potential_cut(const PlaneWaves& box, const Int3& grid, double ecut);

}  // namespace wavegrid
