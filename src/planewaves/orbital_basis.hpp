// The local orbitals of one k-point: plane-wave coefficients, values in boxes, and matrices that a geometry fixes.
//
//   phi_i(G) = sum of atoms' functions,  S_ij, T_ij and (T + V_nl)_ij;  H_ij = (T + V_nl)_ij + V_ij
//
// T and V_nl are computed from coefficients; S, V and the density in boxes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <wavegrid/atom/numerical_orbitals.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/subspace.hpp>
#include <wavegrid/orbitals/box_orbitals.hpp>
#include <wavegrid/orbitals/gathered_orbitals.hpp>
#include <wavegrid/planewaves/plane_wave_bands.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// What the bases of all k-points share. References must outlive them.
struct OrbitalSetting {
  const Problem& problem;
  const ProcessGroups& groups;
  const std::vector<std::vector<NumericalOrbital>>& species;  ///< radial functions
  const OrbitalLayout& layout;
  double volume_element;  ///< of the grid, bohr^3
};

/// Re sum_ij conj(A_ij) B_ij: of Hermitian matrices Tr A B.
template <class S>
[[nodiscard]] double element_product(const Matrix<S>& a, const Matrix<S>& b) {
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i) sum += real_part(conjugate(a.data()[i]) * b.data()[i]);
  return sum;
}

/// C = A B or A^H B.
template <class S>
[[nodiscard]] Matrix<S> matrix_product(char op, const Matrix<S>& a, const Matrix<S>& b) {
  Matrix<S> c(op == 'N' ? a.rows() : a.columns(), b.columns());
  lapack::gemm<S>(op, 'N', c.rows(), c.columns(), b.rows(), S(1), a.data(), std::max<Index>(a.rows(), 1), b.data(),
                  std::max<Index>(b.rows(), 1), S(0), c.data(), std::max<Index>(c.rows(), 1));
  return c;
}

/// Members are collective over the k-point group unless they say "local".
template <class S>
class OrbitalBasis {
 public:
  /// The numerical orbitals of all atoms. The bands give plane waves
  /// and projectors.
  OrbitalBasis(const OrbitalSetting& setting, PlaneWaveBands<S>& bands);

  /// The functions, (rows, functions). Local.
  [[nodiscard]] BandView<const S> phi() const { return phi_.view(); }
  /// Adds factor * change (rows, functions) to them, whose boxes are the cell, and computes all that depends on them.
  void add(double factor, BandView<const S> change);
  /// Changes the functions, whose boxes are the cell, so that these orthonormal bands are sums of them; bands that
  /// are hardly sums of the present ones are left out.
  void contain(BandView<const S> bands);

  /// H in a potential at the points of the boxes, Ha, (functions, functions).
  [[nodiscard]] Matrix<S> hamiltonian(std::span<const double> potential);
  /// Its lowest states, or those of any Hermitian matrix; `definite` is false where functions depend on others.
  [[nodiscard]] SubspaceSolution<S> solve(Matrix<S> h, Index count) const;
  [[nodiscard]] SubspaceSolution<S> solve(std::span<const double> potential, Index count) {
    return solve(hamiltonian(potential), count);
  }
  /// sum K_ij u_i conj(u_j) of a Hermitian matrix in this rank's boxes, added to `values`.
  void add_density(const Matrix<S>& k, std::span<double> values) { boxes_->add_density(k, values); }

  /// What this rank has received of functions of others, with the time that it took. Local.
  [[nodiscard]] FunctionTraffic traffic() const { return boxes_->traffic(); }
  /// (functions, functions): overlaps; kinetic energies, and with the nonlocal potential, Ha. Local.
  [[nodiscard]] const Matrix<S>& overlaps() const { return s_; }
  [[nodiscard]] const Matrix<S>& kinetic() const { return t_; }
  [[nodiscard]] const Matrix<S>& fixed() const { return fixed_; }

 private:
  void place_orbitals();
  void set_fixed();
  void set_overlaps();
  [[nodiscard]] Matrix<S> kinetic_matrix() const;
  [[nodiscard]] Matrix<S> nonlocal_matrix();
  [[nodiscard]] GatheredOrbitals<S>& gathered();

  OrbitalSetting setting_;
  PlaneWaveBands<S>& bands_;  ///< plane waves and projectors
  Bands<S> phi_;
  Matrix<S> s_, t_, fixed_;
  std::unique_ptr<BoxOrbitals<S>> boxes_;
  std::unique_ptr<GatheredOrbitals<S>> gathered_;  ///< once functions have changed
};

extern template class OrbitalBasis<double>;
extern template class OrbitalBasis<std::complex<double>>;

}  // namespace wavegrid
