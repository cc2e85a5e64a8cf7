// Exchange-correlation energy and potential of a density on the grid.
//
//   E_xc = dV sum_r e(n_s(r), sigma_ab(r)),   sigma_ab = grad n_a . grad n_b,   n = n_valence + n_core
//   v_s = de/dn_s - div(2 de/dsigma_ss grad n_s + de/dsigma_ud grad n_s'),   s' the other spin
//
// Gradient and divergence are taken on the FFT grid, grad f = sum_G iG f(G) exp(iG.r), so that v_s is the exact
// derivative of the sum E_xc, whatever the grid: J. A. White, D. M. Bird, Phys. Rev. B 50, 4954 (1994),
// 10.1103/PhysRevB.50.4954, equations 7-11. A frequency -N/2 of an even grid size N has no partner N/2, and the cosine
// that it stands for no slope at the points of the grid: the derivative along that axis is 0.
//
// Strained with its cell a density keeps Omega n(G), a gradient turns as G does, and the core's shape stays:
//
//   dE_xc/d eps_ab = delta_ab (E_xc - dV sum_rs v_s n_s) - dV sum_rs de/d(d_a n_s) d_b n_s + [core_density.hpp]
//
// A. Dal Corso, R. Resta, Phys. Rev. B 50, 4327 (1994), 10.1103/PhysRevB.50.4327.
//
// Core density: S. G. Louie, S. Froyen, M. L. Cohen, Phys. Rev. B 26, 1738 (1982), 10.1103/PhysRevB.26.1738.
#pragma once

#include <vector>

#include "terms/spin_density.hpp"
#include "terms/xc.hpp"

namespace wavegrid {

/// A functional on a grid, with the core density that belongs to the crystal.
class XcPotential {
 public:
  /// `core` on this rank's G of the box, electrons/bohr^3 (core_density.hpp), or empty on all ranks: none. It is not
  /// polarised. `grid` must outlive this object. Collective.
  XcPotential(GridFft& grid, Xc xc, GridFft::Coefficients core = {});

  /// Bytes of what is kept for `waves` G of the box and `points` points with a core density, and of one evaluation
  /// with its result. Pure.
  [[nodiscard]] static double bytes(const Xc& xc, bool core, Index waves, Index points);
  [[nodiscard]] static double evaluation_bytes(const Xc& xc, Index waves, Index points);

  [[nodiscard]] const Xc& xc() const { return xc_; }
  [[nodiscard]] bool has_core() const { return has_core_; }  ///< the same on all ranks

  struct Result {
    double energy = 0;     ///< Ha
    SpinFields potential;  ///< Ha, one per spin channel
  };
  /// Of a valence density (spin_density.hpp), given in both spaces, with the number of spins of the functional.
  /// Collective. Throws internal_error, on all ranks, for another number of components.
  [[nodiscard]] Result evaluate(const SpinCoefficients& coefficients, const SpinFields& values) const;
  /// The same with dE_xc/d eps_ab, Ha, symmetric, but for what the shape of the core density adds. Collective.
  struct StrainedResult {
    Result of_density;
    Mat3 strain;
  };
  [[nodiscard]] StrainedResult strained(const SpinCoefficients& coefficients, const SpinFields& values) const;
  /// The energy alone, Ha: half the transforms. Collective.
  [[nodiscard]] double energy(const SpinCoefficients& coefficients, const SpinFields& values) const;

 private:
  /// Of each channel, its derivatives along x, y and z: [3 * channel + axis][point].
  using Gradients = std::vector<std::vector<double>>;

  Result from_gradients(const SpinFields& values, Gradients& gradients) const;
  void check(const SpinCoefficients& coefficients, const SpinFields& values) const;
  [[nodiscard]] Gradients gradients(const SpinCoefficients& coefficients) const;
  double at_points(const SpinFields& values, Gradients& gradients, SpinFields* potential) const;
  void subtract_divergence(const std::vector<double>* field, std::vector<double>& potential) const;

  GridFft& grid_;
  Xc xc_;
  bool has_core_;
  GridFft::Coefficients core_;
  std::vector<double> core_values_;
};

}  // namespace wavegrid
