// Random numbers addressed by global indices, so that start vectors do not depend on the layout.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace wavegrid {

/// A number in [-1, 1) that depends on the keys alone (SplitMix64 mixing, Steele et al. 2014, 10.1145/2660193.2660195).
[[nodiscard]] inline double random_at(std::initializer_list<std::int64_t> keys) {
  std::uint64_t state = 0x9e3779b97f4a7c15ULL;
  for (const std::int64_t key : keys) {
    state += static_cast<std::uint64_t>(key) + 0x9e3779b97f4a7c15ULL;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebULL;
    state ^= state >> 31;
  }
  return static_cast<double>(state >> 11) * 0x1.0p-52 - 1.0;
}

}  // namespace wavegrid
