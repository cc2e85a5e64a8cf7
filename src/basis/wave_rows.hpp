// Plane waves as rows of bands: two real rows per wave at Gamma, one complex row elsewhere, and their inner product.
#pragma once

#include <memory>

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/inner_product.hpp>

namespace wavegrid {

/// Rows of a band for each plane wave.
template <class S>
inline constexpr int rows_per_wave = ScalarTraits<S>::is_real ? 2 : 1;

/// The same memory as complex plane-wave coefficients.
template <class S>
[[nodiscard]] ComplexOf<S>* coefficients(const BandView<S>& view) {
  return reinterpret_cast<ComplexOf<S>*>(view.data);
}
template <class S>
[[nodiscard]] const ComplexOf<S>* coefficients(const BandView<const S>& view) {
  return reinterpret_cast<const ComplexOf<S>*>(view.data);
}

/// The inner product of bands on `waves`, the plane waves of this rank; those of all ranks of `comm` form the basis.
/// Real rows of the half sphere (Mode::gamma) have weight 2, except for G = 0, which has no partner -G and weight 1
/// (docs/conventions.md). `blocks`: of rows, for sums that do not depend on the number of ranks. Local.
[[nodiscard]] inline InnerProduct wave_product(const Comm& comm, const PlaneWaves& waves,
                                               std::shared_ptr<const RowBlocks> blocks = nullptr) {
  if (waves.mode() != Mode::gamma) return {.comm = comm, .blocks = std::move(blocks)};
  const Index single = waves.zero() < 0 ? -1 : waves.zero() * rows_per_wave<double>;
  return {.comm = comm, .weight = 2, .single_row = single, .blocks = std::move(blocks)};
}

}  // namespace wavegrid
