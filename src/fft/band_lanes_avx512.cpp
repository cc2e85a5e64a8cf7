#include <wavegrid/fft/band_lanes_kernels.hpp>
#include <wavegrid/fft/band_lanes_table.hpp>

namespace wavegrid {

const BandLanesKernels<double> band_lanes_avx512_double = KernelTable<double, 8, 2>::kernels();
const BandLanesKernels<float> band_lanes_avx512_single = KernelTable<float, 16, 4>::kernels();

}  // namespace wavegrid
