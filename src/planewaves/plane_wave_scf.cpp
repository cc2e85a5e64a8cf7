#include <wavegrid/planewaves/plane_wave_scf.hpp>

namespace wavegrid {

template class ScfLoop<GridFields>;
#define WAVEGRID_INSTANTIATE(S) template class KohnShamSolver<S, GridFields>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE
template class DirectMinimiser<double, GridFields>;
template class DirectMinimiser<std::complex<double>, GridFields>;

}  // namespace wavegrid
