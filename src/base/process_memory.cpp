#include "base/process_memory.hpp"

#include <sys/resource.h>

#include <fstream>
#include <string>

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

void return_freed_memory() {
#ifdef __GLIBC__
  // By default glibc allocates arrays of up to 32 MiB on the heap after one of that size has been freed, and free space
  // inside the heap stays resident.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

}  // namespace wavegrid
