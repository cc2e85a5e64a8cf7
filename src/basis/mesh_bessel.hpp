// Spherical Bessel functions on a uniform radial mesh, many points at once: sums over it are most of the time in which
// a pseudopotential is prepared.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace wavegrid {

/// j_0 .. j_{orders-1} at x = i * step, i = 1, 2, ..., in blocks of `length` successive i. Sine and cosine are computed
/// at the starts of the blocks and within one block only; the others follow from the angles' sums. The absolute error
/// is that of spherical_bessel: below 1e-12 for l <= 7.
class MeshBessel {
 public:
  static constexpr std::size_t length = 32;
  using Block = std::array<double, length>;

  /// `step` >= 0: g times the spacing of the mesh.
  MeshBessel(double step, int orders);

  /// Computes the functions at i = first + 1 .. first + length; returns one Block for each l, valid until the next
  /// call.
  std::span<const Block> at(std::size_t first);

 private:
  [[nodiscard]] double x(std::size_t i) const { return step_ * static_cast<double>(i + 1); }
  void recur(std::size_t first);

  double step_;
  Block sine_, cosine_;  // of b * step
  std::vector<Block> j_;
};

/// sum_i weights[i] j_l((i + 1) step).
[[nodiscard]] double bessel_sum(int l, double step, std::span<const double> weights);

}  // namespace wavegrid
