// The augmentation functions of a species in reciprocal space, contracted with matrices over its projectors.
//
//   n_LM(q) = sum_ij rho_ij G(LM, l_i m_i, l_j m_j) Q_ij^L(q),   Q_ij^L(q) = 4 pi int r^2 j_L(qr) Q_ij^L(r) dr
//
// with Gaunt coefficients G. What depends on m is contracted first, so that the radial functions, tabulated at nodes of
// q, are used once for each pair of radial projectors, and what follows does not depend on the number of projectors.
#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

#include <wavegrid/pseudo/pair_moments.hpp>

namespace wavegrid {

/// Values at any q from those at uniform nodes by the polynomials through ten nodes.
struct RadialNodes {
  static constexpr std::size_t stencil = 10;

  /// f(q) = sum_k weight[k] f[first + k]; `slope`: the same for df/dq.
  struct At {
    std::size_t first;
    std::array<double, stencil> weight, slope;
  };

  double spacing = 0;     ///< 1/bohr
  std::size_t count = 0;  ///< node n is at (n - 4) spacing: functions are continued to negative q by their parity

  [[nodiscard]] static RadialNodes up_to(double largest_q, double spacing);
  [[nodiscard]] double q(std::size_t node) const { return (static_cast<double>(node) - 4.0) * spacing; }
  [[nodiscard]] At at(double q) const;
};

/// An immutable value. Multipoles are stored as [node][LM], LM = L^2 + L + M.
class AugmentationTable {
 public:
  /// For q up to `largest_q`, 1/bohr.
  AugmentationTable(const AugmentedDataset& dataset, double largest_q);

  [[nodiscard]] const RadialNodes& nodes() const { return nodes_; }
  [[nodiscard]] int largest_l() const { return pairs_.largest_l(); }  ///< L
  [[nodiscard]] std::size_t num_harmonics() const { return wavegrid::num_harmonics(largest_l()); }

  /// n_LM at the nodes for a Hermitian matrix. Local.
  [[nodiscard]] std::vector<double> multipoles(const Matrix<std::complex<double>>& rho) const;
  /// The adjoint in two steps: sums over the nodes for each radial pair and LM, which may be added over ranks, and the
  /// symmetric matrix sum_LM G A_LM,ij from these. Local.
  [[nodiscard]] std::size_t num_moments() const { return pairs_.size(); }
  void add_moments(std::span<const double> multipoles, std::span<double> moments) const;
  void add_matrix(std::span<const double> moments, Matrix<std::complex<double>>& d) const {
    pairs_.add_matrix(moments, d);
  }

 private:
  /// Of functions with the weights of the radii, for all pairs.
  void transform(const std::vector<std::vector<double>>& functions, const std::vector<double>& radii);

  RadialNodes nodes_;
  PairMoments pairs_;
  std::vector<std::vector<double>> values_;  ///< Q_ij^L at the nodes, of each pair
};

}  // namespace wavegrid
