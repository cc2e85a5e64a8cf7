// The electrostatics of plane waves where not all directions are periodic: the Coulomb interaction is cut off along the
// others, so that the images of a molecule, chain or layer in the repeated cell do not act on it.
//
// None of its charges may be farther from each other than half of the cell along these directions: the interaction of
// those is whole, that with images is none.
//
//   1 or 2 periodic directions: CoulombKernel (ions/coulomb_kernel.hpp) with R half of the cell. For layers:
//     S. Ismail-Beigi, Phys. Rev. B 73, 233103 (2006), 10.1103/PhysRevB.73.233103; T. Sohier, M. Calandra, F. Mauri,
//     Phys. Rev. B 96, 075448 (2017), 10.1103/PhysRevB.96.075448
//   none: the nearest image in the cell (terms/isolated_coulomb.hpp)
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <wavegrid/fft/grid_fft.hpp>
#include <wavegrid/ions/coulomb_kernel.hpp>

namespace wavegrid {

class FreeBoundaries {
 public:
  /// All directions are periodic: there is nothing here.
  FreeBoundaries() = default;
  /// `radius`: cutoff_radius() of problem/free_boundaries.hpp; `inside`: which G electrostatic potentials have.
  /// Collective over the grid.
  FreeBoundaries(GridFft& grid, const std::array<bool, 3>& periodic, double radius, const std::vector<char>& inside);

  [[nodiscard]] bool any() const { return smooth_width_ > 0; }
  /// The interaction at this rank's G, bohr^2, 0 at those that potentials do not have; empty without free directions.
  [[nodiscard]] const std::vector<double>& coulomb() const { return coulomb_; }
  /// That of one or two periodic directions; null otherwise.
  [[nodiscard]] const CoulombKernel* kernel() const { return kernel_ ? &*kernel_ : nullptr; }
  /// The width of Gaussian charges without waves beyond those of potentials, bohr: exp(-(G width)^2 / 4) is 8e-9 there.
  [[nodiscard]] double smooth_width() const { return smooth_width_; }

 private:
  std::optional<CoulombKernel> kernel_;
  std::vector<double> coulomb_;
  double smooth_width_ = 0;
};

}  // namespace wavegrid
