#include <mpi.h>

#include <cstdlib>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mpi/environment.hpp>

namespace wavegrid {

namespace {

/// The thread level that MPI has to provide for these calls.
int level_for(MpiCalls calls) {
  constexpr int levels[] = {MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  return levels[static_cast<int>(calls)];
}

std::string constant_for(MpiCalls calls) {
  constexpr const char* names[] = {"MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
  return names[static_cast<int>(calls)];
}

}  // namespace

void initialise_mpi(int* argc, char*** argv, MpiCalls calls) {
  int initialised = 0, provided = 0;
  MPI_Initialized(&initialised);
  if (initialised) return;
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
  // There, windows that two groups of ranks create at the same time use the same file and crash (Open MPI issue 9492).
  setenv("OMPI_MCA_osc", "^rdma", 0);
#endif
  MPI_Init_thread(argc, argv, level_for(calls), &provided);  // require_thread_level() checks what was provided
}

bool mpi_is_running() {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return initialised && !finalised;
}

std::string mpi_thread_level() {
  int level = 0;
  if (!mpi_is_running()) return "none";
  MPI_Query_thread(&level);
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "single";
    case MPI_THREAD_FUNNELED:
      return "funneled";
    case MPI_THREAD_SERIALIZED:
      return "serialized";
    default:
      return "multiple";
  }
}

void require_thread_level(int threads, MpiCalls calls) {
  if (threads <= 1 || !mpi_is_running()) return;
  int provided = 0;
  MPI_Query_thread(&provided);
  if (provided >= level_for(calls)) return;
  throw bad_input("threads is " + std::to_string(threads) + ", but the thread level of MPI is \"" + mpi_thread_level() +
                  "\"; initialise it by MPI_Init_thread with " + constant_for(calls) +
                  (calls == MpiCalls::at_once ? "" : " or more") + ", or use 1 thread");
}

std::string mpi_library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

}  // namespace wavegrid
