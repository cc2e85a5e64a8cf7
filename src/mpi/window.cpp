#include "mpi/window.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <numeric>
#include <span>
#include <vector>

#include "mpi/environment.hpp"

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
};

std::vector<Abandoned>& abandoned() {
  static std::vector<Abandoned> windows;
  return windows;
}

/// A number that the first rank of `comm` has not given before, with that rank's own number in the world. Collective.
Index new_number(const Comm& comm) {
  static Index made = 0;
  const int world_rank = Comm::world().rank();
  Index number = made++ * Comm::world().size() + world_rank;
  comm.broadcast(std::span<Index>(&number, 1));
  return number;
}

/// The values of all ranks. Collective.
std::vector<Index> gather(const Comm& comm, const std::vector<Index>& mine) {
  std::vector<Index> counts(static_cast<std::size_t>(comm.size()), 0);
  counts[static_cast<std::size_t>(comm.rank())] = static_cast<Index>(mine.size());
  comm.merge(std::span<Index>(counts));
  const auto first = std::accumulate(counts.begin(), counts.begin() + comm.rank(), Index{0});
  std::vector<Index> all(static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), Index{0})), 0);
  std::copy(mine.begin(), mine.end(), all.begin() + first);
  comm.merge(std::span<Index>(all));
  return all;
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
void free_window(MPI_Win window) {
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

}  // namespace

Window::Window(const Comm& comm, MPI_Win window, std::byte* data)
    : window_(window), number_(new_number(comm)), data_(data) {
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
}

void Window::free_abandoned(const Comm& comm) {
  std::vector<Abandoned>& windows = abandoned();
  if (comm.max(windows.empty() ? 0 : 1) == 0) return;
  std::vector<Index> mine;
  for (const Abandoned& one : windows) mine.push_back(one.number);
  const std::vector<Index> all = gather(comm, mine);
  // In the order of the numbers, which is the same on all ranks.
  std::sort(windows.begin(), windows.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  std::erase_if(windows, [&](const Abandoned& one) {
    if (std::count(all.begin(), all.end(), one.number) < size_of(one.window)) return false;
    free_window(one.window);
    return true;
  });
}

Window Window::allocate(const Comm& comm, Index bytes) {
  free_abandoned(comm);
  MPI_Win window = MPI_WIN_NULL;
  std::byte* data = nullptr;
  // Whole cache lines: MPICH 4.0.2 places segments of other sizes wrongly if ranks share the memory of a node.
  MPI_Win_allocate(static_cast<MPI_Aint>(whole_lines(bytes)), 1, MPI_INFO_NULL, comm.handle(),
                   static_cast<void*>(&data), &window);
  return {comm, window, data};
}

Window Window::allocate_shared(const Comm& node, Index bytes) {
  free_abandoned(node);
  MPI_Info info = MPI_INFO_NULL;  // segments need not be contiguous: each may be close to its rank, on its own pages
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  MPI_Win window = MPI_WIN_NULL;
  void* data = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(whole_lines(bytes) + cache_line), 1, info, node.handle(),
                          static_cast<void*>(&data), &window);
  MPI_Info_free(&info);
  return {node, window, aligned(data)};
}

Window::~Window() {
  if (window_ == MPI_WIN_NULL || !mpi_is_running()) return;
  if (std::uncaught_exceptions() == 0) {
    free_window(window_);
    return;
  }
  try {
    abandoned().push_back({number_, window_});
  } catch (...) {  // no memory: never freed
  }
}

std::byte* Window::data_of(int rank) const {
  MPI_Aint bytes = 0;
  int unit = 0;
  void* data = nullptr;
  MPI_Win_shared_query(window_, rank, &bytes, &unit, static_cast<void*>(&data));
  return aligned(data);
}

}  // namespace wavegrid
