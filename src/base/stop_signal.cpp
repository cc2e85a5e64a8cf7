#include <csignal>

#include <wavegrid/base/stop_signal.hpp>

namespace wavegrid {

namespace {

volatile std::sig_atomic_t caught = 0;
bool catching = false;

void set_handlers(void (*handler)(int)) {
  std::signal(SIGINT, handler);
  std::signal(SIGTERM, handler);
  if (std::signal(SIGHUP, handler) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
}

extern "C" void store(int number) {
  caught = number == SIGHUP ? SIGTERM : number;
  set_handlers(SIG_DFL);
}

}  // namespace

void catch_stop_signals() {
  catching = true;
  set_handlers(store);
}

void release_stop_signals() {
  if (catching) set_handlers(SIG_DFL);
  catching = false;
}

int stop_signal() noexcept { return caught; }

}  // namespace wavegrid
