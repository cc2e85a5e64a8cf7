// The sphere of a study and its partition, from the command line.
#pragma once

#include <string>

#include <wavegrid/costmodel/choose_partition.hpp>

#include "common/waves.hpp"
#include "common/words.hpp"

namespace wavegrid::bench {

struct SphereOptions {
  int grid = 48;
  double radius = 15.346;  ///< in reciprocal lattice vectors
  Scheme scheme = Scheme::optimized;

  static constexpr const char* names = "--grid, --radius, --scheme";

  /// Takes the value if it is that of one of `names`.
  [[nodiscard]] bool take(const Word& word) {
    if (word.option == "--grid")
      grid = count(word);
    else if (word.option == "--radius")
      radius = number<double>(word, "a number above zero");
    else if (word.option == "--scheme")
      scheme = choice(word, schemes);
    else
      return false;
    return true;
  }
  [[nodiscard]] GSphere sphere() const { return sphere_of(grid, radius, Mode::gamma); }
  [[nodiscard]] Partition partition(const GSphere& of, int ranks) const {
    return choose_partition(scheme, of.counts(), of.grid()[0], ranks).partition;
  }
};

}  // namespace wavegrid::bench
