#include "mpi/window.hpp"

#include <cstdint>
#include <exception>

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

}  // namespace

Window Window::allocate(const Comm& comm, Index bytes) {
  MPI_Win window = MPI_WIN_NULL;
  std::byte* data = nullptr;
  // Whole cache lines: MPICH 4.0.2 places segments of other sizes wrongly if ranks share the memory of a node.
  MPI_Win_allocate(static_cast<MPI_Aint>(whole_lines(bytes)), 1, MPI_INFO_NULL, comm.handle(),
                   static_cast<void*>(&data), &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  return {window, data};
}

Window Window::allocate_shared(const Comm& node, Index bytes) {
  MPI_Info info = MPI_INFO_NULL;  // segments need not be contiguous: each may be close to its rank, on its own pages
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  MPI_Win window = MPI_WIN_NULL;
  void* data = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(whole_lines(bytes) + cache_line), 1, info, node.handle(),
                          static_cast<void*>(&data), &window);
  MPI_Info_free(&info);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  return {window, aligned(data)};
}

Window::~Window() {
  if (window_ == MPI_WIN_NULL || !mpi_is_running()) return;
  // An exception may have occurred on this rank only; the others would not take part in freeing the window.
  if (std::uncaught_exceptions() > 0) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

std::byte* Window::data_of(int rank) const {
  MPI_Aint bytes = 0;
  int unit = 0;
  void* data = nullptr;
  MPI_Win_shared_query(window_, rank, &bytes, &unit, static_cast<void*>(&data));
  return aligned(data);
}

}  // namespace wavegrid
