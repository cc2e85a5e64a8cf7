// Couplings between the projectors of an atom: the one place where projections of bands are multiplied.
//
//   V_nl = sum_a sum_ij |p_ai> D_a,ij <p_aj|,   S = 1 + sum_a sum_ij |p_ai> q_a,ij <p_aj|
//
// D of a norm-conserving pseudopotential is diagonal in projectors chosen for that (channel_couplings.hpp), and costs a
// product per projection. Derivatives of the energy of bands n with occupations f_n and eigenvalues e_n, at fixed
// overlaps <psi|S|psi> = 1, are those of sum_n f_n <psi_n|p> (D - e_n q) <p|psi_n>.
// D. Vanderbilt, Phys. Rev. B 41, 7892 (1990), 10.1103/PhysRevB.41.7892, Eqs. (11) and (14).
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/index.hpp>
#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// Projections <p|psi> in any order of memory; T is a scalar of bands. Where `conjugated` they are <psi|p>. Those of
/// spinor bands have two components: <p|psi_up> and <p|psi_down>.
template <class T>
struct ProjectionsView {
  T* data;
  Index bands;
  Index projector_stride, band_stride;
  bool conjugated = false;
  int components = 1;
  Index component_stride = 0;

  operator ProjectionsView<const T>() const {
    return {data, bands, projector_stride, band_stride, conjugated, components, component_stride};
  }
  [[nodiscard]] T& operator()(Index projector, Index band, int component = 0) const {
    return data[component * component_stride + projector * projector_stride + band * band_stride];
  }
};
/// Those in a matrix (projectors, bands), whose rows are all projectors of each component in turn.
template <class S>
[[nodiscard]] ProjectionsView<S> projections_in(Matrix<S>& c, int components = 1) {
  return {c.data(), c.columns(), 1, c.rows(), false, components, c.rows() / components};
}

/// A Hermitian matrix over all projectors that couples those of the same atom only. The matrix of an atom with n
/// projectors is n x n, the same for each component of spinor bands, or 2n x 2n: [D_uu D_ud; D_du D_dd].
class Couplings {
 public:
  /// None: no projectors.
  Couplings() = default;
  /// One strength for each projector.
  explicit Couplings(std::vector<double> strengths) : strengths_(std::move(strengths)) {}
  /// Matrices of the atoms, whose projectors are `atom_projectors`. Throws an internal error where sizes differ.
  Couplings(const AtomMatrices& matrices, std::span<const Range> atom_projectors);

  [[nodiscard]] Index num_projectors() const;
  [[nodiscard]] bool is_diagonal() const { return blocks_.empty(); }
  /// Whether all elements are real.
  [[nodiscard]] bool is_real() const { return is_real_; }

  /// c = D c. Local.
  template <class T>
  void multiply(const ProjectionsView<T>& c) const;
  /// values[band] += <c|D|c>. Local.
  template <class T>
  void add_expectations(const ProjectionsView<const T>& c, std::span<double> values) const;

 private:
  friend struct BandCouplings;
  struct Block {
    Range projectors;
    Matrix<std::complex<double>> elements;
  };

  std::vector<double> strengths_;
  std::vector<Block> blocks_;  ///< empty: diagonal
  bool is_real_ = true;
};

/// Couplings for projections of scalar S. Throws bad_input for complex ones where bands are real.
template <class S>
[[nodiscard]] Couplings couplings_for(const AtomMatrices& matrices, std::span<const Range> atom_projectors) {
  Couplings couplings(matrices, atom_projectors);
  if (ScalarTraits<S>::is_real && !couplings.is_real())
    throw bad_input("complex couplings of projectors need complex bands; use a k-point or mode = 'complex'");
  return couplings;
}

/// What derivatives of the energy of bands need: f_n (D - e_n q). Refers to the couplings and arrays.
struct BandCouplings {
  const Couplings& d;                     ///< Ha
  const Couplings* q;                     ///< null: S is the unit matrix
  std::span<const double> occupations;    ///< electrons, weights of k-points included
  std::span<const double> eigenvalues{};  ///< Ha; used only where there are overlaps

  /// Those of `count` bands from `first` on.
  [[nodiscard]] BandCouplings slice(Index first, Index count) const;
  [[nodiscard]] bool is_real() const { return d.is_real() && (!q || q->is_real()); }
  /// c_n = f_n (D - e_n q) c_n. Local.
  template <class T>
  void multiply(const ProjectionsView<T>& c) const;
  /// sum_n f_n <c_n|D - e_n q|c_n>, Ha. Local.
  template <class T>
  [[nodiscard]] double energy(const ProjectionsView<const T>& c) const;
};

}  // namespace wavegrid
