// All real spherical harmonics up to any l at once, in the convention of spherical_harmonics.hpp.
//
//   r^l Y_lm = N_lm Pi_lm(z, r^2) {Re, Im} (x + iy)^|m|,   Pi_mm = (2m - 1)!!,
//   (l - m) Pi_lm = (2l - 1) z Pi_(l-1)m - (l + m - 1) r^2 Pi_(l-2)m
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

/// The place of (l, m) with m = -l..l among all harmonics up to some l.
[[nodiscard]] constexpr std::size_t harmonic_index(int l, int m) { return static_cast<std::size_t>(l * l + l + m); }
/// How many there are up to l.
[[nodiscard]] constexpr std::size_t num_harmonics(int l) { return static_cast<std::size_t>((l + 1) * (l + 1)); }

/// All up to l_max, at harmonic_index(l, m). An immutable value.
class RealHarmonics {
 public:
  explicit RealHarmonics(int l_max);

  [[nodiscard]] int l_max() const { return l_max_; }
  [[nodiscard]] std::size_t size() const { return num_harmonics(l_max_); }

  /// Y_lm of a direction of any length; as real_ylm(), those of the zero vector are 0 except Y_00.
  void values(const Vec3& direction, std::span<double> y) const;
  /// Y_lm of a unit vector n, and |q| grad Y_lm(q) at q = n |q|, as real_ylm_gradient().
  void gradients(const Vec3& n, std::span<double> y, std::span<Vec3> gradient) const;

 private:
  int l_max_;
  std::vector<double> norm_;  ///< N_lm at harmonic_index(l, |m|)
};

}  // namespace wavegrid
