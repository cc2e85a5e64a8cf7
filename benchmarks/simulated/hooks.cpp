// Calls of the library to the system that take simulated time, or that SimGrid answers for cores instead of nodes. The
// linker puts these functions in their place (CMakeLists.txt, --wrap).
//
// A file system is a host "disk-0" behind a link of its bandwidth: data pass it in both directions, through the
// adapters of the nodes. Writes return when the data are there; a read that was announced proceeds in the background.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <simgrid/s4u.hpp>

#include "studies.hpp"

namespace {

double moved = 0;  ///< bytes from and to the disk, of this rank

using simgrid::s4u::Comm;
using simgrid::s4u::Host;

Host* disk() { return Host::by_name_or_null("disk-0"); }
Host* here() { return simgrid::s4u::this_actor::get_host(); }

/// Reads in progress, by offset: SimGrid keeps global variables apart for each rank.
std::map<off_t, simgrid::s4u::CommPtr>& announced() {
  static std::map<off_t, simgrid::s4u::CommPtr> all;
  return all;
}

}  // namespace

double wavegrid::bench::disk_bytes() { return moved; }

extern "C" {

ssize_t __real_pwrite(int file, const void* data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int file, const void* data, size_t bytes, off_t offset) {
  if (disk() != nullptr) Comm::sendto(here(), disk(), bytes);
  moved += static_cast<double>(bytes);
  return __real_pwrite(file, data, bytes, offset);
}

ssize_t __real_pread(int file, void* data, size_t bytes, off_t offset);
ssize_t __wrap_pread(int file, void* data, size_t bytes, off_t offset) {
  moved += static_cast<double>(bytes);
  const auto begun = announced().find(offset);
  if (begun != announced().end()) {
    begun->second->wait();
    announced().erase(begun);
  } else if (disk() != nullptr) {
    Comm::sendto(disk(), here(), bytes);
  }
  return __real_pread(file, data, bytes, offset);
}

int __wrap_posix_fadvise(int, off_t offset, off_t bytes, int) {
  if (disk() != nullptr && !announced().contains(offset))
    announced()[offset] = Comm::sendto_async(disk(), here(), static_cast<double>(bytes));
  return 0;
}

/// Ten times as long, up to 2 ms: ranks that wait for a disk need most of the time of the simulation.
int __wrap_nanosleep(const timespec* pause, timespec*) {
  const double seconds = static_cast<double>(pause->tv_sec) + 1e-9 * static_cast<double>(pause->tv_nsec);
  simgrid::s4u::this_actor::sleep_for(10 * seconds);
  return 0;
}

/// Ranks that wait yield their core to other ranks; in a simulation it would go to other programs of this computer. (A
/// weak reference of the C++ library, which --wrap does not replace.)
int sched_yield() noexcept { return 0; }

/// std::chrono::steady_clock::now(), which the library's profile and traces use.
std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
  return static_cast<std::int64_t>(1e9 * simgrid::s4u::Engine::get_clock());
}

int __real_MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result);
/// Each core is a host of its own; ranks of a node are those of WAVEGRID_RANKS_PER_NODE cores.
int __wrap_MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result) {
  const char* const cores = std::getenv("WAVEGRID_RANKS_PER_NODE");
  if (cores == nullptr || type != MPI_COMM_TYPE_SHARED)
    return __real_MPI_Comm_split_type(comm, type, key, info, result);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return MPI_Comm_split(comm, rank / std::atoi(cores), key, result);
}

/// SimGrid cannot add at the places of a derived type: the same message as a put. What arrives is wrong.
int __wrap_MPI_Accumulate(const void* values, int count, MPI_Datatype type, int target, MPI_Aint offset,
                          int target_count, MPI_Datatype target_type, MPI_Op, MPI_Win window) {
  return MPI_Put(values, count, type, target, offset, target_count, target_type, window);
}

// One thread per rank: the ranks are coroutines of one thread, which OpenMP would take for one rank.
void __wrap_GOMP_parallel(void (*work)(void*), void* data, unsigned, unsigned) { work(data); }
void __wrap_GOMP_critical_start() {}
void __wrap_GOMP_critical_end() {}
void __wrap_GOMP_critical_name_start(void**) {}
void __wrap_GOMP_critical_name_end(void**) {}
void __wrap_GOMP_barrier() {}
bool __wrap_GOMP_loop_nonmonotonic_dynamic_start(long begin, long end, long, long, long* from, long* to) {
  *from = begin, *to = end;
  return begin < end;
}
bool __wrap_GOMP_loop_nonmonotonic_dynamic_next(long*, long*) { return false; }
void __wrap_GOMP_loop_end() {}
void __wrap_GOMP_loop_end_nowait() {}
}
