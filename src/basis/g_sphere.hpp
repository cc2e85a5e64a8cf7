// The sphere of plane waves |k+G|^2/2 <= E_cut, as intervals on x-sticks.
#pragma once

#include <vector>

#include <wavegrid/basis/lattice.hpp>
#include <wavegrid/layout/stick_counts.hpp>

namespace wavegrid {

constexpr int max_axis_points = 50'000;                  ///< of an FFT grid along a lattice vector
constexpr Index max_plane_points = 25'000'000;           ///< along two of them, since all ranks know all sticks
constexpr Index max_grid_points = (Index{1} << 31) - 1;  ///< of an FFT grid
constexpr int max_k = 100;                               ///< reciprocal vectors, of a k-point

/// Throws bad_input for a grid with a size below 1 or more points than the limits. Pure.
void require_valid_grid(const Int3& grid);

/// Whether wave functions are complex, or real in space so that half of the sphere suffices (Gamma).
enum class Mode { complex, gamma };

/// Whether G is in the half of the sphere that Mode::gamma stores.
[[nodiscard]] constexpr bool in_half(const Int3& g) {
  return g[2] > 0 || (g[2] == 0 && (g[1] > 0 || (g[1] == 0 && g[0] >= 0)));
}

/// All integer G with |k+G|^2/2 <= ecut, stick by stick; memory O(ny nz), the same on all ranks.
///
/// In Mode::gamma only one half: gz > 0, or gz = 0 and gy > 0, or gz = gy = 0 and gx >= 0.
class GSphere {
 public:
  /// `k` in units of the reciprocal vectors, ecut in Ha. Throws bad_input if the grid is smaller than the sphere,
  /// if k is not zero in Mode::gamma, or, before anything is allocated, if ecut or k is out of range.
  GSphere(const Lattice& lattice, double ecut, const Int3& grid, Mode mode, const Vec3& k = {0, 0, 0});

  /// Every G of the FFT box: the basis of densities and potentials (Mode::complex).
  [[nodiscard]] static GSphere box(const Lattice& lattice, const Int3& grid);

  /// counts[stick] plane waves from first_gx[stick] on, on sticks of any shape. The lattice is the unit cube.
  [[nodiscard]] static GSphere from_sticks(const Int3& grid, Mode mode, StickCounts counts, std::vector<int> first_gx);

  /// The same G around k + shift, in units of the reciprocal vectors. Mode::complex.
  [[nodiscard]] GSphere shifted(const Vec3& shift) const;

  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  [[nodiscard]] const Int3& grid() const { return grid_; }
  [[nodiscard]] Mode mode() const { return mode_; }
  [[nodiscard]] const Vec3& k() const { return k_; }
  [[nodiscard]] const StickCounts& counts() const { return counts_; }
  [[nodiscard]] Index size() const { return counts_.total(); }

  /// Smallest gx of a stick; its plane waves are gx, gx + 1, ..., counts() of them.
  [[nodiscard]] int first_gx(int stick) const { return first_gx_[static_cast<std::size_t>(stick)]; }
  /// (gx, gy, gz) of the n-th plane wave of a stick.
  [[nodiscard]] Int3 g(int stick, int n) const;
  /// |k+G|^2/2 in Ha.
  [[nodiscard]] double kinetic(const Int3& g) const;
  /// Upper bound of kinetic(): the cutoff, or for a box the value at its farthest corner.
  [[nodiscard]] double kinetic_bound() const { return kinetic_bound_; }

 private:
  GSphere(const Lattice& lattice, const Int3& grid);
  void fill_stick(double ecut, int gy, int gz);

  Lattice lattice_;
  Int3 grid_;
  Mode mode_ = Mode::complex;
  Vec3 k_{0, 0, 0};
  double kinetic_bound_ = 0;
  StickCounts counts_;
  std::vector<int> first_gx_;
};

/// An upper bound of |k+q|^2/2 where |k|^2/2 <= `bound`, Ha; `shift`: q, Cartesian, 1/bohr.
[[nodiscard]] double shifted_kinetic_bound(double bound, const Vec3& shift);
/// Largest |g| along each axis over the sphere of `ecut` around k = 0.
[[nodiscard]] Int3 largest_g(const Lattice& lattice, double ecut);
/// The smallest grid that contains the sphere: 2 gmax + 1 points per axis.
[[nodiscard]] Int3 minimum_grid(const Lattice& lattice, double ecut);
/// The smallest size from n >= 1 on with no prime factor above 7: FFTs of such sizes are fast.
[[nodiscard]] int smooth_size_from(int n);
/// The smallest sizes with no prime factor above 7 that contain the sphere.
[[nodiscard]] Int3 smooth_grid(const Lattice& lattice, double ecut);
/// The smallest sizes with no prime factor above 7 and at least 4 gmax + 1 points: enough for products of
/// two wave functions.
[[nodiscard]] Int3 default_grid(const Lattice& lattice, double ecut);

}  // namespace wavegrid
