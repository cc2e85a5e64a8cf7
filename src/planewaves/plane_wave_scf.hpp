// The self-consistency loop on plane waves.
#pragma once

#include "scf/make_electron_solver.hpp"
#include "scf/solve_scf.hpp"
#include "terms/grid_fields.hpp"

namespace wavegrid {

extern template class ScfLoop<GridFields>;
#define WAVEGRID_DECLARE(S) extern template class KohnShamSolver<S, GridFields>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_DECLARE)
#undef WAVEGRID_DECLARE
extern template class DirectMinimiser<double, GridFields>;
extern template class DirectMinimiser<std::complex<double>, GridFields>;

}  // namespace wavegrid
