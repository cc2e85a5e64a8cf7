// The command line of bench_halo.
#pragma once

#include <string>
#include <vector>

#include <wavegrid/exchange/transport.hpp>

namespace wavegrid::bench {

struct Options {
  std::vector<std::string> contexts{"neighbours", "stencil", "overlap"};
  std::vector<Transport> transports;
  std::vector<int> orders{8, 12};
  int width = 16;  ///< states per block
  int edge = 48;   ///< points per edge of the cubic mesh
  int repeats = 5;
};
[[nodiscard]] Options parse_options(const std::vector<std::string>& words);

}  // namespace wavegrid::bench
