// The inner loop of finite differences: weighted sums of shifted arrays.
#pragma once

#include <cstring>

#include "base/index.hpp"

namespace wavegrid {

/// One array of a weighted sum.
template <class Real>
struct WeightedArray {
  const Real* values;
  Real weight;
};

/// Adds weighted arrays to numbers [0, n) of `out`: out[i] += sum over a of weight[a] values[a][i], in the order of the
/// arrays, so that a result does not depend on the place of its number in the array.
template <class Real>
class WeightedSum {
 public:
  WeightedSum(const WeightedArray<Real>* arrays, int count) : arrays_(arrays), count_(count) {}

  void add_to(Real* out, Index n) const {
    Index i = 0;
    for (; i + 8 * lanes <= n; i += 8 * lanes) add_vectors<8>(out, i);
    if (i + 4 * lanes <= n) add_vectors<4>(out, i), i += 4 * lanes;
    if (i + 2 * lanes <= n) add_vectors<2>(out, i), i += 2 * lanes;
    if (i + lanes <= n) add_vectors<1>(out, i), i += lanes;
    for (; i < n; ++i) {
      Real sum = out[i];
      for (int a = 0; a < count_; ++a) sum += arrays_[a].weight * arrays_[a].values[i];
      out[i] = sum;
    }
  }

 private:
  static constexpr Index lanes = 32 / sizeof(Real);
  typedef Real Vector __attribute__((vector_size(32)));

  /// `vectors` consecutive vectors, whose sums stay in registers.
  template <int vectors>
  void add_vectors(Real* out, Index first) const {
    Vector sum[vectors];
    std::memcpy(sum, out + first, sizeof(sum));
    for (int a = 0; a < count_; ++a) {
      const Real* const from = arrays_[a].values + first;
      const Real weight = arrays_[a].weight;
      for (int v = 0; v < vectors; ++v) {
        Vector value;
        std::memcpy(&value, from + v * lanes, sizeof(value));
        sum[v] += weight * value;
      }
    }
    std::memcpy(out + first, sum, sizeof(sum));
  }

  const WeightedArray<Real>* arrays_;
  int count_;
};

}  // namespace wavegrid
