// Exchange and correlation of a density that is given by its angular parts in a sphere.
//
//   n_s(r) = sum_LM n_s,LM(r) Y_LM,   grad n_s = sum_LM (n'_s,LM Y_LM r^ + n_s,LM / r  r grad Y_LM)
//   E_xc = sum_k w_k r_k^2 sum_d w_d e(n_s, sigma_ab) at the points of a SphereGrid
//
// with derivatives of that sum itself by n_s,LM(r_k) and n'_s,LM(r_k).
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
  double energy = 0;                        ///< Ha
  std::vector<AngularParts> derivatives{};  ///< of each spin channel by values and slopes; empty: not wanted
};

/// Of a density of as many components as the functional has spins: the total, core included, and the magnetisation
/// (electrons/bohr^3). Not for meta-GGAs. Local.
[[nodiscard]] SphereXc sphere_xc(const SphereGrid& grid, const Xc& xc, const std::vector<AngularParts>& components,
                                 bool with_derivatives);

}  // namespace wavegrid
