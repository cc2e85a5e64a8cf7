#include "common/program.hpp"

#include <cstdio>
#include <cstdlib>

#include <wavegrid/base/error.hpp>

#include "baselines/transports.hpp"

namespace wavegrid::bench {

namespace {

using Run = std::function<void(const Comm&, const std::vector<std::string>&)>;

/// Our own errors occur on all ranks alike, so one reports; another library's may occur on one, which aborts the
/// others.
int guarded(const Comm& comm, const std::vector<std::string>& words, const Run& run) {
  try {
    run(comm, words);
  } catch (const Error& error) {
    if (comm.rank() == 0) std::fprintf(stderr, "error: %s\n", error.what());
    return error.kind() == ErrorKind::bad_input ? 2 : error.kind() == ErrorKind::environment ? 3 : 4;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "error: %s (rank %d)\n", fault.what(), comm.rank());
    MPI_Abort(comm.handle(), 4);
  }
  return 0;
}

}  // namespace

int run_program(int argc, char** argv, const Run& run, MpiCalls calls) {
  initialise_mpi(&argc, &argv, calls);
  add_baseline_transports();
  const int code = guarded(Comm::world(), {argv + 1, argv + argc}, run);
  MPI_Finalize();
  return code;
}

}  // namespace wavegrid::bench
