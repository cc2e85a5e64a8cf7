// Finite differences along lines of a mesh, in any cell.
#pragma once

#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/vec3.hpp>
#include <wavegrid/mesh/central_differences.hpp>

namespace wavegrid {

/// A direction of the mesh in which second differences are taken.
struct StencilDirection {
  Int3 step;      ///< in points of the mesh
  double weight;  ///< of the second derivative along `step` in the Laplacian, 1/bohr^2, not negative
};

/// The star-shaped neighbourhood of a point, and the weights of its points in gradient and Laplacian.
///
/// In an orthogonal cell the stencil has three directions. In others the mixed derivatives are expressed by second
/// derivatives along at most three more directions: the inverse metric D of the steps is written as a sum of
/// w u u^T over integer vectors u with weights w >= 0 (Selling's formula for the obtuse superbase of D; Fehrenbach and
/// Mirebeau, J. Math. Imaging Vis. 49, 123 (2014), 10.1007/s10851-013-0446-3). As no weight is negative, the discrete
/// -Laplacian has no negative eigenvalue. The same weights give the gradient, sum w u (u.grad) with u in bohr, so that
/// both have the symmetry of the cell.
class StencilPattern {
 public:
  /// `steps`: the vectors between neighbouring points (rows, bohr), linearly independent.
  StencilPattern(const Mat3& steps, int order, DifferenceWeights weights = DifferenceWeights::highest_order);

  [[nodiscard]] int order() const { return 2 * reach_; }
  [[nodiscard]] int reach() const { return reach_; }  ///< points on each side
  /// The directions of the stencil: first the three steps of the mesh, then others.
  [[nodiscard]] const std::vector<StencilDirection>& directions() const { return directions_; }

  /// A leg is a point of the stencil other than its centre. Leg 2 (d reach + m - 1) lies m steps along direction d, the
  /// next one m steps the other way.
  static constexpr std::size_t max_legs = 6 * 12;  ///< six directions, order 12
  [[nodiscard]] std::size_t num_legs() const { return legs_.size(); }
  [[nodiscard]] const std::vector<Int3>& legs() const { return legs_; }
  /// The weights of the legs in the Laplacian, 1/bohr^2, and that of the centre.
  [[nodiscard]] const std::vector<double>& laplacian() const { return laplacian_; }
  [[nodiscard]] double laplacian_centre() const { return laplacian_centre_; }
  /// The weights of the legs in the derivative along the Cartesian direction 0, 1 or 2, 1/bohr.
  [[nodiscard]] const std::vector<double>& gradient(int direction) const {
    return gradient_[static_cast<std::size_t>(direction)];
  }

  /// The highest eigenvalue of -Laplacian/2 on an infinite mesh, or a little more, Ha.
  [[nodiscard]] double highest_kinetic_energy() const { return highest_kinetic_energy_; }
  /// -Laplacian/2 acting on exp(i q.r), Ha. `q_steps`: q . (each step of the mesh).
  [[nodiscard]] double kinetic_energy(const Vec3& q_steps) const;

 private:
  int reach_;
  CentralDifferences differences_;
  std::vector<StencilDirection> directions_;
  std::vector<Int3> legs_;
  std::vector<double> laplacian_;
  std::array<std::vector<double>, 3> gradient_;
  double laplacian_centre_ = 0;
  double highest_kinetic_energy_ = 0;
};

}  // namespace wavegrid
