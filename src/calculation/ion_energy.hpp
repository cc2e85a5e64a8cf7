// Electrostatic energy of the ions, by all ranks together.
#pragma once

#include "calculation/problem.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

/// Ewald energy, computed in parts by the ranks, Ha; deterministic: in a fixed number of parts. Collective.
[[nodiscard]] double ewald_of(const Comm& comm, const Problem& problem);

}  // namespace wavegrid
