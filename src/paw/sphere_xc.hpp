// Exchange and correlation of a density that is given by its angular parts in a sphere.
//
//   n_s(r) = sum_LM n_s,LM(r) Y_LM,   grad n_s = sum_LM (n'_s,LM Y_LM r^ + n_s,LM / r  r grad Y_LM)
//   E_xc = sum_k w_k r_k^2 sum_d w_d e(n_s, sigma_ab) at the points of a SphereGrid
//
// with derivatives of that sum itself by n_s,LM(r_k) and n'_s,LM(r_k). A vector magnetisation counts at each point as
// s |m| with the gradient s m^.grad m, as in terms/xc_term.hpp.
#pragma once

#include <cstddef>
#include <vector>

#include <wavegrid/paw/sphere_grid.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

/// Radial functions of each harmonic at the radii of a grid, [LM][radius]: values and d/dr.
struct AngularParts {
  AngularParts() = default;
  explicit AngularParts(const SphereGrid& grid)
      : values(grid.num_harmonics() * grid.num_radii()), slopes(values.size()) {}

  std::vector<double> values, slopes;
};

struct SphereXc {
  double energy = 0;  ///< Ha
  /// By values and slopes of each spin channel, or of n and m; empty: not wanted.
  std::vector<AngularParts> derivatives{};
};

/// Of a density of as many components as the functional has spins: the total, core included, and the magnetisation
/// (electrons/bohr^3); or with the three of a vector magnetisation, for a functional of two spins, where `spin_axis` is
/// the axis whose side gives s, or 0: s = 1. Not for meta-GGAs. Local.
[[nodiscard]] SphereXc sphere_xc(const SphereGrid& grid, const Xc& xc, const std::vector<AngularParts>& components,
                                 bool with_derivatives, const Vec3& spin_axis = {0, 0, 0});

}  // namespace wavegrid
