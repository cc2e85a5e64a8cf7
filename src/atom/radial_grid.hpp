// The uniform grid of radii on which the atomic solver works.
#pragma once

#include <cstddef>
#include <vector>

namespace wavegrid {

/// Values of a radial function at the points of a RadialGrid.
using RadialValues = std::vector<double>;

/// The radii r[p] = p * spacing, 0 to 20.4 bohr. All functions integrated here have decayed to 0 at the last one. An
/// immutable value.
class RadialGrid {
 public:
  static constexpr double spacing = 0.03;  ///< bohr; resolves products of the narrowest Gaussians to 1e-12
  static constexpr std::size_t num_points = 680;

  RadialGrid();

  [[nodiscard]] const RadialValues& r() const { return r_; }  ///< bohr
  /// 4 pi int r^2 f g dr.
  [[nodiscard]] double integrate(const RadialValues& f, const RadialValues& g) const;
  /// int_0^r f dr' at every r, for f even (parity 1) or odd (-1) about r = 0; error h^7 per step (the integral of the
  /// quintic polynomial through six points).
  [[nodiscard]] static RadialValues cumulative(const RadialValues& f, double parity);

 private:
  RadialValues r_;
};

}  // namespace wavegrid
