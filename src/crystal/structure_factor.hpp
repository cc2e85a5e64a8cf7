// Phases exp(-iG.tau) of atoms on a rank's plane waves.
#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/crystal/crystal.hpp>

namespace wavegrid {

/// exp(-i(k+G).tau) of one atom for any G of a box, as a product over the axes: three small tables replace a sine and
/// cosine per plane wave. Local.
class AtomPhases {
 public:
  /// For |g| up to `reach` along each axis.
  AtomPhases(const Int3& reach, const Vec3& position, const Vec3& k = {0, 0, 0});

  [[nodiscard]] std::complex<double> operator()(const Int3& g) const {
    return *of(0, g[0]) * *of(1, g[1]) * *of(2, g[2]);
  }
  /// The factor of one axis at g; those of g + 1, g + 2, ... follow it in memory.
  [[nodiscard]] const std::complex<double>* of(std::size_t axis, int g) const {
    return tables_[axis].data() + g + reach_[axis];
  }

 private:
  Int3 reach_;
  std::array<std::vector<std::complex<double>>, 3> tables_;
};

/// The largest |g| along each axis on this rank.
[[nodiscard]] Int3 max_indices(const PlaneWaves& waves);

/// exp(-i(k+G).tau) at every plane wave of this rank, for an atom at fractional position tau. Local.
/// `k` in reciprocal coordinates is added to the integer G (0 for densities).
void atom_phases(const PlaneWaves& waves, const Vec3& position, std::complex<double>* phases,
                 const Vec3& k = {0, 0, 0});

/// sum over the atoms of a species of w exp(-iG.tau), with one factor w for each atom of the crystal; none means 1 for
/// all. Local.
[[nodiscard]] std::vector<std::complex<double>> structure_factor(const PlaneWaves& waves, const Crystal& crystal,
                                                                 int species, std::span<const double> factors = {});

}  // namespace wavegrid
