// The inner loop of finite differences: weighted sums of numbers at constant distances in memory.
#pragma once

#include <cstdint>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Legs of a stencil, an even number of them: where their numbers begin for the first sum, and their weights.
template <class Real>
struct WeightedLegs {
  const Real* const* in;
  const Real* weight;
  int count;
};

/// The points themselves: their numbers have the weight `weight` + factor potential[point].
template <class Real>
struct WeightedPoints {
  Real weight;
  const Real* potential;  ///< of each point, or null
  Real factor;
  Real kept;  ///< of what the output holds before; 0: it need not hold numbers
  Index row;  ///< numbers of a point
  const Real* in;
};

/// out[i] = kept out[i] + (weight + factor potential[i / row]) in[i] + sum over the legs of weight in[i] for 0 <= i <
/// n, a multiple of the row. The terms are added in the same order for each i, and with fused operations for all of
/// them or for none, so that a result does not depend on its place in the array or on the width of vectors. Uses AVX2
/// or AVX-512 where the processor has them.
template <class Real>
void weighted_sums(const WeightedPoints<Real>& points, const WeightedLegs<Real>& legs, Real* out, Index n);

}  // namespace wavegrid
