// The frame of a benchmark program: MPI starts, the benchmark runs, a fault becomes one line and an exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <wavegrid/mpi/comm.hpp>
#include <wavegrid/mpi/environment.hpp>

namespace wavegrid::bench {

/// Runs `run` between MPI's start, for these calls, and its end, with the transports of baselines/, and returns the
/// program's exit code: 2 for bad input, 3 for a fault of the environment, 4 for the rest.
[[nodiscard]] int run_program(int argc, char** argv,
                              const std::function<void(const Comm&, const std::vector<std::string>&)>& run,
                              MpiCalls calls = MpiCalls::by_one_thread);

}  // namespace wavegrid::bench
