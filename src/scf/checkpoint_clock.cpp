#include "scf/checkpoint_clock.hpp"

#include "base/stop_signal.hpp"

namespace wavegrid {

CheckpointClock::Verdict CheckpointClock::look(const Comm& world, int step) {
  const auto now = Clock::now();
  const bool late = every_seconds_ && std::chrono::duration<double>(now - last_).count() >= *every_seconds_;
  const bool round = every_steps_ && step % *every_steps_ == 0;
  // One collective for both: signals count above the clock of rank 0.
  const Index mine = 2 * stop_signal() + (world.rank() == 0 && (late || round) ? 1 : 0);
  const Index all = world.max(mine);
  signal_ = static_cast<int>(all / 2);
  if (all > 0) last_ = now;
  return {all > 0, signal_ != 0};
}

}  // namespace wavegrid
