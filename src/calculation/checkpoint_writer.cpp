#include "calculation/checkpoint_writer.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/stop_signal.hpp"
#include "checkpoint/write_checkpoint.hpp"

namespace wavegrid {

namespace {

/// The header of a checkpoint of this state.
CheckpointHeader header_of(const Problem& problem, const ScfResult& state) {
  CheckpointHeader header{.crystal = problem.crystal,
                          .ecut = problem.ecut,
                          .grid = problem.grid,
                          .mode = problem.mode,
                          .kpoints = problem.kpoints,
                          .mesh = problem.mesh,
                          .symmetry = problem.symmetry,
                          .spins = problem.spins,
                          .bands = problem.bands};
  header.eigenvalues = state.eigenvalues;
  header.occupations = state.occupations;
  header.fermi = state.fermi;
  header.energy = state.energies.free();
  header.converged = state.converged;
  header.steps = state.steps;
  header.input = problem.checkpoint->input;
  header.versions = problem.checkpoint->versions;
  header.program = problem.checkpoint->program;
  return header;
}

}  // namespace

bool CheckpointWriter::is_time(int step) const {
  const CheckpointOptions& options = *problem_.checkpoint;
  const double seconds = std::chrono::duration<double>(Clock::now() - record_.last).count();
  return (options.every_seconds && seconds >= *options.every_seconds) ||
         (options.every_steps && step % *options.every_steps == 0);
}

template <class S>
ScfWatch<GridFields> CheckpointWriter::watch(const MyBands<S>& bands) {
  if (!problem_.checkpoint) return {};
  return [this, &bands](const ScfState<GridFields>& state) {
    const Comm& world = groups_.world();
    // One reduction for both: a signal number, times 2, dominates the decision by the clock of rank 0.
    const bool due = world.rank() == 0 && is_time(state.result.steps);
    const Index decision = world.max(2 * static_cast<Index>(stop_signal()) + (due ? 1 : 0));
    if (decision == 0) return AfterStep::go_on;
    signal_ = static_cast<int>(decision / 2);
    save(bands, state.result, state.density);
    return signal_ != 0 ? AfterStep::stop : AfterStep::go_on;
  };
}

template <class S>
void CheckpointWriter::finish(const MyBands<S>& bands, const ScfResult& result, const SpinCoefficients& density) {
  if (!problem_.checkpoint) return;
  if (!problem_.checkpoint->at_end && groups_.world().max(is_time(result.steps) ? 1 : 0) == 0) return;
  const bool is_written = !result.converged && last_step_ == result.steps && record_.report->error.empty();
  if (!is_written) save(bands, result, density);
}

bool CheckpointWriter::asked_to_stop() {
  if (!problem_.checkpoint) return false;
  signal_ = static_cast<int>(groups_.world().max(stop_signal()));
  return signal_ != 0;
}

template <class S>
void CheckpointWriter::save(const MyBands<S>& bands, const ScfResult& state, const SpinCoefficients& density) {
  if (!problem_.checkpoint) return;
  const CheckpointOptions& options = *problem_.checkpoint;
  std::optional<CheckpointReport>& written = record_.report;
  SpinFields values;
  for (const auto& component : density) values.push_back(fields_.to_values(component));
  const SpinFields potential = potential_.potential(density, values);
  std::vector<CheckpointBands<S>> mine;
  for (const auto& one : bands) mine.push_back({one->k, one->spin, one->h.waves(), std::as_const(one->state.x).view()});
  if (!written) written = CheckpointReport{.file = options.file};
  record_.last = Clock::now();
  last_step_ = state.steps;
  try {
    const WriteReport report =
        write_checkpoint<S>(options.file, header_of(problem_, state), groups_, mine,
                            {fields_.grid().layout(), values, potential}, {.keep = options.keep});
    ++written->writes;
    written->seconds += report.seconds;
    written->bytes = static_cast<double>(report.bytes);
    written->error.clear();
  } catch (const Error& error) {  // the same on all ranks
    if (error.kind() != ErrorKind::environment) throw;
    written->error = error.what();
  }
}

#define WAVEGRID_INSTANTIATE(S)                                                                            \
  template ScfWatch<GridFields> CheckpointWriter::watch<S>(const MyBands<S>&);                             \
  template void CheckpointWriter::finish<S>(const MyBands<S>&, const ScfResult&, const SpinCoefficients&); \
  template void CheckpointWriter::save<S>(const MyBands<S>&, const ScfResult&, const SpinCoefficients&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
