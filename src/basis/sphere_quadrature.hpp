// Quadrature over the unit sphere, and integrals of three spherical harmonics.
#pragma once

#include <cstddef>
#include <vector>

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/basis/real_harmonics.hpp>

namespace wavegrid {

/// int f dOmega = sum_i weight[i] f(direction[i]), exact for products of harmonics whose l add up to `degree`: Gauss
/// and Legendre along z times equal angles around it. An immutable value.
class SphereQuadrature {
 public:
  explicit SphereQuadrature(int degree);

  [[nodiscard]] std::size_t size() const { return weights_.size(); }
  [[nodiscard]] const Vec3& direction(std::size_t i) const { return directions_[i]; }
  [[nodiscard]] double weight(std::size_t i) const { return weights_[i]; }  ///< their sum is 4 pi

 private:
  std::vector<Vec3> directions_;
  std::vector<double> weights_;
};

/// Gaunt coefficients of real harmonics: int Y_LM Y_lm Y_l'm' dOmega for l, l' up to l_max and L up to 2 l_max. An
/// immutable value.
class GauntTable {
 public:
  explicit GauntTable(int l_max);

  /// `lm`, `lm2` and `big` are harmonic_index() of (l, m), (l', m') and (L, M).
  [[nodiscard]] double operator()(std::size_t big, std::size_t lm, std::size_t lm2) const {
    return values_[(lm * size_ + lm2) * big_size_ + big];
  }
  [[nodiscard]] int l_max() const { return l_max_; }

 private:
  int l_max_;
  std::size_t size_, big_size_;
  std::vector<double> values_;
};

}  // namespace wavegrid
