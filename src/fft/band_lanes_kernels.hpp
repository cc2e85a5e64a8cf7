// The kernels of band_lanes_fft.hpp, compiled for the instruction sets of this kind of processor.
#pragma once

#include <vector>

#include <wavegrid/fft/band_lanes_plan.hpp>

namespace wavegrid {

/// Those that this processor can run, the widest vectors first.
template <class Real>
[[nodiscard]] const std::vector<const BandLanesKernels<Real>*>& band_lanes_kernels();

extern const BandLanesKernels<double> band_lanes_base_double;
extern const BandLanesKernels<float> band_lanes_base_single;
#ifdef WAVEGRID_X86_KERNELS
extern const BandLanesKernels<double> band_lanes_avx2_double, band_lanes_avx512_double;
extern const BandLanesKernels<float> band_lanes_avx2_single, band_lanes_avx512_single;
#endif

}  // namespace wavegrid
