// What a calculation does besides the steps of its self-consistency loop, for a display.
#pragma once

#include <functional>

#include <wavegrid/base/index.hpp>
#include <wavegrid/fields/field_space.hpp>

namespace wavegrid {

/// The loop begins, with its preconditioner; forces and stress; the last checkpoint; band_path.
enum class Stage { mixing, derivatives, checkpoint, bands };

/// A stage that begins (done = 0) or proceeds. Counts are those of this rank's group of ranks.
struct Activity {
  Stage stage = Stage::bands;
  Index done = 0;   ///< k-points, spins counted apart
  Index total = 1;  ///< of this group; the groups work at the same time
  int groups = 1;
  PreconditionerChoice preconditioner{};  ///< of Stage::mixing
};

/// Called on every rank, at different times on different ranks. No communication in it. An exception ends the
/// calculation on its rank once the k-points of all groups are done; the caller then has to end the other ranks.
using ActivityObserver = std::function<void(const Activity&)>;

}  // namespace wavegrid
