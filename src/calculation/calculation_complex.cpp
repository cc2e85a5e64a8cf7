// The calculations with complex bands.
#include "calculation/calculation.hpp"
#include "planewaves/plane_wave_discretisation.hpp"
#include "planewaves/plane_wave_scf.hpp"
#include "realspace/mesh_discretisation.hpp"

namespace wavegrid {

WAVEGRID_INSTANTIATE_CALCULATION(PlaneWaveDiscretisation, std::complex<double>)
WAVEGRID_INSTANTIATE_CALCULATION(MeshDiscretisation, std::complex<double>)

}  // namespace wavegrid
