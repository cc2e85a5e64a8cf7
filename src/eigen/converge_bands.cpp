#include "eigen/converge_bands.hpp"

#include <algorithm>

#include "eigen/missed_states.hpp"
#include "linalg/overlap.hpp"

namespace wavegrid {

namespace {

constexpr double tolerance = 1e-9;  ///< Ha
constexpr double gap = 0.1;         ///< Ha
constexpr int max_rounds = 200;

/// Largest |R|^2 / gap of the wanted bands.
template <class S>
double largest_error(BandOperator<S>& op, const EigenState<S>& state, Index wanted) {
  Bands<S> r(state.x.rows(), wanted);
  residuals<S>(state.view().slice(0, wanted), state.values.data(), r.view());
  const std::vector<double> norms = squared_norms<S>(op.product(), r.view());
  return *std::max_element(norms.begin(), norms.end()) / gap;
}

}  // namespace

template <class S>
Index with_guard_bands(Index wanted, const BandOperator<S>& op) {
  return std::clamp(wanted + std::max<Index>(4, wanted / 5), wanted, std::max(wanted, op.dimension() / 4));
}

template <class S>
ConvergedBands converge_bands(BandOperator<S>& op, EigenState<S>& state, BandSolver<S>& solver, Index wanted) {
  ConvergedBands bands{{}, 1.0, false};
  std::vector<double> occupations(static_cast<std::size_t>(state.x.count()), 0.0);
  std::fill_n(occupations.begin(), wanted, 1.0);
  for (int round = 0; round < max_rounds && !bands.converged; ++round) {
    solver.improve(op, state);
    bands.error = largest_error(op, state, wanted);
    if (bands.error > tolerance) continue;
    bands.converged = recover_missed_states(op, state, occupations, tolerance) == 0;
    if (!bands.converged) solver.restart();
  }
  bands.values.assign(state.values.begin(), state.values.begin() + wanted);
  return bands;
}

#define WAVEGRID_INSTANTIATE(S)                                      \
  template Index with_guard_bands<S>(Index, const BandOperator<S>&); \
  template ConvergedBands converge_bands<S>(BandOperator<S>&, EigenState<S>&, BandSolver<S>&, Index);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
