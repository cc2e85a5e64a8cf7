// The self-consistency loop on plane waves.
#pragma once

#include "scf/solve_direct.hpp"
#include "scf/solve_scf.hpp"
#include "terms/grid_fields.hpp"

namespace wavegrid {

#define WAVEGRID_DECLARE(S) extern template class ScfLoop<S, GridFields>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_DECLARE)
#undef WAVEGRID_DECLARE
extern template class DirectLoop<double, GridFields>;
extern template class DirectLoop<std::complex<double>, GridFields>;

}  // namespace wavegrid
