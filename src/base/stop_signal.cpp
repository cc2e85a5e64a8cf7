#include "base/stop_signal.hpp"

#include <csignal>

namespace wavegrid {

namespace {

volatile std::sig_atomic_t caught = 0;
bool catching = false;

void restore_defaults() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

extern "C" void store(int number) {
  caught = number;
  restore_defaults();
}

}  // namespace

void catch_stop_signals() {
  catching = true;
  std::signal(SIGINT, store);
  std::signal(SIGTERM, store);
}

void release_stop_signals() {
  if (catching) restore_defaults();
  catching = false;
}

int stop_signal() noexcept { return caught; }

}  // namespace wavegrid
