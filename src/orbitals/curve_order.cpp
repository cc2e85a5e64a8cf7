#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <wavegrid/orbitals/curve_order.hpp>

namespace wavegrid {

namespace {

constexpr int bits = 20;  // of the place along each vector

using Place = std::array<std::uint32_t, 3>;

/// How far along the curve a place is.
std::uint64_t along_curve(Place x) {
  constexpr std::uint32_t highest = 1U << (bits - 1);
  for (std::uint32_t bit = highest; bit > 1; bit >>= 1) {  // undoes the turns of the smaller curves
    const std::uint32_t below = bit - 1;
    for (std::uint32_t& each : x) {
      if ((each & bit) != 0) {
        x[0] ^= below;
        continue;
      }
      const std::uint32_t differs = (x[0] ^ each) & below;
      x[0] ^= differs;
      each ^= differs;
    }
  }
  for (std::size_t d = 1; d < x.size(); ++d) x[d] ^= x[d - 1];  // Gray code
  std::uint32_t turn = 0;
  for (std::uint32_t bit = highest; bit > 1; bit >>= 1)
    if ((x.back() & bit) != 0) turn ^= bit - 1;
  std::uint64_t key = 0;
  for (int bit = bits - 1; bit >= 0; --bit)
    for (const std::uint32_t each : x) key = (key << 1) | (((each ^ turn) >> bit) & 1U);
  return key;
}

/// Vectors of the cell, the longest first.
std::array<std::size_t, 3> by_length(const Lattice& lattice) {
  std::array<std::size_t, 3> axes{0, 1, 2};
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return norm(lattice.vectors()[a]) > norm(lattice.vectors()[b]);
  });
  return axes;
}

Place place_of(const Vec3& position, const Lattice& lattice) {
  constexpr double rounding = 1e-9;  // the same atom at 0 and, nearly, at 1
  const std::array<std::size_t, 3> axes = by_length(lattice);
  Place place{};
  for (std::size_t d = 0; d < 3; ++d) {
    double x = position[axes[d]] + rounding;
    x = (x - std::floor(x)) * norm(lattice.vectors()[axes[d]]) / norm(lattice.vectors()[axes[0]]);
    place[d] = static_cast<std::uint32_t>(std::min(std::ldexp(x, bits), std::ldexp(1.0, bits) - 1));
  }
  return place;
}

}  // namespace

std::vector<Index> curve_order(const Crystal& crystal) {
  std::vector<std::uint64_t> keys;
  for (const Atom& atom : crystal.atoms) keys.push_back(along_curve(place_of(atom.position, crystal.lattice)));
  std::vector<Index> order(keys.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  return order;
}

Crystal reordered(Crystal crystal, const std::vector<Index>& order) {
  const std::vector<Atom> atoms = std::move(crystal.atoms);
  crystal.atoms.clear();
  for (const Index a : order) crystal.atoms.push_back(atoms[static_cast<std::size_t>(a)]);
  return crystal;
}

}  // namespace wavegrid
