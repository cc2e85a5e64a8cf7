// What a strain of the cell does to the exchange-correlation energy.
//
// Strained with its cell a density keeps Omega n(G), a gradient turns as G does, and the core's shape stays:
//
//   dE_xc/d eps_ab = delta_ab (E_xc - int sum_s v_s n_s) - int sum_s de/d(d_a n_s) d_b n_s + [core_density.hpp]
//
// A. Dal Corso, R. Resta, Phys. Rev. B 50, 4327 (1994), 10.1103/PhysRevB.50.4327.
#pragma once

#include "base/vec3.hpp"
#include "terms/grid_fields.hpp"

namespace wavegrid {

/// Energy and potential of exchange and correlation with the strain derivative, Ha, symmetric, without the part of the
/// core density's shape.
struct StrainedXc {
  XcResult of_density;
  Mat3 strain{};
};

/// Of a valence density, given in both spaces. Collective.
[[nodiscard]] StrainedXc strained_xc(const GridFields& fields, const XcPotential<GridFields>& xc,
                                     const SpinCoefficients& density, const SpinFields& values);

}  // namespace wavegrid
