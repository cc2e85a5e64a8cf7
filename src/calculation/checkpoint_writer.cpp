#include <wavegrid/base/error.hpp>
#include <wavegrid/base/stop_signal.hpp>
#include <wavegrid/calculation/checkpoint_writer.hpp>
#include <wavegrid/pseudo/projector_hash.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

namespace {

/// The header of a checkpoint of this state.
CheckpointHeader header_of(const Problem& problem, const ScfResult& state) {
  CheckpointHeader header{.crystal = problem.crystal,
                          .ecut = problem.ecut,
                          .grid = problem.field_grid(),
                          .mode = problem.mode,
                          .kpoints = problem.kpoints,
                          .mesh = problem.mesh,
                          .symmetry = problem.symmetry,
                          .spins = problem.spins,
                          .bands = problem.bands,
                          .components = problem.components(),
                          .vector_magnetisation = problem.has_vector_magnetisation()};
  header.eigenvalues = state.eigenvalues;
  if (state.eigenvalues.empty())
    header.bands = 0;  // the states were not computed one by one
  else
    header.occupations = state.occupations;
  header.fermi = state.fermi;
  header.energy = state.energies.free();
  header.converged = state.converged;
  header.steps = state.steps;
  header.kinetic_density = Xc::parse(problem.xc).needs_tau();
  if (has_matrices(problem.pseudopotentials)) {
    header.matrix_sizes.assign(static_cast<std::size_t>(problem.crystal.num_atoms()), 0);  // until the density has some
    header.matrix_datasets = projector_hashes(problem.crystal, problem.pseudopotentials);
  }
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

AfterStep CheckpointWriter::after_step(const ScfResult& state, const WriteState& write) {
  if (!watches()) return AfterStep::go_on;
  // One reduction for both: a signal number, times 2, dominates the decision by the clock of rank 0.
  const bool due = problem_.checkpoint && world_.rank() == 0 && is_time(state.steps);
  const Index decision = world_.max(2 * static_cast<Index>(stop_signal()) + (due ? 1 : 0));
  if (decision == 0) return AfterStep::go_on;
  signal_ = static_cast<int>(decision / 2);
  save(state, write);
  return signal_ != 0 ? AfterStep::stop : AfterStep::go_on;
}

void CheckpointWriter::finish(const ScfResult& state, const WriteState& write) {
  if (!problem_.checkpoint) return;
  if (!problem_.checkpoint->at_end && world_.max(is_time(state.steps) ? 1 : 0) == 0) return;
  const bool is_written = !state.converged && last_step_ == state.steps && record_.report->error.empty();
  if (!is_written) save(state, write);
}

bool CheckpointWriter::asked_to_stop() {
  if (!watches()) return false;
  signal_ = static_cast<int>(world_.max(stop_signal()));
  return signal_ != 0;
}

void CheckpointWriter::save(const ScfResult& state, const WriteState& write) {
  if (!problem_.checkpoint) return;
  std::optional<CheckpointReport>& written = record_.report;
  if (!written) written = CheckpointReport{.file = problem_.checkpoint->file};
  record_.last = Clock::now();
  last_step_ = state.steps;
  try {
    const WriteReport report = write(header_of(problem_, state));
    ++written->writes;
    written->seconds += report.seconds;
    written->bytes = static_cast<double>(report.bytes);
    written->error.clear();
  } catch (const Error& error) {  // the same on all ranks
    if (error.kind() != ErrorKind::environment) throw;
    written->error = error.what();
  }
}

}  // namespace wavegrid
