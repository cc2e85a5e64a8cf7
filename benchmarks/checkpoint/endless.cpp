#include "endless.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include <wavegrid/base/error.hpp>

#include "calculation.hpp"

namespace wavegrid::bench {

namespace {

/// Appends a line by one system call, so that it is kept when this process is killed.
void append(const std::filesystem::path& path, const std::string& line) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const bool done = file >= 0 && ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (file >= 0) close(file);
  if (!done) throw environment_error("cannot write " + path.string());
}

}  // namespace

void write_forever(const Comm& comm, const Options& options) {
  const std::filesystem::path log = options.directory / "log";
  Calculation calculation(comm, options.calculation, options.kpoint_groups);
  calculation.fill(options.first);
  comm.collectively(
      [&] { append(log, "rank " + std::to_string(comm.rank()) + " pid " + std::to_string(getpid()) + "\n"); });
  for (Index generation = options.first;; ++generation) {
    calculation.fill(generation);
    calculation.write(options.directory / "checkpoint.h5", {.aggregators = options.aggregators.front(), .keep = 2});
    comm.collectively([&] {
      if (comm.rank() == 0) append(log, "done " + std::to_string(generation) + "\n");
    });
  }
}

}  // namespace wavegrid::bench
