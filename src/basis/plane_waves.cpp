#include <wavegrid/basis/plane_waves.hpp>

namespace wavegrid {

PlaneWaves::PlaneWaves(const GSphere& sphere, const Partition& partition, int part)
    : lattice_(sphere.lattice()),
      mode_(sphere.mode()),
      k_(sphere.k()),
      sticks_(part_sticks(partition, part)),
      kinetic_bound_(sphere.kinetic_bound()) {
  Index size = 0;
  for (const int stick : sticks_) size += sphere.counts().count[static_cast<std::size_t>(stick)];
  g_.reserve(static_cast<std::size_t>(size));
  kinetic_.reserve(static_cast<std::size_t>(size));
  for (const int stick : sticks_)
    for (int n = 0; n < sphere.counts().count[static_cast<std::size_t>(stick)]; ++n) {
      const Int3 g = sphere.g(stick, n);
      if (g == Int3{0, 0, 0}) zero_ = static_cast<Index>(g_.size());
      g_.push_back(g);
      kinetic_.push_back(sphere.kinetic(g));
    }
}

PlaneWaves PlaneWaves::shifted(const Vec3& shift) const {
  PlaneWaves waves(*this);
  waves.k_ = k_ + shift;
  waves.kinetic_bound_ = shifted_kinetic_bound(kinetic_bound_, lattice_.g_vector(shift));
  for (std::size_t i = 0; i < g_.size(); ++i) waves.kinetic_[i] = 0.5 * norm2(waves.k_plus_g(static_cast<Index>(i)));
  return waves;
}

Vec3 PlaneWaves::k_plus_g(Index i) const {
  const Int3& g = g_[static_cast<std::size_t>(i)];
  return lattice_.g_vector({k_[0] + g[0], k_[1] + g[1], k_[2] + g[2]});
}

}  // namespace wavegrid
