#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mpi/environment.hpp>
#include <wavegrid/mpi/gather.hpp>
#include <wavegrid/mpi/node.hpp>
#include <wavegrid/mpi/window.hpp>

namespace wavegrid {

namespace {

constexpr Index cache_line = 64;

Index whole_lines(Index bytes) { return (bytes + cache_line - 1) / cache_line * cache_line; }

/// The first cache line of a segment. The offset of a segment from a cache line is the same on all ranks that map it.
std::byte* aligned(void* segment) {
  const auto address = reinterpret_cast<std::uintptr_t>(segment);
  return reinterpret_cast<std::byte*>((address + cache_line - 1) / cache_line * cache_line);
}

/// A window that an exception has left on this rank.
struct Abandoned {
  Index number;
  MPI_Win window;
  WindowAccess access;
};

std::vector<Abandoned>& abandoned() {
  static std::vector<Abandoned> windows;
  return windows;
}

/// A number that the first rank of `comm` has not given before, with that rank's own number in the world. Collective.
Index new_number(const Comm& comm) {
  static std::atomic<Index> made = 0;
  const int world_rank = Comm::world().rank();
  Index number = made++ * Comm::world().size() + world_rank;
  comm.broadcast(std::span<Index>(&number, 1));
  return number;
}

int size_of(MPI_Win window) {
  MPI_Group group = MPI_GROUP_NULL;
  int size = 0;
  MPI_Win_get_group(window, &group);
  MPI_Group_size(group, &size);
  MPI_Group_free(&group);
  return size;
}

/// Collective over the ranks of the window.
void free_window(MPI_Win window, WindowAccess access) {
  if (access == WindowAccess::always) MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

/// Refuses a window that is larger than its memory: Open MPI 4.1 does not return on all ranks then, and MPICH 4.0
/// crashes. If all ranks are on one node, that memory is a file in /dev/shm. Collective; throws on all ranks.
void require_memory(const Comm& comm, Index bytes) {
  const bool shared = comm.size() > 1 && !spans_nodes(comm);
  const Index needed = shared ? comm.sum(bytes) : bytes;
  struct statvfs space {};
  const bool known = shared && statvfs("/dev/shm", &space) == 0;
  const auto in_shm = static_cast<Index>(space.f_bavail) * static_cast<Index>(space.f_frsize);
  const Index in_machine = Index{sysconf(_SC_PHYS_PAGES)} * Index{sysconf(_SC_PAGE_SIZE)};
  comm.collectively([&] {
    if (known && needed > in_shm)
      throw environment_error("the ranks of a node need a window of " + std::to_string(needed) +
                              " bytes, and /dev/shm has " + std::to_string(in_shm) +
                              "; use more nodes, or enlarge /dev/shm");
    if (needed > in_machine)
      throw environment_error("rank " + std::to_string(comm.rank()) + " needs a window of " + std::to_string(needed) +
                              " bytes, and its machine has " + std::to_string(in_machine) + "; use more nodes");
  });
}

/// Runs `make`, an MPI call that makes a window of the ranks of `comm`, with errors returned. Collective; throws on all
/// ranks if it fails on one.
template <class Make>
void make_window(const Comm& comm, Index bytes, Make make) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm.handle(), &handler);
  MPI_Comm_set_errhandler(comm.handle(), MPI_ERRORS_RETURN);
  const int status = make();
  MPI_Comm_set_errhandler(comm.handle(), handler);
  MPI_Errhandler_free(&handler);
  comm.collectively([&] {
    if (status != MPI_SUCCESS)
      throw environment_error("MPI refused rank " + std::to_string(comm.rank()) + " a window of " +
                              std::to_string(bytes) + " bytes; use more nodes");
  });
}

/// Hints for MPI: only sums are accumulated, in any order.
MPI_Info sums_in_any_order() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "accumulate_ordering", "none");
  MPI_Info_set(info, "accumulate_ops", "same_op");
  return info;
}

void require_count(Index count) {
  if (count <= max_message) return;
  throw bad_input("an access to a window has " + std::to_string(count) + " elements; at most " +
                  std::to_string(max_message) + " are possible in one");
}

