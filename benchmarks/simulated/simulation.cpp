#include <mpi.h>

#include <cstdarg>
#include <cstdio>
#include <simgrid/s4u.hpp>

#include "studies.hpp"

namespace wavegrid::bench {

void print_result(const Comm& comm, const std::string& json) {
  if (comm.rank() == 0) std::printf("%s\nfinished\n", json.c_str());
}

std::string text(const char* format, ...) {
  char buffer[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

double now() { return MPI_Wtime(); }

void compute(double seconds) {
  if (seconds > 0) simgrid::s4u::this_actor::sleep_for(seconds);
}

}  // namespace wavegrid::bench
