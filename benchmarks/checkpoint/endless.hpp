// A program to be killed: generation after generation of one checkpoint.
#pragma once

#include "mpi/comm.hpp"
#include "options.hpp"

namespace wavegrid::bench {

/// Writes checkpoint.h5 of options.first, options.first + 1, ... and never returns. Appends to the file `log` in the
/// same directory a line "rank R pid P" for each rank before the first, and "done G" when generation G has been
/// written; these lines persist, whatever ends the ranks. Collective; throws as write_checkpoint.
[[noreturn]] void write_for_ever(const Comm& comm, const Options& options);

}  // namespace wavegrid::bench
