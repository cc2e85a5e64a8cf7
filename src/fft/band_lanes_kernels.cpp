#include <type_traits>

#include <wavegrid/fft/band_lanes_kernels.hpp>

namespace wavegrid {

namespace {

template <class Real>
std::vector<const BandLanesKernels<Real>*> runnable_kernels() {
  std::vector<const BandLanesKernels<Real>*> kernels;
  const auto add = [&](const auto& in_double, const auto& in_single) {
    if constexpr (std::is_same_v<Real, double>)
      kernels.push_back(&in_double);
    else
      kernels.push_back(&in_single);
  };
#ifdef WAVEGRID_X86_KERNELS
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    add(band_lanes_avx512_double, band_lanes_avx512_single);
  if (has_avx2) add(band_lanes_avx2_double, band_lanes_avx2_single);
#endif
  add(band_lanes_base_double, band_lanes_base_single);
  return kernels;
}

}  // namespace

template <class Real>
const std::vector<const BandLanesKernels<Real>*>& band_lanes_kernels() {
  static const auto kernels = runnable_kernels<Real>();
  return kernels;
}

template const std::vector<const BandLanesKernels<float>*>& band_lanes_kernels<float>();
template const std::vector<const BandLanesKernels<double>*>& band_lanes_kernels<double>();

}  // namespace wavegrid
