// Into how many k-point groups and band groups a calculation is divided, by estimated cost.
#pragma once

#include <optional>
#include <string>

#include "costmodel/machine.hpp"
#include "mpi/process_groups.hpp"

namespace wavegrid {

/// What there is to divide.
struct GroupWorkload {
  Index kpoints = 1;  ///< k-points times spins
  Index bands = 1;
  const StickCounts& sphere;
  int nx = 1;
};

/// What the input asks for; what it leaves open is chosen.
struct GroupOptions {
  std::optional<int> kpoint_groups = std::nullopt;
  std::optional<int> band_groups = std::nullopt;
  std::optional<int> grid_ranks = std::nullopt;  ///< ranks per band group
};

/// Numbers of groups and why they were taken, as a sentence with the estimated times.
struct GroupChoice {
  GroupCounts counts;
  std::string reason;
};

/// The division of `ranks` that costs least: one application of H to every band, of the k-point group with most
/// k-points.
///
/// k-point groups exchange hardly any data, so they come first, as far as k-points divide well over them; the remaining
/// ranks form band groups (two exchanges of whole bands, no transposes) or share the grid. Pure, the same on all ranks.
/// Throws bad_input where the options do not fit the ranks, naming what would.
[[nodiscard]] GroupChoice choose_groups(int ranks, const GroupWorkload& work, const GroupOptions& options = {},
                                        const Machine& machine = {});

}  // namespace wavegrid
