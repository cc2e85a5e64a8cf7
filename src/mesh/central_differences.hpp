// Central differences on points of spacing 1.
//
// Waves exp(i kappa x) are eigenfunctions: with z = 4 sin^2(kappa/2), a stencil of reach d has the eigenvalue
//
//   f'' :  -sum_{j=1..d} a_j z^j  for -kappa^2,      f' :  i sin(kappa) sum_{j=0..d-1} b_j z^j  for i kappa
//
// The weights of the highest order are those of the power series of arcsin: a_1 = 1, a_{j+1} = a_j j^2 / ((2j+1)
// (2j+2)), b_j = (j+1) a_{j+1}. Their error falls fast for long waves, which need it least, and is large for the short
// ones that bands near a nucleus contain. Weights of the smallest error keep j = 1, 2 (j = 0, 1), so that the order is
// 4, and choose the others by least squares over all waves, weighted as bands need it. C. K. W. Tam, J. C. Webb, J.
// Comput. Phys. 107, 262 (1993), 10.1006/jcph.1993.1142.
#pragma once

#include <vector>

namespace wavegrid {

enum class DifferenceWeights {
  highest_order,   ///< the error is of the order `order` in the spacing
  smallest_error,  ///< of bands on a mesh: from order 8 on the error at usual spacings is several times smaller
};

/// Weights of central differences that read order / 2 points on each side.
struct CentralDifferences {
  /// Throws bad_input if `order` is not 2, 4, 6, 8, 10 or 12.
  explicit CentralDifferences(int order, DifferenceWeights weights = DifferenceWeights::highest_order);

  /// The eigenvalue of the second difference for exp(i kappa x), changed in sign: about kappa^2.
  [[nodiscard]] double minus_second(double kappa) const;

  std::vector<double> first;   ///< f' = sum over m >= 1 of first[m] (f(m) - f(-m)); first[0] is 0
  std::vector<double> second;  ///< f'' = second[0] f(0) + sum over m >= 1 of second[m] (f(m) + f(-m))
};

}  // namespace wavegrid
