// The inner loop of finite differences: weighted sums of numbers at constant distances in memory.
#pragma once

#include <cstdint>

#include "base/index.hpp"

namespace wavegrid {

/// Arms of a star that an operation uses, an even number of them, and where their numbers begin for the first sum.
template <class Real>
struct WeightedArms {
  const std::int32_t* number;   ///< of each arm, an index of the offsets
  const Real* weight;           ///< of each arm
  int count;                    ///< of arms
  const std::int32_t* offsets;  ///< in points
  const Real* in;
};

/// Of both kinds together.
inline constexpr int most_weighted_arms = 72;

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

/// out[i] = kept out[i] + (weight + factor potential[i / row]) in[i] + sum over the arms of both kinds of weight in[i +
/// offset row] for 0 <= i < n, a multiple of the row. The terms are added in the same order for each i, and with fused
/// operations for all of them or for none, so that a result does not depend on its place in the array or on the width
/// of vectors. At most most_weighted_arms arms. Uses AVX2 or AVX-512 where the processor has them.
template <class Real>
void weighted_sums(const WeightedPoints<Real>& points, const WeightedArms<Real>& others,
                   const WeightedArms<Real>& along, Real* out, Index n);

}  // namespace wavegrid
