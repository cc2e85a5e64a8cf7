// The augmentation functions of a species in reciprocal space, contracted with matrices over its projectors.
//
//   n_LM(q) = sum_ij rho_ij G(LM, l_i m_i, l_j m_j) Q_ij^L(q) = sum_k n_kM u_k(q)
//   Q_ij^L(q) = 4 pi int r^2 j_L(qr) Q_ij^L(r) dr = sum_k c_ij,k u_k(q)
//
// with Gaunt coefficients G and the radial functions u_k of each L, orthonormal on nodes of q, that span its Q_ij^L:
// one for each L where these differ by factors alone, as compensation charges of one shape do.
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

/// A radial function of a table.
struct RadialShape {
  int l;
  std::size_t first;  ///< its place among the moments: those of M = -L to L from here on
  double share;       ///< its largest coefficient in a Q_ij^L, relative to that of all shapes of this L
};

/// An immutable value. The moments n_kM are ordered by parity of L, even L first, then by L, k and M.
class AugmentationTable {
 public:
  /// For q up to `largest_q`, 1/bohr.
  AugmentationTable(const AugmentedDataset& dataset, double largest_q);

  [[nodiscard]] int largest_l() const { return pairs_.largest_l(); }  ///< L
  [[nodiscard]] double extent() const { return extent_; }             ///< of the functions, bohr
  [[nodiscard]] const std::vector<RadialShape>& shapes() const { return shapes_; }
  [[nodiscard]] std::size_t num_moments() const { return num_moments_; }
  [[nodiscard]] std::size_t num_even_moments() const { return num_even_moments_; }

  /// Values u_k(q) of all shapes, and du_k/dq unless `slopes` is empty. Local.
  void evaluate(double q, std::span<double> values, std::span<double> slopes) const;
  /// n_kM of a Hermitian matrix. Local.
  [[nodiscard]] std::vector<double> moments(const Matrix<std::complex<double>>& rho) const;
  /// The adjoint: adds the symmetric matrix of derivatives by rho_ij from those by n_kM. Local.
  void add_matrix(std::span<const double> derivatives, Matrix<std::complex<double>>& d) const;

 private:
  /// Of functions with the weights of the radii, for all pairs: values at the nodes.
  [[nodiscard]] std::vector<std::vector<double>> transform(const std::vector<std::vector<double>>& functions,
                                                           const std::vector<double>& radii) const;
  /// action(moment of a pair, coefficient, moment) for all terms of the expansions.
  template <class Action>
  void for_terms(Action action) const;
  void set_shapes(const std::vector<std::vector<double>>& values);

  /// Q of a pair as a sum of shapes of its L, from `first_shape` on.
  struct Expansion {
    std::size_t first_shape;
    std::vector<double> coefficients;
  };

  RadialNodes nodes_;
  PairMoments pairs_;
  std::vector<RadialShape> shapes_;
  std::vector<Expansion> expansions_;  ///< of each pair
  std::vector<double> values_;         ///< u_k at the nodes, [node][k]
  std::size_t num_moments_ = 0, num_even_moments_ = 0;
  double extent_ = 0;
};

}  // namespace wavegrid
