#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <wavegrid/eigen/lobpcg.hpp>
#include <wavegrid/eigen/missed_states.hpp>
#include <wavegrid/eigen/random_complement.hpp>

namespace wavegrid {

namespace {

constexpr Index min_probes = 2, max_probes = 6;
constexpr int min_probe_steps = 3, max_probe_steps = 8;
// Times the decrease of the lowest Ritz value in its last step: more than all further steps together lower it by, where
// each lowers it by at most four fifths of the one before.
constexpr double further_decrease = 4.0;

/// Random vectors orthogonal to the bands, improved towards the lowest states of the bands' complement; they are left
/// as they are when no further step would bring the lowest Ritz value below `bound`.
template <class S>
EigenState<S> probe_complement(BandOperator<S>& op, const EigenState<S>& state, Index probes,
                               double bound = std::numeric_limits<double>::infinity()) {
  EigenState<S> probe(state.x.rows(), probes, state.has_overlap);
  fill_complement<S>(op, Index{1} << 40, state.view(), probe.view());
  rayleigh_ritz(op, probe);
  Lobpcg<S> solver;
  for (int s = 1; s <= max_probe_steps; ++s) {
    const double before = probe.values.front();
    solver.step(op, probe, state.view());
    const double lowest = probe.values.front();
    if (s >= min_probe_steps && lowest - further_decrease * (before - lowest) > bound) break;
  }
  return probe;
}

}  // namespace

template <class S>
int recover_missed_states(BandOperator<S>& op, EigenState<S>& state, const std::vector<double>& occupations,
                          double tolerance, std::optional<double> given_margin) {
  const auto guard = op.time(Phase::linear_algebra);
  const Index bands = state.x.count();
  // half as many as bands: in small cells the search would else take as long as the bands
  const Index wanted = std::clamp((bands + 1) / 2, min_probes, max_probes);
  const Index probes = std::min({wanted, bands, most_bands(bands, op.dimension()) - bands});
  if (probes < 1) return 0;  // a complement too small is not searched
  const double margin = given_margin.value_or(1e-3 * op.energy_unit());
  const double occupied = std::min(1e-4, 0.1 * tolerance / margin);  // electrons
  double highest = -std::numeric_limits<double>::infinity();
  for (Index b = 0; b < bands; ++b)
    if (std::abs(occupations[static_cast<std::size_t>(b)]) > occupied)
      highest = std::max(highest, state.values[static_cast<std::size_t>(b)]);
  EigenState<S> probe = probe_complement(op, state, probes, highest - margin);
  const auto missed =
      std::count_if(probe.values.begin(), probe.values.end(), [&](double value) { return value < highest - margin; });
  if (missed == 0) return 0;
  copy_bands<S>(std::as_const(probe).view().slice(0, missed), state.view().slice(bands - missed, missed));
  rayleigh_ritz(op, state);
  return static_cast<int>(missed);
}

template <class S>
void add_bands(BandOperator<S>& op, EigenState<S>& state, Index count) {
  const auto guard = op.time(Phase::linear_algebra);
  const Index bands = state.x.count();
  const EigenState<S> more = probe_complement(op, state, count - bands);
  EigenState<S> all(state.x.rows(), count, state.has_overlap);
  copy_bands<S>(std::as_const(state).view(), all.view().slice(0, bands));
  copy_bands<S>(more.view(), all.view().slice(bands, count - bands));
  state = std::move(all);
  rayleigh_ritz(op, state);
}

#define WAVEGRID_INSTANTIATE(S)                                                                               \
  template int recover_missed_states<S>(BandOperator<S>&, EigenState<S>&, const std::vector<double>&, double, \
                                        std::optional<double>);                                               \
  template void add_bands<S>(BandOperator<S>&, EigenState<S>&, Index);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