/// The count and the datatype of an access at its target.
template <class T, class Access>
std::pair<int, MPI_Datatype> at_target(const Access& access) {
  if (access.spread) return {1, access.spread->handle()};
  return {static_cast<int>(access.count), mpi_type<T>()};
}

}  // namespace

Window::Window(const Comm& comm, MPI_Win window, std::byte* data, WindowAccess access)
    : window_(window), number_(new_number(comm)), data_(data), access_(access) {
  if (access_ == WindowAccess::always) MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
}

void Window::free_orphaned(const Comm& comm) {
  std::vector<Abandoned>& windows = abandoned();
  if (comm.max(windows.empty() ? 0 : 1) == 0) return;
  std::vector<Index> mine;
  for (const Abandoned& one : windows) mine.push_back(one.number);
  const std::vector<Index> all = gather_all(comm, mine).values;
  // In the order of the numbers, which is the same on all ranks.
  std::sort(windows.begin(), windows.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  std::erase_if(windows, [&](const Abandoned& one) {
    if (std::count(all.begin(), all.end(), one.number) < size_of(one.window)) return false;
    free_window(one.window, one.access);
    return true;
  });
}

Window Window::allocate(const Comm& comm, Index bytes, WindowAccess access) {
  free_orphaned(comm);
  require_memory(comm, bytes);
  MPI_Win window = MPI_WIN_NULL;
  std::byte* data = nullptr;
  MPI_Info info = sums_in_any_order();
  // Whole cache lines: MPICH 4.0.2 places segments of other sizes wrongly if ranks share the memory of a node.
  make_window(comm, bytes, [&] {
    return MPI_Win_allocate(static_cast<MPI_Aint>(whole_lines(bytes)), 1, info, comm.handle(),
                            static_cast<void*>(&data), &window);
  });
  MPI_Info_free(&info);
  return {comm, window, data, access};
}

Window Window::allocate_shared(const Comm& node, Index bytes) {
  free_orphaned(node);
  require_memory(node, bytes);
  MPI_Info info = MPI_INFO_NULL;  // segments need not be contiguous: each may be close to its rank, on its own pages
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  MPI_Win window = MPI_WIN_NULL;
  void* data = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(whole_lines(bytes) + cache_line), 1, info, node.handle(),
                          static_cast<void*>(&data), &window);
  MPI_Info_free(&info);
  return {node, window, aligned(data), WindowAccess::always};
}

Window::~Window() {
  if (window_ == MPI_WIN_NULL || !mpi_is_running()) return;
  if (std::uncaught_exceptions() == 0) {
    free_window(window_, access_);
    return;
  }
  try {
    abandoned().push_back({number_, window_, access_});
  } catch (...) {  // no memory: never freed
  }
}

std::string Window::name() const {
  char text[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  MPI_Win_get_name(window_, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

std::byte* Window::data_of(int rank) const {
  MPI_Aint bytes = 0;
  int unit = 0;
  void* data = nullptr;
  MPI_Win_shared_query(window_, rank, &bytes, &unit, static_cast<void*>(&data));
  return aligned(data);
}

template <class T>
void Window::put(const Access<const T>& access) const {
  require_count(access.count);
  const auto [count, type] = at_target<T>(access);
  MPI_Put(access.values, static_cast<int>(access.count), mpi_type<T>(), access.target,
          static_cast<MPI_Aint>(access.offset), count, type, window_);
}

template <class T>
void Window::get(const Access<T>& access) const {
  require_count(access.count);
  const auto [count, type] = at_target<T>(access);
  MPI_Get(access.values, static_cast<int>(access.count), mpi_type<T>(), access.target,
          static_cast<MPI_Aint>(access.offset), count, type, window_);
}

template <class T>
void Window::accumulate(const Access<const T>& access) const {
  require_count(access.count);
  const auto [count, type] = at_target<T>(access);
  MPI_Accumulate(access.values, static_cast<int>(access.count), mpi_type<T>(), access.target,
                 static_cast<MPI_Aint>(access.offset), count, type, MPI_SUM, window_);
}

#define WAVEGRID_INSTANTIATE(T)                               \
  template void Window::put<T>(const Access<const T>&) const; \
  template void Window::get<T>(const Access<T>&) const;       \
  template void Window::accumulate<T>(const Access<const T>&) const;
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<float>)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
