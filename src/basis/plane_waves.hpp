// One rank's share of a sphere: the plane waves of its sticks, in the order in which coefficients are stored.
#pragma once

#include <vector>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/layout/partition.hpp>

namespace wavegrid {

/// The plane waves of one part: sticks by rising address, gx rising within a stick.
class PlaneWaves {
 public:
  PlaneWaves(const GSphere& sphere, const Partition& partition, int part);

  /// Bytes of the tables of `size` plane waves. Pure.
  [[nodiscard]] static double bytes(Index size) { return static_cast<double>(size) * (sizeof(Int3) + sizeof(double)); }

  /// The same G around k + shift, in units of the reciprocal vectors.
  [[nodiscard]] PlaneWaves shifted(const Vec3& shift) const;

  [[nodiscard]] Index size() const { return static_cast<Index>(g_.size()); }
  [[nodiscard]] const std::vector<int>& sticks() const { return sticks_; }
  [[nodiscard]] const std::vector<Int3>& g() const { return g_; }
  [[nodiscard]] const std::vector<double>& kinetic() const { return kinetic_; }  ///< |k+G|^2/2, Ha
  [[nodiscard]] double kinetic_bound() const { return kinetic_bound_; }  ///< upper bound of kinetic() on all ranks, Ha
  [[nodiscard]] Vec3 k_plus_g(Index i) const;                            ///< Cartesian, 1/bohr
  [[nodiscard]] Mode mode() const { return mode_; }
  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  /// Local index of G = 0, or -1 if another rank owns it.
  [[nodiscard]] Index zero() const { return zero_; }

 private:
  Lattice lattice_;
  Mode mode_;
  Vec3 k_;
  std::vector<int> sticks_;
  std::vector<Int3> g_;
  std::vector<double> kinetic_;
  double kinetic_bound_;
  Index zero_ = -1;
};

}  // namespace wavegrid
