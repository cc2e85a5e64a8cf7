// The command line of bench_fft.
#pragma once

#include <string>
#include <vector>

#include "common/words.hpp"

namespace wavegrid::bench {

struct Options {
  CubicCase cube;
  std::vector<Mode> modes = {Mode::gamma, Mode::complex};
  std::vector<int> bands = {1, 32};
  int threads = 1;
  int repeats = 7;
  Scheme scheme = Scheme::greedy;
};

/// Reads `--case N:RADIUS --mode gamma,complex --bands 1,32 --threads 1 --repeats 7 --scheme greedy`, each optional.
/// Throws bad_input that names the option.
[[nodiscard]] Options parse_options(const std::vector<std::string>& words);

[[nodiscard]] const char* to_string(Mode mode);

}  // namespace wavegrid::bench
