// Forces and strain of combined orbitals h = S phi W (combined_orbitals.hpp). With X_h of nonlocal_derivatives.hpp,
//
//   2 Re sum_h <dh|X_h> = 2 Re sum_p <dp|X_p> + 2 Re sum_m <dphi_m|X_m>
//   Y = X_h W^+,   b = <p|phi>,   Z = q <p|Y> + 2 q b G
//   X_p = Y (q b)^+ + phi Z^+,   X_m = Y + p Z + 2 phi G
//
// G, overlap_weights of M = <S phi|X_h> (terms/orbital_combination.hpp), is 0 without orthogonalisation.
#pragma once

#include <wavegrid/hamiltonian/combined_orbitals.hpp>

namespace wavegrid {

/// X of the orbitals, and what the projectors' X gains: empty where S = 1.
template <class S>
struct CombinedDerivatives {
  Bands<S> orbitals, projectors;
};

/// `shells`: X_h, in the order of CombinedOrbitals; `charges`: null: S = 1. Collective over the ranks of the product.
template <class S>
[[nodiscard]] CombinedDerivatives<S> combined_derivatives(const InnerProduct& product, const CombinedOrbitals<S>& parts,
                                                          const Couplings* charges, BandView<const S> projectors,
                                                          BandView<const S> shells);

}  // namespace wavegrid
