#include "scf/missed_states.hpp"

#include <algorithm>
#include <cmath>

#include "scf/lobpcg.hpp"
#include "wavefunctions/random_waves.hpp"

namespace wavegrid {

namespace {

constexpr Index max_probes = 6;
constexpr int probe_steps = 8;
constexpr double occupied = 1e-4;  ///< electrons
constexpr double margin = 1e-3;    ///< Ha below the highest occupied band that counts as a miss

/// Random vectors orthogonal to the bands, brought near the lowest states of the bands' complement.
template <class S>
EigenState<S> probe_complement(Hamiltonian<S>& h, const EigenState<S>& state, Index probes) {
  EigenState<S> probe(state.x.rows(), probes);
  fill_random<S>(h.waves(), Index{1} << 40, probe.x.view());
  project_off<S>(h.product(), state.x.view(), probe.x.view());
  h.apply(probe.x.view(), probe.hx.view());
  rayleigh_ritz(h, probe);
  Lobpcg<S> solver;
  for (int s = 0; s < probe_steps; ++s) solver.step(h, probe, state.x.view());
  return probe;
}

}  // namespace

template <class S>
int recover_missed_states(Hamiltonian<S>& h, EigenState<S>& state, const std::vector<double>& filling) {
  const auto guard = h.time(Phase::linear_algebra);
  const Index bands = state.x.count();
  // A real half sphere of n plane waves carries 2n - 1 independent bands: nothing is left to search in a full space.
  const Index dimension = h.product().comm.sum(h.rows());
  const Index probes = std::min({max_probes, bands, (dimension - 1 - bands) / 3});
  if (probes < 1) return 0;
  double highest = -1e300;
  for (Index b = 0; b < bands; ++b)
    if (std::abs(filling[static_cast<std::size_t>(b)]) > occupied)
      highest = std::max(highest, state.values[static_cast<std::size_t>(b)]);
  EigenState<S> probe = probe_complement(h, state, probes);
  const auto missed =
      std::count_if(probe.values.begin(), probe.values.end(), [&](double value) { return value < highest - margin; });
  if (missed == 0) return 0;
  std::copy_n(probe.x.view().data, missed * state.x.rows(), state.x.view().band(bands - missed));
  std::copy_n(probe.hx.view().data, missed * state.x.rows(), state.hx.view().band(bands - missed));
  rayleigh_ritz(h, state);
  return static_cast<int>(missed);
}

#define WAVEGRID_INSTANTIATE(S) \
  template int recover_missed_states<S>(Hamiltonian<S>&, EigenState<S>&, const std::vector<double>&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
