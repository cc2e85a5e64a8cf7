#include <cmath>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/lattice.hpp>

namespace wavegrid {

Lattice::Lattice(const Mat3& vectors) : vectors_(vectors) {
  const double signed_volume = determinant(vectors);
  volume_ = std::abs(signed_volume);
  const double box = norm(vectors[0]) * norm(vectors[1]) * norm(vectors[2]);
  if (!(volume_ > 1e-8 * box))
    throw bad_input("the three cell vectors are coplanar or zero; give three independent ones");
  for (int i = 0; i < 3; ++i) {
    const auto& next = vectors[static_cast<std::size_t>((i + 1) % 3)];
    const auto& last = vectors[static_cast<std::size_t>((i + 2) % 3)];
    reciprocal_[static_cast<std::size_t>(i)] = (2.0 * units::pi / signed_volume) * cross(next, last);
  }
}

Vec3 Lattice::reduced(const Vec3& k) const {
  return 1.0 / (2.0 * units::pi) * Vec3{dot(k, vectors_[0]), dot(k, vectors_[1]), dot(k, vectors_[2])};
}

}  // namespace wavegrid
