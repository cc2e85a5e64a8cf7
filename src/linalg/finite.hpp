// Whether numbers are finite.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// True if none of `count` numbers is NaN or infinite, in whichever part. Reads the bits, in vectors: compilers may
/// assume of numbers that they are finite. Pure.
template <class S>
[[nodiscard]] bool all_finite(const S* values, Index count) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000u;
  const auto* const parts = reinterpret_cast<const double*>(values);
  std::uint64_t found = 0;
  for (Index i = 0; i < count * static_cast<Index>(sizeof(S) / sizeof(double)); ++i)
    found |= (std::bit_cast<std::uint64_t>(parts[i]) & exponent) == exponent ? 1u : 0u;
  return found == 0;
}

/// Throws internal_error if the upper triangle of a matrix (n, n) in columns `lda` apart has another element: LAPACK
/// would stop with a number that does not say so. Local.
template <class S>
void require_finite_upper(Index n, const S* a, Index lda) {
  for (Index j = 0; j < n; ++j)
    if (!all_finite(a + j * lda, j + 1))
      throw internal_error("eigenvalues of a matrix with an element that is not finite (NaN or infinite), in column " +
                           std::to_string(j) + " of " + std::to_string(n));
}

}  // namespace wavegrid
