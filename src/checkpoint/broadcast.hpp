// Names, offsets and tables from rank 0 to all ranks.
#pragma once

#include <string>
#include <vector>

#include <wavegrid/checkpoint/hdf5_file.hpp>
#include <wavegrid/checkpoint/table.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Rank 0's value on all ranks. Collective.
void broadcast(const Comm& comm, std::string& text);
void broadcast(const Comm& comm, Offsets& offsets);
void broadcast(const Comm& comm, std::vector<Table>& tables);

}  // namespace wavegrid
