// Real spherical harmonics of any l, all at once, with their gradients on the sphere: for expansions of densities
// around an atom. Phases and order of m as in spherical_harmonics.hpp.
#pragma once

#include <cstddef>
#include <vector>

#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

/// The place of (l, m) with m = -l..l among all harmonics up to some l.
[[nodiscard]] constexpr std::size_t harmonic_index(int l, int m) { return static_cast<std::size_t>(l * l + l + m); }
/// How many there are up to l.
[[nodiscard]] constexpr std::size_t num_harmonics(int l) { return static_cast<std::size_t>((l + 1) * (l + 1)); }

/// Y_lm(n) of a unit vector n for l = 0..l_max, at harmonic_index(l, m).
[[nodiscard]] std::vector<double> real_harmonics(int l_max, const Vec3& n);

/// r grad Y_lm at n: vectors perpendicular to n.
[[nodiscard]] std::vector<Vec3> real_harmonic_gradients(int l_max, const Vec3& n);

}  // namespace wavegrid
