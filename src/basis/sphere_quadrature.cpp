#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/gauss_nodes.hpp>
#include <wavegrid/basis/sphere_quadrature.hpp>

namespace wavegrid {

SphereQuadrature::SphereQuadrature(int degree) {
  const int angles = degree + 1;
  GaussNodes z;
  z.add(-1.0, 1.0, degree / 2 + 1);
  for (std::size_t i = 0; i < z.size(); ++i)
    for (int k = 0; k < angles; ++k) {
      const double radius = std::sqrt(1.0 - z.x[i] * z.x[i]), phi = 2.0 * units::pi * k / angles;
      directions_.push_back({radius * std::cos(phi), radius * std::sin(phi), z.x[i]});
      weights_.push_back(2.0 * units::pi * z.weight[i] / angles);
    }
}

GauntTable::GauntTable(int l_max)
    : l_max_(l_max),
      size_(num_harmonics(l_max)),
      big_size_(num_harmonics(2 * l_max)),
      values_(size_ * size_ * big_size_) {
  const SphereQuadrature sphere(4 * l_max);
  const RealHarmonics harmonics(2 * l_max);
  std::vector<double> y(big_size_);
  for (std::size_t p = 0; p < sphere.size(); ++p) {
    harmonics.values(sphere.direction(p), y);
    for (std::size_t a = 0; a < size_; ++a)
      for (std::size_t b = 0; b < size_; ++b)
        for (std::size_t c = 0; c < big_size_; ++c)
          values_[(a * size_ + b) * big_size_ + c] += (sphere.weight(p) * y[c]) * (y[a] * y[b]);
  }
  for (double& value : values_)
    if (std::abs(value) < 1e-13) value = 0.0;
}

}  // namespace wavegrid
