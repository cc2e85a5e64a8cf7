// Integrals over a radial mesh of any kind.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace wavegrid {

/// Integrates functions given at the points of a mesh: between two points, the polynomial of degree 7 through the eight
/// nearest ones in the coordinate of the mesh (radial_coordinate.hpp). Below the first point a function is continued as
/// r^power. An immutable value.
class RadialQuadrature {
 public:
  /// Throws internal_error for less than 8 points or points that do not rise.
  explicit RadialQuadrature(const std::vector<double>& r);

  /// int_0^r_max f dr, of which `f` may have fewer values than the mesh points: it is 0 from there on.
  [[nodiscard]] double integrate(const std::vector<double>& f, int power = 2) const;
  /// int r^l r2_f dr, of r^2 f(r) where f grows as r^l.
  [[nodiscard]] double moment(const std::vector<double>& r2_f, int l) const;
  /// int_0^r f dr' at every point of the mesh.
  [[nodiscard]] std::vector<double> cumulative(const std::vector<double>& f, int power = 2) const;

  [[nodiscard]] const std::vector<double>& r() const { return r_; }

 private:
  static constexpr std::size_t stencil = 8;
  struct Interval {
    std::size_t first;  // of the points of the polynomial
    std::array<double, stencil> weight;
  };
  [[nodiscard]] double sum(const Interval& interval, const std::vector<double>& f) const;

  std::vector<double> r_;
  std::vector<Interval> intervals_;  // r[i] to r[i + 1]
};

/// Value i of a function that may end before the mesh does: 0 from there on.
[[nodiscard]] inline double value_or_zero(const std::vector<double>& f, std::size_t i) {
  return i < f.size() ? f[i] : 0.0;
}

/// The electrostatic potential of a charge density with the angular part Y_LM, and of its radial part n(r):
///   V_L(r) = 4 pi / (2L+1) ( r^(-L-1) int_0^r n r'^(L+2) dr' + r^L int_r^inf n r'^(1-L) dr' ),
/// returned as r V_L(r) on the mesh (0 at r = 0); `r2_n` is r^2 n(r). For L = 0 a density n(r) itself may be given,
/// whose potential then is V(r). J. D. Jackson, Classical Electrodynamics, eq. (4.1).
[[nodiscard]] std::vector<double> r_times_multipole_potential(const RadialQuadrature& mesh,
                                                              const std::vector<double>& r2_n, int l);

/// int r^2 a(r) V(r) dr of r^2 a(r) and r V(r), both growing as r^l or faster.
[[nodiscard]] double potential_integral(const RadialQuadrature& mesh, const std::vector<double>& r2_a,
                                        std::vector<double> r_times_potential, int l);

/// int r^2 a(r) V_L[b](r) dr, Ha for densities in electrons/bohr^3: the Coulomb interaction of a Y_LM and b Y_LM, given
/// as r^2 a(r) and r^2 b(r). The energy of a density is half the sum over LM of that of n_LM with itself.
[[nodiscard]] double multipole_interaction(const RadialQuadrature& mesh, const std::vector<double>& r2_a,
                                           const std::vector<double>& r2_b, int l);

}  // namespace wavegrid
