// Writes one generation of a checkpoint after the other, for tests that kill the program.
#pragma once

#include <wavegrid/mpi/comm.hpp>

#include "options.hpp"

namespace wavegrid::bench {

/// Writes checkpoint.h5 of options.first, options.first + 1, ... and never returns. Appends to the file `log` in the
/// same directory a line "rank R pid P" for each rank before the first, and "done G" when generation G has been
/// written. These lines are kept however the ranks end. Collective; throws as write_checkpoint.
[[noreturn]] void write_forever(const Comm& comm, const Options& options);

}  // namespace wavegrid::bench
