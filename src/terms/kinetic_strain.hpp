// The strain derivative of the kinetic energy of the bands.
//
//   E = sum_n f_n sum_G (k+G)^2/2 |psi_n(G)|^2,   dE/d eps_ab = -sum_G (k+G)_a (k+G)_b sum_n f_n |psi_n(G)|^2
#pragma once

#include <span>

#include "basis/plane_waves.hpp"
#include "basis/wave_rows.hpp"

namespace wavegrid {

/// dE/d eps_ab, Ha, of bands of one k-point and spin; `occupations` in electrons with the weight of the k-point.
/// Symmetric, the same on all ranks of `product`. Collective.
template <class S>
[[nodiscard]] Mat3 kinetic_strain(const InnerProduct& product, const PlaneWaves& waves, BandView<const S> psi,
                                  std::span<const double> occupations);

}  // namespace wavegrid
