// What a calculation has taken over from an earlier one.
#pragma once

#include <string>

#include "base/index.hpp"

namespace wavegrid {

/// K-points count once for each spin.
struct RestartReport {
  std::string file;
  Index kpoints_found = 0;    ///< in the file as they are
  Index kpoints_rotated = 0;  ///< from an equivalent one
  Index kpoints_missing = 0;  ///< started anew
  Index bands_found = 0;      ///< per k-point
  Index bands_random = 0;     ///< of all k-points: those that the file lacks, or that depend on others in this basis
  double norm_kept = 1;       ///< the least share of a band's norm that this basis holds
  std::string density;        ///< "taken" as it is, or "carried over" to another grid, cell or atoms
  double seconds = 0;
};

}  // namespace wavegrid
