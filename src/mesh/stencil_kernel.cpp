#include "mesh/stencil_kernel.hpp"

#include <array>

#include "base/processors.hpp"

namespace wavegrid {

namespace stencil_loops {

/// What the points give, and the sum over the arms of weights[a] arm[a][i].
template <class Real>
struct StencilSum {
  WeightedPoints<Real> points;
  Real* out;
  const Real* const* arm;
  const Real* weights;
  int count;           ///< of arms, even
  double inverse_row;  ///< 1 / row
  bool whole;          ///< each vector lies within one point
};

#define WAVEGRID_LOOPS "mesh/stencil_loops.inc"
#include "base/each_processor.inc"

}  // namespace stencil_loops

template <class Real>
void weighted_sums(const WeightedPoints<Real>& points, const WeightedArms<Real>& others,
                   const WeightedArms<Real>& along, Real* out, Index n) {
  std::array<const Real*, most_weighted_arms> arm;
  std::array<Real, most_weighted_arms> weights;
  int count = 0;
  for (const WeightedArms<Real>* arms : {&others, &along})
    for (int a = 0; a < arms->count; ++a, ++count) {
      arm[static_cast<std::size_t>(count)] = arms->in + arms->offsets[arms->number[a]] * points.row;
      weights[static_cast<std::size_t>(count)] = arms->weight[a];
    }
  const stencil_loops::StencilSum<Real> sum{
      points, out, arm.data(), weights.data(), count, 1.0 / static_cast<double>(points.row), false};
  WAVEGRID_CALL(stencil_loops, add_all<Real>(sum, n));
}

#define WAVEGRID_INSTANTIATE(Real)                                                                                     \
  template void weighted_sums<Real>(const WeightedPoints<Real>&, const WeightedArms<Real>&, const WeightedArms<Real>&, \
                                    Real*, Index);
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
