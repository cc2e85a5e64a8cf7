// All real spherical harmonics up to any l at once, in the convention of spherical_harmonics.hpp.
//
//   r^l Y_lm = N_lm Pi_lm(z, r^2) {Re, Im} (x + iy)^|m|,   Pi_mm = (2m - 1)!!,
//   (l - m) Pi_lm = (2l - 1) z Pi_(l-1)m - (l + m - 1) r^2 Pi_(l-2)m
#pragma once

#include <span>
#include <vector>

#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

/// An immutable value.
class HarmonicsTable {
 public:
  explicit HarmonicsTable(int l_max);

  [[nodiscard]] int l_max() const { return l_max_; }
  /// Number of functions; Y_lm is number l^2 + l + m.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>((l_max_ + 1) * (l_max_ + 1)); }

  /// Y_lm of a direction of any length; as real_ylm(), those of the zero vector are 0 except Y_00.
  void values(const Vec3& direction, std::span<double> y) const;
  /// Y_lm of a unit vector n, and |q| grad Y_lm(q) at q = n |q|, as real_ylm_gradient().
  void gradients(const Vec3& n, std::span<double> y, std::span<Vec3> gradient) const;

 private:
  int l_max_;
  std::vector<double> norm_;  ///< N_lm by l^2 + l + |m|
};

}  // namespace wavegrid
