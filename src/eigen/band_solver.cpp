#include <algorithm>

#include <wavegrid/eigen/band_solver.hpp>
#include <wavegrid/eigen/rmm_diis.hpp>

namespace wavegrid {

namespace {

constexpr int rmm_steps = 2;        ///< residual minimisations per round
constexpr int davidson_blocks = 2;  ///< per round, except for the first one
/// Above so many bands RMM-DIIS starts with one LOBPCG step, not with two: the second step, in a space of three times
/// the bands, takes longer than the round that it saves (for 217 bands of Al108 both take the same time).
constexpr Index many_bands = 500;
constexpr double near_end = 10;         ///< errors, in units of the tolerance: from here on LOBPCG,
constexpr double next_near_end = 5;     ///< where the next round of RMM-DIIS would end below,
constexpr double best_fall = 1.0 / 30;  ///< to which it would fall at most,
constexpr double close = 1000;          ///< and here, if the first round ends below

/// Whether the residuals after each round of the method bound the error of the energy.
bool bounds_error(Eigensolver kind) { return kind == Eigensolver::lobpcg || kind == Eigensolver::chebyshev; }

/// Filters in a row that may not halve the error of the bands before LOBPCG takes over. A change of the potential can
/// undo what a filter has gained, often so near the end. With many bands the space of LOBPCG takes longer than the
/// filters.
int filters_before(double distance, Index bands) {
  constexpr Index few_bands = 64;
  return distance < close || bands >= few_bands ? 3 : 1;
}

}  // namespace

const char* to_string(Eigensolver kind) {
  switch (kind) {
    case Eigensolver::rmm_diis:
      return "rmm-diis";
    case Eigensolver::lobpcg:
      return "lobpcg";
    case Eigensolver::davidson:
      return "davidson";
    case Eigensolver::chebyshev:
      return "chebyshev";
  }
  return "unknown";
}

template <class S>
typename BandSolver<S>::Bytes BandSolver<S>::bytes(Eigensolver kind, Index rows, Index bands, Index sets,
                                                   int polynomial_arrays, bool with_overlap) {
  const auto all = static_cast<double>(sets);
  const double arrays = with_overlap ? 1.5 : 1.0;  // X, H X, S X for X, H X
  // All methods may finish by LOBPCG; before that, they free their own arrays.
  Bytes most{arrays * (all * Lobpcg<S>::bytes(rows, bands) + Lobpcg<S>::work_bytes(rows, bands)),
             Lobpcg<S>::step_bytes(rows, bands)};
  const auto take = [&](double own, double matrices) {
    most.arrays = std::max(most.arrays, own);
    most.matrices = std::max(most.matrices, matrices);
  };
  if (kind == Eigensolver::rmm_diis) take(arrays * rmm_diis_bytes<S>(rows, bands, rmm_steps), 0);
  if (kind == Eigensolver::chebyshev) {
    constexpr int inverse_overlap = 4;  // arrays of solve_overlap
    const int others_of_block = with_overlap ? 1 + std::max(polynomial_arrays, inverse_overlap) : polynomial_arrays;
    const double filter = (2 + others_of_block) * Chebyshev<S>::block_bytes(rows, bands);
    const double others = most.arrays;
    take(arrays * all * Chebyshev<S>::bytes(rows, bands) + filter, Chebyshev<S>::round_bytes(bands));
    most.filter = std::min(filter, most.arrays - others);
  }
  if (kind == Eigensolver::davidson)
    take(arrays * all * Davidson<S>::bytes(rows, bands, Davidson<S>::max_blocks),
         Davidson<S>::round_bytes(rows, bands, Davidson<S>::max_blocks));
  most.arrays += arrays * all * 2 * Bands<S>::bytes(rows, bands);
  return most;
}

template <class S>
void BandSolver<S>::improve(BandOperator<S>& op, EigenState<S>& state) {
  const auto guard = op.time(Phase::linear_algebra);
  const bool first = rounds_++ == 0;
  bands_ = state.x.count();
  reliable_ = finishing_ || bounds_error(kind_) || (first && kind_ == Eigensolver::rmm_diis);
  if (finishing_)
    finish(op, state);
  else if (first)
    start(op, state);
  else
    go_on(op, state);
}

template <class S>
void BandSolver<S>::start(BandOperator<S>& op, EigenState<S>& state) {
  switch (kind_) {
    case Eigensolver::lobpcg:
    case Eigensolver::rmm_diis:
      lobpcg_.step(op, state, {}, bounds_);
      if (kind_ == Eigensolver::lobpcg || state.x.count() <= many_bands) lobpcg_.step(op, state, {}, bounds_);
      return;
    case Eigensolver::davidson:
      return davidson_.round(op, state, Davidson<S>::max_blocks, bounds_);
    case Eigensolver::chebyshev:
      return chebyshev_.round(op, state, bounds_);
  }
}

template <class S>
void BandSolver<S>::go_on(BandOperator<S>& op, EigenState<S>& state) {
  switch (kind_) {
    case Eigensolver::lobpcg:
      return lobpcg_.step(op, state, {}, bounds_);
    case Eigensolver::rmm_diis:
      lobpcg_.restart();
      return rmm_diis(op, state, rmm_steps, bounds_);
    case Eigensolver::davidson:
      lobpcg_.restart();  // after finish(), which a later round may follow
      return davidson_.round(op, state, davidson_blocks, bounds_);
    case Eigensolver::chebyshev:
      lobpcg_.restart();
      return chebyshev_.round(op, state, bounds_);
  }
}

template <class S>
void BandSolver<S>::finish(BandOperator<S>& op, EigenState<S>& state) {
  davidson_.restart();
  chebyshev_.restart();
  lobpcg_.step(op, state, {}, bounds_);
}

template <class S>
void BandSolver<S>::potential_changed(BandOperator<S>& op, EigenState<S>& state, std::span<const RealOf<S>> change) {
  if (kind_ == Eigensolver::chebyshev && !finishing_)
    chebyshev_.potential_changed(op, state, change);
  else
    op.apply_change(change, state.x.view(), state.hx.view());
  if (kind_ == Eigensolver::lobpcg || finishing_)
    lobpcg_.potential_changed(op, change);
  else
    lobpcg_.restart();  // HP and SP belong to the old potential
}

template <class S>
void BandSolver<S>::update_convergence(double band_error, double distance) {
  stagnations_ = rounds_ > 1 && band_error > 0.5 * last_error_ ? stagnations_ + 1 : 0;
  const bool stagnates =
      stagnations_ >= (kind_ == Eigensolver::chebyshev && !finishing_ ? filters_before(distance, bands_) : 1);
  if (rounds_ == 1) began_close_ = distance < close;
  const double next = distance * std::max(distance / last_distance_, best_fall);
  const bool ends = distance < near_end || (kind_ == Eigensolver::rmm_diis && next < next_near_end);
  finishing_ = kind_ != Eigensolver::lobpcg && (stagnates || (!bounds_error(kind_) && (ends || began_close_)));
  last_error_ = band_error;
  last_distance_ = distance;
}

template <class S>
void BandSolver<S>::restart() {
  lobpcg_.restart();
  davidson_.restart();
  chebyshev_.restart();
  rounds_ = stagnations_ = 0;
  began_close_ = false;
  finishing_ = false;
  reliable_ = true;
  last_error_ = last_distance_ = std::numeric_limits<double>::max();
}

#define WAVEGRID_INSTANTIATE(S) template class BandSolver<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
