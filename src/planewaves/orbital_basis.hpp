// The local orbitals of one k-point: plane-wave coefficients, values in boxes, and matrices that a geometry fixes.
//
//   phi_i(G) = sum of atoms' functions,  S_ij, T_ij and (T + V_nl)_ij;  H_ij = (T + V_nl)_ij + V_ij
//
// T and V_nl are computed from coefficients, and lack negligible blocks; S, V and the density in boxes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <wavegrid/atom/numerical_orbitals.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/subspace.hpp>
#include <wavegrid/orbitals/box_orbitals.hpp>
#include <wavegrid/orbitals/gathered_orbitals.hpp>
#include <wavegrid/orbitals/orbital_matrices.hpp>
#include <wavegrid/planewaves/orbital_functions.hpp>
#include <wavegrid/planewaves/plane_wave_bands.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// What the bases of all k-points share. References must outlive them.
struct OrbitalSetting {
  const Problem& problem;
  const Crystal& crystal;  ///< with the atoms in the order of the layout
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

/// C = A B or A^H B.
template <class S>
[[nodiscard]] Matrix<S> matrix_product(char op, const Matrix<S>& a, const Matrix<S>& b) {
  Matrix<S> c(op == 'N' ? a.rows() : a.columns(), b.columns());
  lapack::gemm<S>(op, 'N', c.rows(), c.columns(), b.rows(), S(1), a.data(), std::max<Index>(a.rows(), 1), b.data(),
                  std::max<Index>(b.rows(), 1), S(0), c.data(), std::max<Index>(c.rows(), 1));
  return c;
}

/// Members as OrbitalFunctions says.
template <class S>
class OrbitalBasis final : public OrbitalFunctions<S> {
 public:
  /// The numerical orbitals of all atoms. The bands give plane waves and projectors.
  OrbitalBasis(const OrbitalSetting& setting, PlaneWaveBands<S>& bands);

  [[nodiscard]] const BlockSparse<S>& overlaps() const override { return *s_; }
  [[nodiscard]] const BlockSparse<S>& kinetic() const override { return *t_; }
  [[nodiscard]] const BlockSparse<S>& fixed() const override { return *fixed_; }

  [[nodiscard]] BlockSparse<S> hamiltonian(std::span<const double> potential) override;
  [[nodiscard]] SubspaceSolution<S> solve(const BlockSparse<S>& h, Index count) const override {
    return lowest_states<S>(setting_, whole_matrix(h), whole_matrix(*s_), count);
  }
  [[nodiscard]] BlockSparse<S> density_matrix(const Matrix<S>& c, std::span<const double> weights) const override {
    return weighted_blocks<S>(setting_.groups.kpoint_group(), setting_.layout, fixed_->pattern().united(s_->pattern()),
                              c, weights);
  }
  void add_density(const BlockSparse<S>& k, std::span<double> values) override { boxes_->add_density(k, values); }
  void set_states(const Matrix<S>& c, BandView<S> x) override;

  /// Bands that are hardly sums of the present functions, whose boxes are the cell, are left out.
  void contain(BandView<const S> bands) override;
  /// `change`: (rows, functions); boxes are the cell.
  void add(double factor, BandView<const S> change) override;
  /// The potential is that of the bands' operator, too.
  double find_gradient(std::span<const double> potential, std::span<const double> occupations,
                       const OrbitalStates<S>& solution, Bands<S>& gradient) override;
  [[nodiscard]] Bands<S> preconditioned(const Bands<S>& gradient, const BlockSparse<S>& x, double kinetic) override;
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
  /// The blocks of a matrix that are not negligible.
  [[nodiscard]] BlockSparse<S> blocks(const MatrixColumns<S>& columns) const;
  /// Those of this rank's atoms. Local.
  [[nodiscard]] Range my_functions() const;
  [[nodiscard]] Matrix<S> kinetic_columns(Range functions) const;
  /// In the rows of this rank, whose projections are `p`.
  [[nodiscard]] Matrix<S> nonlocal_columns(const Matrix<S>& p, Range functions);
  /// (projectors, functions)
  [[nodiscard]] Matrix<S> projections(Range functions);
  [[nodiscard]] Matrix<S> my_projections();
  [[nodiscard]] GatheredOrbitals<S>& gathered();

  OrbitalSetting setting_;
  PlaneWaveBands<S>& bands_;  ///< plane waves and projectors
  Bands<S> phi_;
  std::optional<BlockSparse<S>> s_, t_, fixed_;
  std::unique_ptr<BoxOrbitals<S>> boxes_;
  std::unique_ptr<GatheredOrbitals<S>> gathered_;  ///< once functions have changed
};

extern template class OrbitalBasis<double>;
extern template class OrbitalBasis<std::complex<double>>;

}  // namespace wavegrid
