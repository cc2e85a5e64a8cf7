#include <vector>

#include <wavegrid/basis/harmonic_rotation.hpp>
#include <wavegrid/basis/sphere_quadrature.hpp>

namespace wavegrid {

Matrix<double> harmonic_rotation(const Mat3& r, int l) {
  const RealHarmonics all(l);
  const SphereQuadrature sphere(2 * l);
  std::vector<double> turned(all.size()), plain(all.size());
  Matrix<double> d(2 * l + 1, 2 * l + 1);
  for (std::size_t i = 0; i < sphere.size(); ++i) {
    const Vec3& n = sphere.direction(i);
    all.values({dot(r[0], n), dot(r[1], n), dot(r[2], n)}, turned);
    all.values(n, plain);
    for (int m = -l; m <= l; ++m)
      for (int m2 = -l; m2 <= l; ++m2)
        d(m + l, m2 + l) += sphere.weight(i) * turned[harmonic_index(l, m)] * plain[harmonic_index(l, m2)];
  }
  return d;
}

}  // namespace wavegrid
