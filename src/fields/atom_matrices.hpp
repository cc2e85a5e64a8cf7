// Matrices over the projectors of each atom: couplings D, overlaps q, and rho_ij of the electrons.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// For each atom of the crystal a Hermitian matrix over its projectors, in the order of their channels, then of the
/// projectors of a channel, then of m. Real where bands are real.
using AtomMatrices = std::vector<Matrix<std::complex<double>>>;
/// Of a density, in the components of spin_fields.hpp, or of a potential, in its channels.
using SpinMatrices = std::vector<AtomMatrices>;

/// sum += factor * matrices, of the same sizes. Pure.
inline void add(double factor, const AtomMatrices& matrices, AtomMatrices& sum) {
  for (std::size_t a = 0; a < sum.size(); ++a)
    for (Index i = 0; i < sum[a].size(); ++i) sum[a].data()[i] += factor * matrices[a].data()[i];
}
inline void add(double factor, const SpinMatrices& matrices, SpinMatrices& sum) {
  for (std::size_t c = 0; c < sum.size(); ++c) add(factor, matrices[c], sum[c]);
}
/// Matrices of the same sizes that are 0. Pure.
[[nodiscard]] inline AtomMatrices zeros_like(const AtomMatrices& matrices) {
  AtomMatrices zeros;
  for (const auto& matrix : matrices) zeros.emplace_back(matrix.rows(), matrix.columns());
  return zeros;
}
[[nodiscard]] inline SpinMatrices zeros_like(const SpinMatrices& matrices) {
  SpinMatrices zeros;
  for (const AtomMatrices& one : matrices) zeros.push_back(zeros_like(one));
  return zeros;
}
/// sum_a sum_ij D_a,ij rho_a,ij of Hermitian matrices: real. Pure.
[[nodiscard]] inline double contraction(const AtomMatrices& d, const AtomMatrices& rho) {
  double sum = 0;
  for (std::size_t a = 0; a < d.size(); ++a)
    for (Index i = 0; i < d[a].size(); ++i) sum += (d[a].data()[i] * rho[a].data()[i]).real();
  return sum;
}
/// The sum over the channels of the contractions with those of the components of a density. Pure.
[[nodiscard]] inline double contraction(const SpinMatrices& channels, const SpinMatrices& components) {
  if (channels.empty()) return 0;
  if (channels.size() == 1) return contraction(channels[0], components[0]);
  if (channels.size() == 4) {  // n and m
    double sum = 0;
    for (std::size_t c = 0; c < 4; ++c) sum += contraction(channels[c], components[c]);
    return sum;
  }
  return 0.5 * (contraction(channels[0], components[0]) + contraction(channels[1], components[0]) +
                contraction(channels[0], components[1]) - contraction(channels[1], components[1]));
}

/// All elements one after the other, as real and imaginary parts. Pure.
[[nodiscard]] inline std::vector<double> numbers_of(const AtomMatrices& matrices) {
  std::vector<double> numbers;
  for (const auto& matrix : matrices)
    for (Index i = 0; i < matrix.size(); ++i)
      numbers.insert(numbers.end(), {matrix.data()[i].real(), matrix.data()[i].imag()});
  return numbers;
}
/// The reverse, into matrices of the same sizes.
inline void set_numbers(std::span<const double> numbers, AtomMatrices& matrices) {
  std::size_t at = 0;
  for (auto& matrix : matrices)
    for (auto& element : matrix.elements()) {
      element = {numbers[at], numbers[at + 1]};
      at += 2;
    }
}

}  // namespace wavegrid
