// Signals that request a calculation to stop: stored by the handler, checked between the steps.
#pragma once

namespace wavegrid {

/// From now on SIGINT and SIGTERM do not end the process but are stored; a second one of either does end it. For
/// programs, not for libraries: call once, from one thread.
void catch_stop_signals();
/// Reverts catch_stop_signals(): from now on they end the process again.
void release_stop_signals();
/// The first signal caught, 0 where there was none.
[[nodiscard]] int stop_signal() noexcept;

}  // namespace wavegrid
