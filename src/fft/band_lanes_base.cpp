#include <wavegrid/fft/band_lanes_kernels.hpp>
#include <wavegrid/fft/band_lanes_table.hpp>

namespace wavegrid {

const BandLanesKernels<double> band_lanes_base_double = KernelTable<double, 2, 2>::kernels();
const BandLanesKernels<float> band_lanes_base_single = KernelTable<float, 4, 4>::kernels();

}  // namespace wavegrid
