// Copies of bands for the users of a session, of any precision.
#pragma once

#include <complex>
#include <utility>
#include <vector>

#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/calculation/solved_state.hpp>
#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// (bands, rows) as complex numbers: plane waves, or values at points.
template <class D, class T>
[[nodiscard]] std::vector<std::complex<double>> complex_coefficients(BandView<const T> bands) {
  if constexpr (D::has_complex_rows) {
    const auto* const first = coefficients(bands);
    return {first, first + bands.count * bands.rows / rows_per_wave<T>};
  } else {
    return {bands.data, bands.data + bands.count * bands.rows};
  }
}

/// What belongs to the rows of a component, for the rows of all.
template <class T>
[[nodiscard]] std::vector<T> for_components(std::vector<T> rows, int components) {
  const std::size_t size = rows.size();
  for (int component = 1; component < components; ++component)
    for (std::size_t i = 0; i < size; ++i) rows.push_back(rows[i]);
  return rows;
}

/// `occupations`: of all states of the problem. Local.
template <class D, class T>
[[nodiscard]] std::vector<SolvedBands> copied_bands(const D& discretisation, const Problem& problem,
                                                    const BandSets<D, T>& sets,
                                                    const std::vector<double>& occupations) {
  const StateTable table{static_cast<Index>(problem.kpoints.size()), problem.spins, problem.bands};
  std::vector<SolvedBands> all;
  for (const auto& one : sets) {
    const bool has_bands = one->state.x.count() > 0;  // purification has none where nothing needs them
    const auto first = occupations.begin() + table.first(one->k, one->spin);
    all.push_back({one->k, one->spin, problem.kpoints[static_cast<std::size_t>(one->k)].k,
                   has_bands ? one->state.values : std::vector<double>{},
                   std::vector<double>(first, first + (has_bands ? problem.bands : 0)),
                   for_components(discretisation.template row_indices<T>(*one), problem.components()),
                   for_components(discretisation.template row_weights<T>(*one), problem.components()),
                   complex_coefficients<D, T>(std::as_const(one->state.x).view())});
  }
  return all;
}

}  // namespace wavegrid
