// Boxes and a grid for the benchmark, the same on any number of ranks where their number is the same.
#pragma once

#include <vector>

#include "options.hpp"

namespace wavegrid::bench {

/// The boxes of one rank and the grid, whose ranks own planes of fixed x.
struct BoxSystem {
  Int3 grid{};
  Index all_boxes = 0;
  std::vector<Box> boxes;   ///< of this rank
  IndexList points;         ///< of this rank
  Index functions = 0;      ///< local orbitals in each box; 0: none
  std::vector<Index> near;  ///< boxes of all ranks with points in one of this rank's, of local orbitals

  BoxSystem(const Comm& comm, const Options& options);

 private:
  void make_uniform(const Comm& comm, const Options& options);
  void make_fibril(const Comm& comm, const Options& options);
  void make_silicon(const Comm& comm, const Options& options);
  void make_chain(const Comm& comm, const Options& options);
  /// Those of this rank, in order, and which others are near them.
  void take_mine(const Comm& comm, const std::vector<Box>& all);
};

}  // namespace wavegrid::bench
