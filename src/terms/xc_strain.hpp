// The strain derivative of the exchange-correlation energy.
//
// Under a strain of the cell Omega n(G) is constant, a gradient changes as G does, and the shape of the core density is
// kept; the last term is that of core_density.hpp:
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

/// For a valence density, given as coefficients and as values. Collective.
[[nodiscard]] StrainedXc strained_xc(const GridFields& fields, const XcPotential<GridFields>& xc,
                                     const SpinCoefficients& density, const SpinFields& values);

}  // namespace wavegrid
