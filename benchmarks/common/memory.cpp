#include "common/memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace wavegrid::bench {

namespace {

/// An entry of /proc/self/status in MiB.
double status_mib(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word; status.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    double kib = 0;
    if (word == name && status >> kib) return kib / 1024;
  }
  return 0;
}

}  // namespace

MemoryWatch::MemoryWatch() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak is set to the current size
  before_ = status_mib("VmHWM:");
}

double MemoryWatch::grown_mib() const { return std::max(0.0, status_mib("VmHWM:") - before_); }

}  // namespace wavegrid::bench
