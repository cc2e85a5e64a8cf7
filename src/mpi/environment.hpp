// The MPI library as a whole: start, thread level, version.
#pragma once

#include <string>

namespace wavegrid {

/// Initialises MPI, unless this has been done, with MPI_THREAD_FUNNELED: all threads compute, and only the thread that
/// made this call communicates. Arguments as those of MPI_Init_thread.
void initialise_mpi(int* argc, char*** argv);

/// Whether MPI is initialised and not finalised: destructors must not call it otherwise.
[[nodiscard]] bool mpi_is_running();

/// The thread level that MPI provides: "single", "funneled", "serialized" or "multiple"; "none" before MPI_Init and
/// after MPI_Finalize.
[[nodiscard]] std::string mpi_thread_level();
/// Throws bad_input if the thread level of MPI is too low for a rank that computes with `threads` threads.
void require_thread_level(int threads);

/// The MPI library's own name and version, one line.
[[nodiscard]] std::string mpi_library_version();

}  // namespace wavegrid
