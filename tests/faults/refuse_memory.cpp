// A library to preload into a run (LD_PRELOAD): refuses one allocation, the N-th after MPI's start, of one rank.
//
// It counts calls of malloc and its relatives by the core and by the libraries that it uses (C++ operator new among
// them), windows and memory of MPI; not those of Python and of MPI itself.
//   REFUSE_RANK   the rank; the others are left alone
//   REFUSE_AT     the number of the call that is refused, from 1; 0 refuses none
//   REFUSE_SITES  a file for the numbers of those calls, line by line, that are the first of their call stack
//   REFUSE_TOTAL  a file for the number of all those calls
#include <execinfo.h>
#include <link.h>
#include <mpi.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

constexpr const char* libraries[] = {"_core.",      "libstdc++",    "libhdf5", "libfftw3",
                                     "libopenblas", "libscalapack", "libxc",   "libsymspg"};

struct Code {
  std::uintptr_t begin = 0, end = 0;
};
std::array<Code, 32> counted;
std::size_t num_counted = 0;
std::atomic<long> calls = 0;
std::atomic<bool> counting = false;
long refused_call = 0;
std::FILE* sites = nullptr;
std::set<std::uint64_t> seen;

int add_library(dl_phdr_info* info, std::size_t, void*) {
  for (const char* name : libraries) {
    if (!std::strstr(info->dlpi_name, name)) continue;
    for (int i = 0; i < info->dlpi_phnum && num_counted < counted.size(); ++i)
      if (const auto& part = info->dlpi_phdr[i]; part.p_type == PT_LOAD && (part.p_flags & PF_X)) {
        const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        counted[num_counted++] = {begin, begin + part.p_memsz};
      }
  }
  return 0;
}

/// Writes the number of a call whose stack has not been seen.
void record(long call) {
  constexpr int depth = 24;
  std::array<void*, depth> frames{};
  counting = false;  // what these functions allocate does not count
  const int found = backtrace(frames.data(), depth);
  std::uint64_t hash = 1469598103934665603u;
  for (int i = 0; i < found; ++i) hash = (hash ^ reinterpret_cast<std::uintptr_t>(frames[i])) * 1099511628211u;
  if (seen.insert(hash).second) std::fprintf(sites, "%ld\n", call);
  counting = true;
}

bool is_refused() {
  const long call = ++calls;
  if (sites) record(call);
  return call == refused_call;
}

bool is_refused(const void* caller) {
  if (!counting) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  for (std::size_t i = 0; i < num_counted; ++i)
    if (address >= counted[i].begin && address < counted[i].end) return is_refused();
  return false;
}

void start() {
  const char* const rank = std::getenv("REFUSE_RANK");
  const char* const at = std::getenv("REFUSE_AT");
  int mine = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  if (!rank || !at || std::atoi(rank) != mine) return;
  dl_iterate_phdr(add_library, nullptr);
  refused_call = std::atol(at);
  if (const char* const path = std::getenv("REFUSE_SITES")) sites = std::fopen(path, "w");
  counting = true;
}

void stop() {
  if (!counting) return;
  counting = false;
  if (const char* const path = std::getenv("REFUSE_TOTAL"))
    if (std::FILE* const file = std::fopen(path, "w")) {
      std::fprintf(file, "%ld\n", calls.load());
      std::fclose(file);
    }
  if (sites) std::fclose(sites);
  sites = nullptr;
}

int refuse(MPI_Comm comm) {
  MPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
  return MPI_ERR_NO_MEM;
}

}  // namespace

#define CALLER __builtin_return_address(0)

extern "C" {

void* malloc(std::size_t size) {
  if (!is_refused(CALLER)) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}

void* calloc(std::size_t count, std::size_t size) {
  if (!is_refused(CALLER)) return __libc_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}

void* realloc(void* old, std::size_t size) {
  if (!is_refused(CALLER)) return __libc_realloc(old, size);
  errno = ENOMEM;
  return nullptr;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (!is_refused(CALLER)) return __libc_memalign(alignment, size);
  errno = ENOMEM;
  return nullptr;
}

void* memalign(std::size_t alignment, std::size_t size) {
  if (!is_refused(CALLER)) return __libc_memalign(alignment, size);
  errno = ENOMEM;
  return nullptr;
}

int posix_memalign(void** made, std::size_t alignment, std::size_t size) {
  void* const found = is_refused(CALLER) ? nullptr : __libc_memalign(alignment, size);
  if (!found) return ENOMEM;
  *made = found;
  return 0;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int status = PMPI_Init_thread(argc, argv, required, provided);
  start();
  return status;
}

int MPI_Finalize() {
  stop();
  return PMPI_Finalize();
}

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* made) {
  return counting && is_refused() ? refuse(MPI_COMM_WORLD) : PMPI_Alloc_mem(size, info, made);
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* made, MPI_Win* window) {
  return counting && is_refused() ? refuse(comm) : PMPI_Win_allocate(size, unit, info, comm, made, window);
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* made, MPI_Win* window) {
  return counting && is_refused() ? refuse(comm) : PMPI_Win_allocate_shared(size, unit, info, comm, made, window);
}
}
