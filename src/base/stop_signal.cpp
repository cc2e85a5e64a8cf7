#include "base/stop_signal.hpp"

#include <csignal>

namespace wavegrid {

namespace {

volatile std::sig_atomic_t caught = 0;

extern "C" void remember(int number) {
  caught = number;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

void catch_stop_signals() {
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
}

int stop_signal() noexcept { return caught; }

}  // namespace wavegrid
