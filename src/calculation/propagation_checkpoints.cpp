#include <wavegrid/base/error.hpp>
#include <wavegrid/base/stop_signal.hpp>
#include <wavegrid/calculation/propagation_checkpoints.hpp>

namespace wavegrid {

PropagationCheckpoints::PropagationCheckpoints(const Problem& problem, const Propagation& options, const Comm& world)
    : problem_(problem), options_(options), world_(world) {}

bool PropagationCheckpoints::is_time(Index step) const {
  if (!problem_.checkpoint) return false;
  const CheckpointOptions& when = *problem_.checkpoint;
  const double seconds = std::chrono::duration<double>(Clock::now() - last_).count();
  return (when.every_seconds && seconds >= *when.every_seconds) || (when.every_steps && step % *when.every_steps == 0);
}

bool PropagationCheckpoints::stops_after(Index step, const Save& save) {
  if (options_.checkpoint_file.empty()) return false;
  const bool due = world_.rank() == 0 && is_time(step);
  const Index decision = world_.max(2 * static_cast<Index>(stop_signal()) + (due ? 1 : 0));
  if (decision == 0) return false;
  signal_ = static_cast<int>(decision / 2);
  save_now(step, save);
  return signal_ != 0;
}

void PropagationCheckpoints::finish(Index step, const Save& save) {
  if (!options_.checkpoint_file.empty() && last_step_ != step) save_now(step, save);
}

void PropagationCheckpoints::save_now(Index step, const Save& save) {
  if (!report_) report_ = CheckpointReport{.file = options_.checkpoint_file};
  const auto began = Clock::now();
  try {
    report_->bytes = static_cast<double>(save());
    ++report_->writes;
    report_->error.clear();
    last_step_ = step;
  } catch (const Error& error) {  // the same on all ranks
    if (error.kind() != ErrorKind::environment) throw;
    report_->error = error.what();
  }
  last_ = Clock::now();
  report_->seconds += std::chrono::duration<double>(last_ - began).count();
}

}  // namespace wavegrid
