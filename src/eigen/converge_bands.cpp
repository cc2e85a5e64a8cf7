#include <algorithm>
#include <cmath>
#include <limits>

#include <wavegrid/eigen/converge_bands.hpp>
#include <wavegrid/eigen/missed_states.hpp>
#include <wavegrid/linalg/overlap.hpp>

namespace wavegrid {

namespace {

constexpr double missed_share = 1e-3;  ///< of the width; a missed state lies so far below the highest wanted band

/// The largest estimated error of the wanted bands.
template <class S>
double largest_error(BandOperator<S>& op, const EigenState<S>& state, Index wanted, std::optional<double> gap) {
  Bands<S> r(state.x.rows(), wanted);
  residuals<S>(state.view().slice(0, wanted), state.values.data(), r.view());
  const std::vector<double> squares = squared_norms<S>(op.product(), r.view());
  if (gap) return *std::max_element(squares.begin(), squares.end()) / *gap;
  double largest = 0;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double distance = state.values.back() - state.values[i], norm = std::sqrt(squares[i]);
    largest = std::max(largest, distance > norm ? squares[i] / distance : norm);
  }
  return largest;
}

/// The width of the spectrum of the bands.
double width_of(const std::vector<double>& values) {
  constexpr double least = 1e-3;  // of the largest value: bands that are all degenerate have no width
  const double largest = std::max(std::abs(values.front()), std::abs(values.back()));
  return std::max({values.back() - values.front(), least * largest, std::numeric_limits<double>::min()});
}

}  // namespace

template <class S>
Index with_guard_bands(Index wanted, const BandOperator<S>& op) {
  return std::clamp(wanted + std::max<Index>(4, wanted / 5), wanted, std::max(wanted, op.dimension() / 4));
}

template <class S>
ConvergedBands converge_bands(BandOperator<S>& op, EigenState<S>& state, BandSolver<S>& solver, Index wanted,
                              const BandTolerance& tolerance) {
  ConvergedBands bands{{}, 1.0, false};
  std::vector<double> occupations(static_cast<std::size_t>(state.x.count()), 0.0);
  std::fill_n(occupations.begin(), wanted, 1.0);
  for (int round = 0; round < tolerance.max_rounds && !bands.converged; ++round) {
    solver.improve(op, state);
    bands.rounds = round + 1;
    const double unit = tolerance.relative ? width_of(state.values) : op.energy_unit();
    const double accepted = tolerance.error * (tolerance.relative ? unit : 1.0);
    bands.error = largest_error(op, state, wanted, tolerance.gap);
    if (tolerance.may_change_method || !solver.residual_is_reliable())
      solver.update_convergence(bands.error, bands.error / accepted);
    if (bands.error > accepted || !solver.residual_is_reliable()) continue;
    bands.converged = recover_missed_states(op, state, occupations, accepted, missed_share * unit) == 0;
    if (!bands.converged) solver.restart();
  }
  bands.values.assign(state.values.begin(), state.values.begin() + wanted);
  return bands;
}

#define WAVEGRID_INSTANTIATE(S)                                                                      \
  template Index with_guard_bands<S>(Index, const BandOperator<S>&);                                 \
  template ConvergedBands converge_bands<S>(BandOperator<S>&, EigenState<S>&, BandSolver<S>&, Index, \
                                            const BandTolerance&);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
