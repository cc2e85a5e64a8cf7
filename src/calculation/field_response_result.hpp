// What a response to electric fields reports.
#pragma once

#include <functional>
#include <vector>

#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

/// By a field along one Cartesian axis, the same on all ranks.
struct FieldResponseStep {
  int axis = 0;
  int done = 0, total = 3;      ///< fields so far, and in all
  Vec3 dielectric{};            ///< eps_a,axis of clamped ions
  std::vector<Vec3> charges{};  ///< Z_a,axis of each atom, e, from the forces; their sum is not corrected
  int iterations = 0;           ///< of the change of the potential
  double error = 0;             ///< of that, relative
};

/// Called on every rank.
using FieldResponseObserver = std::function<void(const FieldResponseStep&)>;

struct FieldResponseResult {
  std::vector<FieldResponseStep> steps{};
  int stop_signal = 0;  ///< that ended it early; 0: none
  double seconds = 0;   ///< wall time
};

}  // namespace wavegrid
