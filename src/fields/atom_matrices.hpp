// Matrices over the projectors of each atom: couplings D, overlaps q, and rho_ij of the electrons.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// For each atom of the crystal a Hermitian matrix over its projectors, in the order of their channels, then of the
/// projectors of a channel, then of m. Real where bands are real.
using AtomMatrices = std::vector<Matrix<std::complex<double>>>;

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
