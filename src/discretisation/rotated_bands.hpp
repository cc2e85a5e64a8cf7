// Bands of new k-points from those of equivalent ones: where a geometry loses symmetry, or regains it.
#pragma once

#include <vector>

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/mpi/process_groups.hpp>
#include <wavegrid/problem/solved_geometry.hpp>

namespace wavegrid {

/// The bands of one k-point and spin in plane waves, in this rank's rows.
template <class S>
struct WaveBands {
  PlaneWaves waves;
  Bands<S> x{};
  bool complete = true;  ///< all coefficients came from an equivalent k-point
};

/// Sends the bands of every new k-point and spin from the k-point group of their origin to the one that needs them.
///
/// `from`: those of the k-points of `before` that this rank's k-point group has, with problem.bands bands each. `to`:
/// those of the problem's k-points, in the cell of `before`; their x is set, and stays empty for a k-point that is
/// equivalent to none of `before` under its symmetry. Sets of bands are those of k-points and spins, in blocks over the
/// k-point groups. Collective over the world.
template <class S>
void rotate_bands(const ProcessGroups& groups, const Problem& problem, const SolvedGeometry& before,
                  const std::vector<WaveBands<S>>& from, std::vector<WaveBands<S>>& to);

}  // namespace wavegrid
