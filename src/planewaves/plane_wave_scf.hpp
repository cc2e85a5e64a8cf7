// The self-consistency loop on plane waves.
#pragma once

#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/scf/make_electron_solver.hpp>
#include <wavegrid/scf/solve_scf.hpp>

namespace wavegrid {

extern template class ScfLoop<GridFields>;
#define WAVEGRID_DECLARE(S) extern template class KohnShamSolver<S, GridFields>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_DECLARE)
#undef WAVEGRID_DECLARE
extern template class DirectMinimiser<double, GridFields>;
extern template class DirectMinimiser<std::complex<double>, GridFields>;

}  // namespace wavegrid
