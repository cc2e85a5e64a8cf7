// The inverse of S = 1 + P q P^+ of projectors P by Woodbury's identity:
//
//   S^-1 = 1 - P m P^+,   m = (1 + q B)^-1 q = q - q w (1 + w q w)^-1 w q,   B = P^+ P,  w = B^1/2
//
// where no B is inverted, which may be singular. A. Levitt, M. Torrent, Comput. Phys. Commun. 187, 98 (2015),
// 10.1016/j.cpc.2014.10.015.
#pragma once

#include <wavegrid/hamiltonian/projectors.hpp>

namespace wavegrid {

/// m, (projectors, projectors), Hermitian, the same on all ranks; bands have `rows` rows on this rank and one
/// component. Collective over the ranks of `product`.
template <class S>
[[nodiscard]] Matrix<S> overlap_inverse(const InnerProduct& product, Projectors<S>& projectors, const Couplings& q,
                                        Index rows);

}  // namespace wavegrid
