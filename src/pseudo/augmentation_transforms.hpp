// The augmentation functions of a dataset in reciprocal space.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <wavegrid/basis/radial_transform.hpp>
#include <wavegrid/pseudo/augmented_dataset.hpp>

namespace wavegrid {

/// Radial functions f_k(g) of which all Q_ij^L(g) are multiples: one for each L where the dataset has shape functions,
/// otherwise one for each pair of projectors and L. So a density matrix is first contracted to a coefficient for each
/// function and M, and the cost at each G-vector does not grow with pairs of projectors:
///
///   n^(G) = 1/Omega sum_k f_k(|G|) (-i)^L sum_M Y_LM(G) exp(-iG.tau) c_kM,
///   c_kM  = sum of factor(n) G(LM, l_i m_i, l_j m_j) rho_ij over the functions n of the dataset with index(n) = k.
///
/// An immutable value.
class AugmentationTransforms {
 public:
  explicit AugmentationTransforms(const AugmentedDataset& dataset);

  [[nodiscard]] std::size_t size() const { return transforms_.size(); }
  [[nodiscard]] int l(std::size_t k) const { return transforms_[k]->l(); }
  /// 4 pi int r^2 j_L(g r) f_k(r) dr and its derivative, at g >= 0 in 1/bohr; for small g the value is
  /// 4 pi g^L / (2L + 1)!! times the moment.
  [[nodiscard]] double operator()(std::size_t k, double g) const { return (*transforms_[k])(g); }
  [[nodiscard]] double derivative(std::size_t k, double g) const { return transforms_[k]->derivative(g); }

  /// Of function n of AugmentedDataset::augmentation: Q_ij^L = factor(n) f_index(n).
  [[nodiscard]] std::size_t index(std::size_t n) const { return index_[n]; }
  [[nodiscard]] double factor(std::size_t n) const { return factor_[n]; }

 private:
  std::vector<std::unique_ptr<RadialTransform>> transforms_;
  std::vector<std::size_t> index_;
  std::vector<double> factor_;
};

}  // namespace wavegrid
