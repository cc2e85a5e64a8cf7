// Bands along a path in the potential of a converged density.
#pragma once

#include "calculation/activity.hpp"
#include "calculation/environment.hpp"
#include "calculation/result.hpp"
#include "calculation/work.hpp"
#include "eigen/converge_bands.hpp"
#include "terms/grid_fields.hpp"

namespace wavegrid {

/// Of the bands of a path: their residuals over a gap of 0.1 Ha.
inline constexpr BandTolerance path_tolerance{.error = 1e-9, .relative = false, .gap = 0.1};

/// Solves number `k` of the path for one spin. Collective over the k-point group.
using PathSolver = std::function<ConvergedBands(int k, int spin)>;

/// The bands of `problem.band_path`, one k-point after the other. Collective over the world.
[[nodiscard]] BandStructure bands_along_path(const ProcessGroups& groups, const Problem& problem,
                                             const PathSolver& solve, const ActivityObserver& activity);

/// Returns `count` initial bands of a k-point, with H times them.
template <class S>
using InitialBands = std::function<EigenState<S>(PlaneWaveBands<S>&, Index count)>;

/// Gets the solved bands of a k-point before they are freed. Collective over the k-point group.
template <class S>
using BandVisitor = std::function<void(PlaneWaveBands<S>&)>;

/// The same in plane waves, in the potential of `density`: memory does not grow with the path; their operation counts
/// are added to `work`. `visit` and `activity` get each of them. Collective over the world.
template <class S>
[[nodiscard]] BandStructure compute_band_structure(Environment& environment, const Problem& problem, GridFields& fields,
                                                   const GridPotential& potential, const Density<GridFields>& density,
                                                   const InitialBands<S>& initial, Work& work,
                                                   const BandVisitor<S>& visit = {},
                                                   const ActivityObserver& activity = {});

}  // namespace wavegrid
