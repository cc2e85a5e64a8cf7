// The MPI library as a whole: start, thread level, version.
#pragma once

#include <string>

namespace wavegrid {

/// Which threads of a rank call MPI, and with it the thread level that MPI has to provide.
enum class MpiCalls {
  by_one_thread,  ///< only the thread that initialised MPI: MPI_THREAD_FUNNELED
  in_turn,        ///< any thread, one at a time: MPI_THREAD_SERIALIZED
  at_once         ///< any threads at the same time: MPI_THREAD_MULTIPLE
};

/// Initialises MPI, unless this has been done, for these calls: all threads compute, and by default only the thread
/// that made this call communicates. MPI may provide less: require_thread_level() checks it. Arguments as those of
/// MPI_Init_thread.
void initialise_mpi(int* argc, char*** argv, MpiCalls calls = MpiCalls::by_one_thread);

/// Whether MPI is initialised and not finalised: destructors must not call it otherwise.
[[nodiscard]] bool mpi_is_running();

/// The thread level that MPI provides: "single", "funneled", "serialized" or "multiple"; "none" before MPI_Init and
/// after MPI_Finalize.
[[nodiscard]] std::string mpi_thread_level();
/// Throws bad_input if the thread level of MPI is too low for a rank that computes with `threads` threads of which
/// these call MPI.
void require_thread_level(int threads, MpiCalls calls = MpiCalls::by_one_thread);

/// The MPI library's own name and version, one line.
[[nodiscard]] std::string mpi_library_version();

}  // namespace wavegrid
