#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>

#include <wavegrid/base/process_memory.hpp>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace wavegrid {

double peak_memory() {
  // Linux: getrusage would also count the memory that the parent process had at the fork.
  constexpr double kibibyte = 1024;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double value = 0; word == "VmHWM:" && status >> value) return value * kibibyte;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
  return static_cast<double>(usage.ru_maxrss);
#else
  return static_cast<double>(usage.ru_maxrss) * kibibyte;
#endif
}

void return_freed_memory([[maybe_unused]] std::size_t kept) {
#ifdef __GLIBC__
  // Arrays above the first limit are mapped, and unmapped when freed; the second one is for free memory at the end of
  // the heap. Densities and potentials come and go in each step: mapped anew each time, their pages took a sixth of a
  // run of O2 in a box.
  constexpr std::size_t least = 1 << 20, most = 32 << 20;  // glibc refuses more
  const auto limit = static_cast<int>(std::clamp(kept + kept / 16, least, most));
  mallopt(M_MMAP_THRESHOLD, limit);
  mallopt(M_TRIM_THRESHOLD, 4 * limit);
#endif
}

}  // namespace wavegrid
