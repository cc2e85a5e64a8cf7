// Matrices over the projectors of an atom as densities with angular parts Y_LM.
//
//   sum_ij rho_ij f_i Y_i f_j Y_j = sum_p sum_M n_pM F_p(r) Y_LM,   n_pM = sum G(LM, l_i m_i, l_j m_j) rho_(i m_i)(j
//   m_j)
//
// for the pairs p = (i, j, L) of radial functions i <= j, each with a radial function F_p. G are Gaunt coefficients.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include <wavegrid/basis/sphere_quadrature.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/pseudo/augmented_dataset.hpp>

namespace wavegrid {

/// Radial projectors i <= j of a dataset and an L of the parity of l_i + l_j between |l_i - l_j| and l_i + l_j.
struct RadialPair {
  std::size_t i, j;
  int l;  ///< L
};

/// All pairs of a dataset, by i, then j, then L. Pure.
[[nodiscard]] std::vector<RadialPair> radial_pairs(const AugmentedDataset& dataset);

/// An immutable value.
class PairMoments {
 public:
  PairMoments() = default;
  PairMoments(const AugmentedDataset& dataset, const std::vector<RadialPair>& pairs);

  [[nodiscard]] std::size_t num_pairs() const { return pairs_.size(); }
  /// The number of n_pM; those of a pair are 2 L + 1 from first() on, M = -L first.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t first(std::size_t pair) const { return pairs_[pair].first; }
  [[nodiscard]] int l(std::size_t pair) const { return pairs_[pair].l; }
  [[nodiscard]] int largest_l() const { return largest_l_; }

  /// n_pM of a Hermitian matrix. Pure.
  [[nodiscard]] std::vector<double> of(const Matrix<std::complex<double>>& rho) const;
  /// Adds the symmetric matrix of derivatives by rho_ij from those by n_pM. Pure.
  void add_matrix(std::span<const double> derivatives, Matrix<std::complex<double>>& d) const;

 private:
  /// A Gaunt coefficient that is not 0; m are counted from -l.
  struct GauntTerm {
    int m1, m2, m;
    double value;
  };
  struct Pair {
    Index first_row, first_column;  ///< of its two projectors, with m = -l
    bool diagonal;                  ///< i = j
    int l;
    std::size_t first;
    std::vector<GauntTerm> terms;
  };
  [[nodiscard]] static std::vector<GauntTerm> gaunt_terms(const GauntTable& table, int l1, int l2, int l);

  std::vector<Pair> pairs_;
  std::size_t size_ = 0;
  int largest_l_ = 0;
};

}  // namespace wavegrid
