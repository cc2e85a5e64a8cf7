// Local orbitals of one k-point and spin, optimised in a potential.
//
// At fixed occupations f_n the energy E = sum_n f_n e_n of the lowest states in the span of the functions is a function
// of them. With r_n = (H - e_n) psi_n its gradient is
//
//   g_i = dE/d conj(phi_i) = sum_n f_n conj(C_in) r_n = sum_j (H phi_j K_ji - phi_j M_ji)
//
// and conjugate gradients (Polak, Ribiere) go along
//
//   z_i = sum_j P g_j X_ji,   X = S C diag(1/f_n) C^H S + (S - S C C^H S) / max f,
//
// with the preconditioner P of the kinetic energy. X takes the derivatives by functions to those by states: a step
// changes each occupied state by -P r_n. Both are positive, so that z descends. Its length is that of the lowest point
// of the parabola through E, its slope, and E at a trial length.
//
// C.-K. Skylaris and others, J. Chem. Phys. 122, 084119 (2005), 10.1063/1.1839852; the preconditioner: A. A. Mostofi
// and others, J. Chem. Phys. 119, 8842 (2003), 10.1063/1.1613633.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <wavegrid/planewaves/orbital_functions.hpp>

namespace wavegrid {

/// Members are collective over the k-point group unless they say "local".
template <class S>
class OrbitalOptimiser {
 public:
  /// The lowest states of the present functions in a potential; not definite: a step was too long.
  using Solve = std::function<OrbitalStates<S>(std::span<const double> potential)>;

  /// The functions must outlive this object.
  OrbitalOptimiser(OrbitalFunctions<S>& basis, Solve solve) : basis_(basis), solve_(std::move(solve)) {}

  /// At least two steps from `solution`, the states of the present functions in `potential` (at the points of the
  /// boxes, Ha; that of the bands' operator, too), until less than `least` (Ha) remains, at most `most` of them.
  /// `occupations`: of the states, with the weight of the k-point. Sets `solution` to the states of the last functions.
  void improve(std::span<const double> potential, std::span<const double> occupations, double least, int most,
               OrbitalStates<S>& solution);

  /// An estimate of what E would still fall, by the last two decreases, Ha. Local.
  [[nodiscard]] double remaining() const { return remaining_; }
  [[nodiscard]] Index steps() const { return steps_; }  ///< Local.

 private:
  [[nodiscard]] BlockSparse<S> metric(std::span<const double> occupations, const OrbitalStates<S>& solution) const;
  /// Continues the last direction with a preconditioned gradient.
  void update_direction(const Bands<S>& z);
  /// The lowest point along direction_; returns by how much E falls.
  double search(std::span<const double> potential, std::span<const double> occupations, OrbitalStates<S>& solution);

  OrbitalFunctions<S>& basis_;
  Solve solve_;
  Bands<S> gradient_, last_gradient_, direction_;
  double square_ =
      0;  ///< product of gradient_ and z in the last step; 0: the next direction is that of steepest descent
  double slope_ = 0;      ///< dE/d length along direction_, Ha
  double length_ = 0;     ///< of the last step; 0: none
  double remaining_ = 0;  ///< Ha
  Index steps_ = 0;
};

extern template class OrbitalOptimiser<double>;
extern template class OrbitalOptimiser<std::complex<double>>;

}  // namespace wavegrid
