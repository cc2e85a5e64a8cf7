// The table of a file of kernels. Local to the file that includes it.
#pragma once

#include <wavegrid/fft/band_lanes_block.hpp>

namespace wavegrid {
namespace {

template <class Real, int lanes, int least>
struct KernelTable {
  /// Calls work(Block of the given lanes for bands).
  template <int parts = 1, class Work>
  static auto with_block(int bands, const Work& work) {
    if constexpr (parts * least < lanes)
      if (bands < lanes / parts) return with_block<2 * parts>(bands, work);
    return work(static_cast<Block<Real, lanes, parts>*>(nullptr));
  }
  static Index work_bytes(const BandLanesPlan<Real>& plan, int bands) {
    return with_block(bands, [&]<class B>(B*) { return B::work_bytes(plan); });
  }
  static void apply(const BandLanesPlan<Real>& plan, const BandLanesBlock<Real>& block,
                    const BandLanesFactors<Real>& factors, Real* out) {
    with_block(block.lanes, [&]<class B>(B*) { B::apply(plan, block, factors, out); });
  }
  static void accumulate(const BandLanesPlan<Real>& plan, const BandLanesBlock<Real>& block, const double* weights,
                         const BandLanesSums& sums) {
    with_block(block.lanes, [&]<class B>(B*) { B::accumulate(plan, block, weights, sums); });
  }
  static constexpr BandLanesKernels<Real> kernels() { return {least, lanes, work_bytes, apply, accumulate}; }
};

}  // namespace
}  // namespace wavegrid
