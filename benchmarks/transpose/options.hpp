// The command line of bench_transpose.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <wavegrid/exchange/transport.hpp>

#include "common/words.hpp"

namespace wavegrid::bench {

struct Options {
  CubicCase cube;
  Mode mode = Mode::gamma;
  bool box = false;  ///< every G of the grid instead of a sphere, and Mode::complex
  std::vector<Transport> transports = all_transports();
  bool isolated = true, scf = true;
  std::optional<Scheme> scheme = std::nullopt;  ///< none: by estimated cost
  Index block = 0;                              ///< bands that are exchanged together; 0: as the transforms choose it
  int repeats = 5;
  bool overlap = true;
};

/// Reads `--case N:RADIUS --mode gamma|complex|box --transport a,b --context isolated,scf --partition auto --block B
/// --repeats 5 --overlap yes|no`, each optional. Throws bad_input that names the option.
[[nodiscard]] Options parse_options(const std::vector<std::string>& words);

}  // namespace wavegrid::bench
