#include "planewaves/plane_wave_scf.hpp"

namespace wavegrid {

#define WAVEGRID_INSTANTIATE(S) template class ScfLoop<S, GridFields>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE
template class DirectLoop<double, GridFields>;
template class DirectLoop<std::complex<double>, GridFields>;

}  // namespace wavegrid
