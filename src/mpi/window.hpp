// Memory that other ranks can read and write.
#pragma once

#include <cstddef>

#include "mpi/comm.hpp"

namespace wavegrid {

/// An MPI window with its own memory, accessible to all ranks of a communicator (one lock_all) as long as it exists.
/// Construction and destruction are collective. The users synchronise their accesses themselves.
///
/// A window that is destroyed while an exception is handled is abandoned: the exception may be on one rank only, and
/// the others would not take part in freeing it. If it was on all ranks, free_abandoned() frees the window later.
class Window {
 public:
  Window() = default;
  /// `bytes` on this rank, for MPI_Put and MPI_Get. Collective.
  [[nodiscard]] static Window allocate(const Comm& comm, Index bytes);
  /// `bytes` on this rank that all ranks of `node` can address. The ranks of `node` share memory. Collective.
  [[nodiscard]] static Window allocate_shared(const Comm& node, Index bytes);
  /// Frees those abandoned windows that all their ranks have abandoned, if these are ranks of `comm`; other windows
  /// stay. `allocate` and `allocate_shared` begin with it. Collective.
  static void free_abandoned(const Comm& comm);

  Window(Window&& other) noexcept { swap(other); }
  Window& operator=(Window&& other) noexcept {
    Window old(std::move(other));
    swap(old);
    return *this;
  }
  ~Window();

  [[nodiscard]] MPI_Win handle() const { return window_; }
  /// This rank's memory, aligned to cache lines.
  [[nodiscard]] std::byte* data() const { return data_; }
  /// The memory of a rank of the node; shared windows only.
  [[nodiscard]] std::byte* data_of(int rank) const;

  /// Completes all puts of this rank, also at their targets.
  void flush() const { MPI_Win_flush_all(window_); }
  /// Makes the puts of other ranks visible to this rank, and local writes visible to other ranks.
  void sync() const { MPI_Win_sync(window_); }

 private:
  /// A new window of the ranks of `comm`. Collective.
  Window(const Comm& comm, MPI_Win window, std::byte* data);
  void swap(Window& other) noexcept {
    std::swap(window_, other.window_);
    std::swap(number_, other.number_);
    std::swap(data_, other.data_);
  }

  MPI_Win window_ = MPI_WIN_NULL;
  Index number_ = 0;  ///< the same on all ranks of the window, and of no other window
  std::byte* data_ = nullptr;
};

}  // namespace wavegrid
