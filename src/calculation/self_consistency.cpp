#include "calculation/self_consistency.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "atoms/extent.hpp"
#include "base/scope_timer.hpp"
#include "calculation/derivatives.hpp"
#include "calculation/initial_wavefunctions.hpp"
#include "calculation/plane_wave_checkpoint.hpp"
#include "calculation/repeated_loops.hpp"
#include "scf/choose_preconditioner.hpp"

namespace wavegrid {

template <class S>
CalculationResult SelfConsistency<S>::run() {
  CalculationResult result;
  choose_mixing(result);
  Earlier earlier;
  if (begins_in_single(parts_.problem)) run_in_single(result, earlier);
  if (earlier && earlier->last.stopped) {
    result.scf = std::move(earlier->last);
    parts_.bands.drop_states();
  } else {
    run_in_double(result, earlier);
  }
  result.bands = parts_.problem.bands;
  if (parts_.restart) result.restart = parts_.restart->report(parts_.environment.groups);
  result.scf.stopped = result.scf.stopped || checkpoints_.asked_to_stop();
  result.stop_signal = checkpoints_.signal();
  result.checkpoint = parts_.checkpoints.report;
  return result;
}

template <class S>
void SelfConsistency<S>::choose_mixing(CalculationResult& result) {
  const Problem& problem = parts_.problem;
  options_ = problem.scf;
  options_.mixer.preconditioner.kind = problem.preconditioner.value_or(
      choose_preconditioner(parts_.fields, problem.smearing.kind == SmearingKind::fixed,
                            parts_.fields.to_values(parts_.density.n[0]), smallest_wave_number(problem.crystal)));
  options_.many_bands = parts_.environment.eigensolver.kind != Eigensolver::lobpcg;
  options_.may_change_preconditioner = !problem.preconditioner;
  result.preconditioner = options_.mixer.preconditioner.kind;
}

template <class S>
void SelfConsistency<S>::run_in_single(CalculationResult& result, Earlier& earlier) {
  using Single = SingleOf<S>;
  MyBands<Single>& bands = ready(parts_.bands.in_single(parts_.problem));
  repeat(bands, earlier, [&](Earlier before) {
    return solve_single_stage<Single, GridFields>(system_of(bands).scf, parts_.density, initial_of<Single>(), options_,
                                                  {observer_, watch(bands)}, std::move(before));
  });
  fill_parallel(result, bands);
}

template <class S>
void SelfConsistency<S>::run_in_double(CalculationResult& result, Earlier& earlier) {
  MyBands<S>& bands = ready(parts_.bands.in_double(parts_.problem));
  repeat(bands, earlier, [&](Earlier before) {
    const PlaneWaveSystem<S> system = system_of(bands);
    const ScfListeners<GridFields> listeners{observer_, watch(bands), ending(system, result)};
    return solve_in_double<S, GridFields>(system.scf, parts_.density, initial_of<S>(), options_, listeners,
                                          std::move(before));
  });
  result.scf = std::move(earlier->last);
  fill_parallel(result, bands);
  if (result.scf.stopped) return;
  if (activity_ && parts_.problem.checkpoint) activity_({Stage::checkpoint});
  checkpoints_.finish(result.scf, writing(bands, parts_.density));
}

template <class S>
template <class T, class Loop>
void SelfConsistency<S>::repeat(const MyBands<T>& bands, Earlier& earlier, const Loop& loop) {
  repeat_with_more_bands<T>(world(), list_of(bands), parts_.fields, parts_.problem, options_, earlier, loop);
}

template <class S>
template <class T>
WriteState SelfConsistency<S>::writing(const MyBands<T>& bands, const Density<GridFields>& density) const {
  return writing_plane_waves<T>(parts_.problem, parts_.environment.groups, parts_.fields, parts_.potential, bands,
                                density);
}

template <class S>
template <class T>
ScfWatch<GridFields> SelfConsistency<S>::watch(const MyBands<T>& bands) {
  if (!parts_.problem.checkpoint) return {};
  return [this, &bands](const ScfState<GridFields>& state) {
    return checkpoints_.after_step(state.result, writing(bands, state.density));
  };
}

/// Saves the plans known to FFTW, and applies the transports that earlier runs have stored.
template <class S>
template <class T>
MyBands<T>& SelfConsistency<S>::ready(MyBands<T>& bands) {
  parts_.environment.wisdom.save(world());
  recall_transports(world(), exchanges(bands), parts_.problem.transports_file);
  return bands;
}

template <class S>
template <class T>
PlaneWaveSystem<T> SelfConsistency<S>::system_of(MyBands<T>& bands) const {
  const Problem& problem = parts_.problem;
  const double electrons = parts_.environment.electrons;
  std::vector<double> weights;
  for (const KPoint& point : problem.kpoints) weights.push_back(point.weight);
  return {{parts_.environment.groups,
           list_of(bands),
           parts_.fields,
           parts_.potential,
           {electrons, problem.smearing, problem.spins, problem.total_magnetisation},
           std::move(weights),
           problem.bands},
          bands};
}

/// The callback that computes the requested derivatives at the end of the loop over `system`.
template <class S>
ScfEnding<GridFields> SelfConsistency<S>::ending(const PlaneWaveSystem<S>& system, CalculationResult& result) const {
  if (!parts_.problem.derivatives.any()) return {};
  return [&, this](const ScfEnd<GridFields>& end) {
    if (activity_) activity_({Stage::derivatives});
    const ScopeTimer timer(result.derivative_seconds);
    result.derivatives = compute_derivatives(system.scf, parts_.problem, parts_.environment.pseudo_atoms, end);
  };
}

template <class S>
template <class T>
BandStart<T> SelfConsistency<S>::initial_of() {
  return [this](KohnShamBands<T>& bands) {
    return initial_bands_of(static_cast<PlaneWaveBands<T>&>(bands), parts_.problem.bands);
  };
}

template <class S>
template <class T>
EigenState<T> SelfConsistency<S>::initial_bands_of(PlaneWaveBands<T>& bands, Index count) {
  if (parts_.restart)
    if (auto state = parts_.restart->template bands<T>(bands, count)) return std::move(*state);
  return initial_bands<T>(bands.h, parts_.problem.initial_wavefunctions, bands.basis->sphere.k(),
                          parts_.problem.crystal, parts_.environment.pseudo_atoms, count);
}

template <class S>
template <class T>
void SelfConsistency<S>::fill_parallel(CalculationResult& result, const MyBands<T>& bands) {
  const TunedExchanges all = exchanges(bands);
  report_transports(all, result.parallel);
  store_transports(world(), all, parts_.problem.transports_file);
}

/// Those of bands and of fields. Collective.
template <class S>
template <class T>
TunedExchanges SelfConsistency<S>::exchanges(const MyBands<T>& bands) const {
  TunedExchanges all = tuned_exchanges(bands, parts_.environment.groups);
  std::ranges::move(tuned_exchanges(parts_.fields.grid(), &parts_.fields.exchange()), std::back_inserter(all));
  return all;
}

template class SelfConsistency<double>;
template class SelfConsistency<std::complex<double>>;
template EigenState<double> SelfConsistency<double>::initial_bands_of(PlaneWaveBands<double>&, Index);
template EigenState<std::complex<double>> SelfConsistency<std::complex<double>>::initial_bands_of(
    PlaneWaveBands<std::complex<double>>&, Index);

}  // namespace wavegrid
