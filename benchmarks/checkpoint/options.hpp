// The command line of bench_checkpoint.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/words.hpp"

namespace wavegrid::bench {

/// A synthetic calculation: k-points in a cubic cell, the same cutoff for all.
struct CheckpointCase {
  int kpoints = 5;
  double radius = 21.22;  ///< of the sphere, in reciprocal vectors
  Index bands = 288;
};

struct Options {
  CheckpointCase calculation;
  std::filesystem::path directory = ".";  ///< of the files, which are removed at the end
  std::vector<int> aggregators{0};        ///< of a k-point group, each measured; 0: the default of the library
  std::vector<int> buffers{0};            ///< MiB of a rank, each measured; 0: the default of the library
  int kpoint_groups = 1;
  int repeats = 3;
  /// Not a measurement: writes generation `first`, first + 1, ... of checkpoint.h5 until it is killed.
  bool endless = false;
  Index first = 1;
};

/// Reads `--case NAME --directory DIR --aggregators 0,1 --buffer 32 --kpoint-groups 1 --repeats 3 --endless FIRST`,
/// each optional. Throws bad_input that names the option.
[[nodiscard]] Options parse_options(const std::vector<std::string>& words);

}  // namespace wavegrid::bench
