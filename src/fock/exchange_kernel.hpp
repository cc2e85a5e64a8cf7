// The interaction of exact exchange in reciprocal space.
//
//   v(Q) = 4 pi/Q^2 [full + short_range (1 - exp(-Q^2/(4 omega^2)))],   Q = k - q + G
//
// Its divergence at Q = 0 is integrable, but the mesh of q has a point there. Four ways to a value for v(0):
//
//   none:             short_range pi/omega^2
//   gygi_baldereschi: the same - sum_Q exp(-a Q^2) v(Q) + N Omega/(2 pi)^3 int exp(-a Q^2) v(Q) d^3Q over all Q of the
//                     mesh with N points, with the limit of exp(-a Q^2) v(Q) - 4 pi full/Q^2 at Q = 0.
//                     F. Gygi, A. Baldereschi, Phys. Rev. B 34, 4405 (1986), 10.1103/PhysRevB.34.4405; this function:
//                     S. Massidda, M. Posternak, A. Baldereschi, Phys. Rev. B 48, 5058 (1993), 10.1103/PhysRevB.48.5058
//   spherical:        full is multiplied by 1 - cos(Q R) everywhere, 4 pi/3 R^3 = N Omega; its value at 0 is 2 pi R^2.
//                     J. Spencer, A. Alavi, Phys. Rev. B 77, 193110 (2008), 10.1103/PhysRevB.77.193110
//   wigner_seitz:     full 4 pi/Q^2 is replaced everywhere by the interaction within the Wigner-Seitz cell of the
//                     supercell of the mesh (wigner_seitz.hpp), which no shape of the cell makes inexact.
#pragma once

#include <wavegrid/basis/lattice.hpp>
#include <wavegrid/fock/exchange_options.hpp>
#include <wavegrid/fock/wigner_seitz.hpp>

namespace wavegrid {

/// Ha bohr^3. Pure.
class ExchangeKernel {
 public:
  /// `mesh`: of q; `ecut`: of the bands, Ha; `pair_ecut`: v is 0 where Q^2/2 is larger, Ha; `grid`: the points of a
  /// cell that hold the products of two bands.
  ExchangeKernel(const Lattice& lattice, const ExchangeInteraction& interaction, const Int3& mesh,
                 const ExchangeOptions& options, double ecut, double pair_ecut, const Int3& grid);

  /// v at Q, in units of the reciprocal vectors; with wigner_seitz a point of the mesh plus G.
  [[nodiscard]] double operator()(const Vec3& q) const;
  /// Ha: what an occupied band at k, a point that is not on the mesh of q, adds to its exchange energy, to be
  /// subtracted: the integral of the auxiliary function less its sum over the q around k, which v(0) contains on the
  /// mesh. 0 where there is no such function.
  [[nodiscard]] double correction(const Vec3& k) const;
  /// dv/d eps_ab where the cell is strained and Q keeps these units. Not for several threads at once.
  [[nodiscard]] Mat3 strain(const Vec3& q) const;

 private:
  /// v and dv/d(Q^2) for Q that is not 0, without the truncation by a sphere and the smooth part of a cell.
  struct Value {
    double v, slope;
  };
  [[nodiscard]] Value untruncated(double q2) const;
  [[nodiscard]] Value value(double q2) const;
  void set_gygi_baldereschi();
  /// int exp(-a Q^2) v(Q) d^3Q / (2 pi)^3.
  [[nodiscard]] double auxiliary_integral() const;
  /// Calls action(Q, Cartesian Q, weight exp(-a Q^2), v) for all k + q but 0.
  template <class Action>
  void for_auxiliary(const Vec3& k, const Action& action) const;
  /// Whether a point belongs to the mesh of twice the distances.
  [[nodiscard]] bool on_coarse_mesh(const Vec3& q) const;
  [[nodiscard]] double weight(const Vec3& q) const;

  Lattice lattice_;
  ExchangeInteraction interaction_;
  Int3 mesh_;
  double largest_q2_;
  bool extrapolate_, has_auxiliary_ = false;
  double decay_;       ///< a, bohr^2
  double radius_ = 0;  ///< of spherical truncation, bohr; 0: none
  std::optional<WignerSeitzCell> cell_;
  double zero_ = 0;  ///< v(0)
  Mat3 zero_strain_{};
};

}  // namespace wavegrid
