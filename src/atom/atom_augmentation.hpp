// The augmentation of an ultrasoft dataset in the spherical atom: of Q_ij the part with L = 0 of equal l and m.
//
//   S = 1 + sum_ij |p_i> q_ij <p_j|,   D_ij = D0_ij + int r^2 V Q_ij^0 dr,   4 pi rho = sum_n f_n (R_n^2 + sum_ij c_ni
//   c_nj Q_ij^0)
//
// in fully relativistic datasets with the mean over spins of the projections onto j, (2j + 1) / (4l + 2) for equal j,
// as a factor of q, Q, D0 and rho_ij; and with c_ni = <p_i|R_n>. D. Vanderbilt, Phys. Rev. B 41, 7892
// (1990), 10.1103/PhysRevB.41.7892.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/atom/radial_basis.hpp>
#include <wavegrid/pseudo/augmented_dataset.hpp>

namespace wavegrid {

/// Of the projectors of one angular momentum, in a basis of it. An immutable value.
class AtomAugmentation {
 public:
  /// `projections`: <p_i|f_k> of the projectors of `l`, in the order of the dataset.
  AtomAugmentation(const AugmentedDataset& dataset, int l, const RadialGrid& grid,
                   std::vector<std::vector<double>> projections);

  /// Adds sum_ij |p_i> q_ij <p_j|.
  void add_overlap(Matrix<double>& s) const;
  /// Adds sum_ij |p_i> (int r^2 V Q_ij^0 dr) <p_j|; V[0] is not read.
  void add_couplings(const RadialValues& potential, Matrix<double>& h) const;
  /// Adds sum_ij |p_i> d_ij <p_j| of a symmetric matrix over the projectors of this l.
  void add_couplings(const Matrix<double>& d, Matrix<double>& h) const;
  /// c_i = <p_i|R> of the function with these coefficients in the basis.
  [[nodiscard]] std::vector<double> projections(std::span<const double> coefficients) const;
  /// Adds factor sum_ij c_i c_j Q_ij^0(r) of it.
  void add_density(std::span<const double> coefficients, double factor, RadialValues& density) const;

 private:
  struct Pair {
    std::size_t i, j;  ///< of this l
    RadialValues r2_q;
    double charge;  ///< int r^2 Q_ij^0 dr
  };
  /// Adds factor (|p_i><p_j| + |p_j><p_i|), or half of it for i = j.
  void add_pair(const Pair& pair, double factor, Matrix<double>& matrix) const;

  RadialValues r_;
  std::vector<std::vector<double>> projections_;
  std::vector<Pair> pairs_;
};

}  // namespace wavegrid
