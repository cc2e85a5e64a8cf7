// Densities and potentials of electrons with collinear spin: one or two fields.
#pragma once

#include <vector>

#include "fft/grid_fft.hpp"

namespace wavegrid {

/// Real fields on this rank's block of the grid, [component][point]; one component without spin, two with.
///
/// Of a density (electrons/bohr^3) component 0 is the total n = n_up + n_down and component 1 the magnetisation
/// m = n_up - n_down. Of a potential (Ha) component 0 acts on spin up, or on all electrons where it is the only one,
/// and component 1 on spin down.
using SpinFields = std::vector<std::vector<double>>;

/// The same components on this rank's G of the box, [component][G].
using SpinCoefficients = std::vector<GridFft::Coefficients>;

}  // namespace wavegrid
