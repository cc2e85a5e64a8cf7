// Which of the waves that are the same at all points of a mesh is the shortest vector.
#pragma once

#include <wavegrid/base/index.hpp>
#include <wavegrid/basis/lattice.hpp>

namespace wavegrid {

/// The shortest vector among G and those that differ from it by counts[i] reciprocal vectors i, 1/bohr: what is made of
/// it has the symmetry of the cell, which a parallelepiped of G has not. `g`: with indices from -N/2 to N/2. Pure.
[[nodiscard]] inline Vec3 shortest_wave(const Lattice& lattice, const Int3& counts, const Vec3& g) {
  Vec3 shortest = g;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        const Vec3 other = g + lattice.g_vector({static_cast<double>(x * counts[0]), static_cast<double>(y * counts[1]),
                                                 static_cast<double>(z * counts[2])});
        if (norm2(other) < norm2(shortest)) shortest = other;
      }
  return shortest;
}

}  // namespace wavegrid
