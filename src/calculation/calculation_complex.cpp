// The calculations with complex bands.
#include <wavegrid/calculation/calculation.hpp>
#include <wavegrid/planewaves/plane_wave_discretisation.hpp>
#include <wavegrid/planewaves/plane_wave_scf.hpp>
#include <wavegrid/realspace/mesh_discretisation.hpp>

namespace wavegrid {

WAVEGRID_INSTANTIATE_CALCULATION(PlaneWaveDiscretisation, std::complex<double>)
WAVEGRID_INSTANTIATE_CALCULATION(MeshDiscretisation, std::complex<double>)

}  // namespace wavegrid
