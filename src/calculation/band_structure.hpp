// Bands along a path in the potential of a converged density.
#pragma once

#include <wavegrid/calculation/activity.hpp>
#include <wavegrid/calculation/result.hpp>
#include <wavegrid/eigen/converge_bands.hpp>
#include <wavegrid/mpi/process_groups.hpp>

namespace wavegrid {

/// Of the bands of a path: their residuals over a gap of 0.1 Ha.
inline constexpr BandTolerance path_tolerance{.error = 1e-9, .relative = false, .gap = 0.1};

/// Solves number `k` of the path for one spin. Collective over the k-point group.
using PathSolver = std::function<ConvergedBands(int k, int spin)>;

/// The bands of `problem.band_path`, one k-point after the other. Collective over the world.
[[nodiscard]] BandStructure bands_along_path(const ProcessGroups& groups, const Problem& problem,
                                             const PathSolver& solve, const ActivityObserver& activity);

}  // namespace wavegrid
