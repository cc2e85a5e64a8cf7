#include <wavegrid/fft/band_lanes_kernels.hpp>
#include <wavegrid/fft/band_lanes_table.hpp>

namespace wavegrid {

const BandLanesKernels<double> band_lanes_avx2_double = KernelTable<double, 4, 2>::kernels();
const BandLanesKernels<float> band_lanes_avx2_single = KernelTable<float, 8, 4>::kernels();

}  // namespace wavegrid
