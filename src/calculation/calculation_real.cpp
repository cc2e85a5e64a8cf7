// The calculations with real bands.
#include <wavegrid/calculation/calculation.hpp>
#include <wavegrid/planewaves/plane_wave_discretisation.hpp>
#include <wavegrid/planewaves/plane_wave_scf.hpp>
#include <wavegrid/realspace/mesh_discretisation.hpp>

namespace wavegrid {

WAVEGRID_INSTANTIATE_CALCULATION(PlaneWaveDiscretisation, double)
WAVEGRID_INSTANTIATE_CALCULATION(MeshDiscretisation, double)

}  // namespace wavegrid
