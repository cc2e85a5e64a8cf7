// Direct minimisation of the energy over the bands of a system with fixed occupations.
//
// The Kohn-Sham functional of the occupied bands and their density is minimised by conjugate gradients on the Grassmann
// manifold (eigen/band_descent.hpp), all bands, k-points and spins at once: no density is mixed and no eigenvalue
// problem solved. M. C. Payne et al., Rev. Mod. Phys. 64, 1045 (1992), 10.1103/RevModPhys.64.1045.
#pragma once

#include "scf/direct_loop.hpp"

namespace wavegrid {

/// Minimises the energy, beginning with two steps of the eigensolver in the potential of `density`; on return that is
/// the density of the bands. Arguments as for solve_scf, in double precision only; smearing must be `fixed`. Each
/// occupied band keeps its electrons; at the end the loop checks that these bands are the lowest ones, and begins anew
/// from those if they are not.
///
/// A step takes one application of H to each occupied band and one or two densities. The error estimate is the larger
/// one of the bands' (BandErrors) and what the last decreases of the energy leave (EnergyDecreases). Collective over
/// all ranks.
template <class S, FieldSpace Space>
[[nodiscard]] ScfResult solve_direct(ScfSystem<S, Space> system, Density<Space>& density, const BandStart<S>& start,
                                     const ScfOptions& options, const ScfListeners<Space>& listeners = {}) {
  return DirectLoop<S, Space>(system, density, start, options).run(listeners);
}

}  // namespace wavegrid
