// The local orbitals of one k-point: plane-wave coefficients, values in boxes, and matrices that a geometry fixes.
//
//   phi_i(G) = sum of atoms' functions,  S_ij, T_ij and (T + V_nl)_ij;  H_ij = (T + V_nl)_ij + V_ij
//
// T and V_nl are computed from coefficients; S, V and the density in boxes.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <wavegrid/atom/numerical_orbitals.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/subspace.hpp>
#include <wavegrid/orbitals/box_orbitals.hpp>
#include <wavegrid/orbitals/gathered_orbitals.hpp>
#include <wavegrid/planewaves/orbital_functions.hpp>
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

/// The lowest states of a Hermitian matrix with the overlaps `s`. Collective over the k-point group.
template <class S>
[[nodiscard]] SubspaceSolution<S> lowest_states(const OrbitalSetting& setting, Matrix<S> h, const Matrix<S>& s,
                                                Index count) {
  const auto solver = setting.problem.deterministic ? SubspaceSolver::one_rank : SubspaceSolver::by_size;
  return solve_subspace<S>(setting.groups.kpoint_group(), std::move(h), s, count, solver);
}

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

/// K_ij = sum_n w_n C_in conj(C_jn) over the columns with weights.
template <class S>
[[nodiscard]] Matrix<S> weighted_products(const Matrix<S>& c, std::span<const double> weights) {
  const Index count = std::ssize(weights);
  Matrix<S> scaled(c.rows(), count), sum(c.rows(), c.rows());
  for (Index n = 0; n < count; ++n)
    for (Index i = 0; i < c.rows(); ++i) scaled(i, n) = weights[static_cast<std::size_t>(n)] * c(i, n);
  lapack::gemm<S>('N', 'C', sum.rows(), sum.columns(), count, S(1), scaled.data(), scaled.rows(), c.data(), c.rows(),
                  S(0), sum.data(), sum.rows());
  return sum;
}

/// Members as OrbitalFunctions says.
template <class S>
class OrbitalBasis final : public OrbitalFunctions<S> {
 public:
  /// The numerical orbitals of all atoms. The bands give plane waves
  /// and projectors.
  OrbitalBasis(const OrbitalSetting& setting, PlaneWaveBands<S>& bands);

  [[nodiscard]] const Matrix<S>& overlaps() const override { return s_; }
  [[nodiscard]] const Matrix<S>& kinetic() const override { return t_; }
  [[nodiscard]] const Matrix<S>& fixed() const override { return fixed_; }

  [[nodiscard]] Matrix<S> hamiltonian(std::span<const double> potential) override;
  [[nodiscard]] SubspaceSolution<S> solve(Matrix<S> h, Index count) const override {
    return lowest_states<S>(setting_, std::move(h), s_, count);
  }
  void add_density(const Matrix<S>& k, std::span<double> values) override { boxes_->add_density(k, values); }
  void set_states(const Matrix<S>& c, BandView<S> x) override;

  /// Bands that are hardly sums of the present functions, whose boxes are the cell, are left out.
  void contain(BandView<const S> bands) override;
  /// `change`: (rows, functions); boxes are the cell.
  void add(double factor, BandView<const S> change) override;
  /// The potential is that of the bands' operator, too.
  double find_gradient(std::span<const double> potential, std::span<const double> occupations,
                       const OrbitalStates<S>& solution, Bands<S>& gradient) override;
  [[nodiscard]] Bands<S> preconditioned(const Bands<S>& gradient, const Matrix<S>& x, double kinetic) override;
  [[nodiscard]] double product(const Bands<S>& a, const Bands<S>& b) const override;

  /// The potential is that of the bands' operator.
  void add_forces(std::span<const double> occupations, const SubspaceSolution<S>& solution,
                  std::vector<double>& forces) override;
  [[nodiscard]] FunctionTraffic traffic() const override { return boxes_->traffic(); }

 private:
  /// The functions, (rows, functions).
  [[nodiscard]] BandView<const S> phi() const { return phi_.view(); }
  /// States, and (H - e_n) psi_n of each, (rows, states).
  struct Residuals {
    Bands<S> psi, r;
  };
  [[nodiscard]] Residuals residuals(Index count, const SubspaceSolution<S>& solution);
  /// sum_n f_n conj(C_in) r_n.
  [[nodiscard]] Matrix<S> weights(std::span<const double> occupations, Index count, const Matrix<S>& c) const;
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
