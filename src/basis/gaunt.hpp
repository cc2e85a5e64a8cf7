// Gaunt coefficients of real spherical harmonics: products of two of them as sums of others.
//
//   Y_l1m1 Y_l2m2 = sum_LM G(LM, l1 m1, l2 m2) Y_LM
#pragma once

#include <vector>

namespace wavegrid {

/// One coefficient that is not 0; m are indices m + l.
struct GauntTerm {
  int m1, m2, m;
  double value;
};

/// All of two l with Y_LM of l = L; none unless |l1 - l2| <= L <= l1 + l2 of the parity of l1 + l2. By quadrature,
/// exact to rounding. Pure.
[[nodiscard]] std::vector<GauntTerm> gaunt_terms(int l1, int l2, int l);

}  // namespace wavegrid
