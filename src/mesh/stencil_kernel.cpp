#include <bit>
#include <cstdint>

#include <wavegrid/base/processors.hpp>
#include <wavegrid/mesh/stencil_kernel.hpp>

namespace wavegrid {

namespace stencil_loops {

template <class Real>
struct StencilSum {
  WeightedPoints<Real> points;
  WeightedLegs<Real> legs;
  Real* out;
  double inverse_row;  ///< 1 / row
  int shift;           ///< row = 2^shift, or -1
  bool whole;          ///< each vector lies within one point
};

#define WAVEGRID_LOOPS <wavegrid/mesh/stencil_loops.inc>
#include <wavegrid/base/each_processor.inc>

}  // namespace stencil_loops

template <class Real>
void weighted_sums(const WeightedPoints<Real>& points, const WeightedLegs<Real>& legs, Real* out, Index n) {
  const auto row = static_cast<std::uint64_t>(points.row);
  const stencil_loops::StencilSum<Real> sum{
      points, legs, out, 1.0 / static_cast<double>(points.row), std::has_single_bit(row) ? std::countr_zero(row) : -1,
      false};
  WAVEGRID_CALL(stencil_loops, add_all<Real>(sum, n));
}

template void weighted_sums<float>(const WeightedPoints<float>&, const WeightedLegs<float>&, float*, Index);
template void weighted_sums<double>(const WeightedPoints<double>&, const WeightedLegs<double>&, double*, Index);

}  // namespace wavegrid
