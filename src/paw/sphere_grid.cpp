#include <cmath>

#include <wavegrid/basis/gauss_nodes.hpp>
#include <wavegrid/basis/real_harmonics.hpp>
#include <wavegrid/paw/sphere_grid.hpp>

namespace wavegrid {

SphereGrid::SphereGrid(const std::vector<double>& breaks, int radii, int largest_l, int degree)
    : directions_(degree), harmonics_(wavegrid::num_harmonics(largest_l)) {
  const double radius = breaks.back();
  GaussNodes nodes;
  double begin = 0;
  for (const double r : breaks) {
    const double end = std::cbrt(r / radius);
    nodes.add(begin, end, 6 + static_cast<int>(std::ceil((end - begin) * radii)));
    begin = end;
  }
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const double x = nodes.x[k], r = radius * x * x * x;
    r_.push_back(r);
    weights_.push_back(nodes.weight[k] * 3.0 * radius * x * x * r * r);
  }
  const RealHarmonics all(largest_l);
  values_.resize(directions_.size() * harmonics_);
  std::vector<Vec3> gradients(harmonics_);
  for (std::size_t d = 0; d < directions_.size(); ++d) {
    all.gradients(directions_.direction(d), std::span(values_).subspan(d * harmonics_, harmonics_), gradients);
    for (const Vec3& gradient : gradients)
      for (std::size_t axis = 0; axis < 3; ++axis) gradients_[axis].push_back(gradient[axis]);
  }
}

}  // namespace wavegrid
