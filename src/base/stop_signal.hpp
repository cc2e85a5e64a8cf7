// Signals that request a calculation to stop: stored by the handler, checked between the steps.
#pragma once

namespace wavegrid {

/// From now on SIGINT, SIGTERM and SIGHUP do not end the process but are stored; a second signal ends it. SIGHUP
/// counts as SIGTERM, and stays ignored where the process ignores it (nohup). For programs, not for libraries: call
/// once, from one thread.
void catch_stop_signals();
/// Reverts catch_stop_signals(): from now on these signals end the process again.
void release_stop_signals();
/// The number of the first signal caught, 0 if there was none.
[[nodiscard]] int stop_signal() noexcept;

}  // namespace wavegrid
