// The MPI library as a whole: start, thread level, version.
#pragma once

#include <string>

namespace wavegrid {

/// Initialises MPI where that has not been done, with MPI_THREAD_FUNNELED: threads compute, and only the thread that
/// called this communicates. Arguments as those of MPI_Init_thread.
void initialise_mpi(int* argc, char*** argv);

/// The level of threads that MPI grants: "single", "funneled", "serialized" or "multiple"; "none" before MPI_Init.
[[nodiscard]] std::string mpi_thread_level();
/// Throws bad_input where MPI grants too little for a rank that computes with so many threads.
void require_thread_level(int threads);

/// The MPI library's own name and version, one line.
[[nodiscard]] std::string mpi_library_version();

}  // namespace wavegrid
