// Bands along a path in the potential of a converged density.
#pragma once

#include "calculation/activity.hpp"
#include "calculation/environment.hpp"
#include "calculation/result.hpp"
#include "calculation/work.hpp"
#include "terms/grid_fields.hpp"

namespace wavegrid {

/// Returns `count` initial bands of a k-point, with H times them.
template <class S>
using InitialBands = std::function<EigenState<S>(PlaneWaveBands<S>&, Index count)>;

/// Gets the solved bands of a k-point before they are freed. Collective over the k-point group.
template <class S>
using BandVisitor = std::function<void(PlaneWaveBands<S>&)>;

/// The bands of `problem.band_path` in the potential of `density`, one k-point after the other, so that memory does not
/// grow with the path; their operation counts are added to `work`. `visit` and `activity` get each of them. Collective
/// over the world.
template <class S>
[[nodiscard]] BandStructure compute_band_structure(Environment& environment, const Problem& problem, GridFields& fields,
                                                   const GridPotential& potential, const SpinCoefficients& density,
                                                   const InitialBands<S>& initial, Work& work,
                                                   const BandVisitor<S>& visit = {},
                                                   const ActivityObserver& activity = {});

}  // namespace wavegrid
