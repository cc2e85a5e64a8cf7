// The coordinate in which a radial mesh is uniform: polynomials through its points are taken in it.
#pragma once

#include <cmath>
#include <vector>

namespace wavegrid {

/// ln r for logarithmic meshes, r / (a + r) for r_i = a i / (n - i), whose outer points are far apart, and r itself for
/// all others. A value.
class RadialCoordinate {
 public:
  RadialCoordinate() = default;
  /// That of the rising points of a mesh.
  explicit RadialCoordinate(const std::vector<double>& r);

  [[nodiscard]] double operator()(double r) const {
    return kind_ == Kind::logarithmic ? std::log(r) : kind_ == Kind::rational ? r / (scale_ + r) : r;
  }
  /// dr/dx.
  [[nodiscard]] double slope(double x) const {
    return kind_ == Kind::logarithmic ? std::exp(x) : kind_ == Kind::rational ? scale_ / ((1.0 - x) * (1.0 - x)) : 1.0;
  }
  [[nodiscard]] std::vector<double> points(const std::vector<double>& r) const;

 private:
  enum class Kind { linear, logarithmic, rational };
  Kind kind_ = Kind::linear;
  double scale_ = 0.0;  // a, bohr
};

}  // namespace wavegrid
