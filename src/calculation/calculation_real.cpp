// The calculations with real bands.
#include "calculation/calculation.hpp"
#include "planewaves/plane_wave_discretisation.hpp"
#include "planewaves/plane_wave_scf.hpp"
#include "realspace/mesh_discretisation.hpp"

namespace wavegrid {

WAVEGRID_INSTANTIATE_CALCULATION(PlaneWaveDiscretisation, double)
WAVEGRID_INSTANTIATE_CALCULATION(MeshDiscretisation, double)

}  // namespace wavegrid
