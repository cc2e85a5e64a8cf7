// Memory that other ranks can read and write.
#pragma once

#include <cstddef>
#include <string>

#include <wavegrid/mpi/comm.hpp>
#include <wavegrid/mpi/datatype.hpp>

namespace wavegrid {

/// When a window may be accessed.
enum class WindowAccess {
  always,  ///< as long as it exists: one lock_all
  locked   ///< between lock() and unlock() of a target
};

/// An MPI window with its own memory, or with memory of the caller. Construction and destruction are collective. The
/// users synchronise their accesses themselves. Targets are passive: they take no part in a put, get or accumulate.
///
/// A window that is destroyed while an exception is handled is abandoned: the exception may be on one rank only, and
/// the others would not take part in freeing it. If it was on all ranks, free_orphaned() frees the window later.
class Window {
 public:
  Window() = default;
  /// `bytes` on this rank. Collective. Throws environment_error on all ranks if one does not get the memory.
  [[nodiscard]] static Window allocate(const Comm& comm, Index bytes, WindowAccess access = WindowAccess::always);
  /// `bytes` on this rank that all ranks of `node` can address. The ranks of `node` share memory. Collective.
  [[nodiscard]] static Window allocate_shared(const Comm& node, Index bytes);
  /// Frees those abandoned windows that all their ranks have abandoned, if these are ranks of `comm`; other windows
  /// stay. `allocate` and `allocate_shared` begin with it. Collective.
  static void free_orphaned(const Comm& comm);

  Window(Window&& other) noexcept { swap(other); }
  Window& operator=(Window&& other) noexcept {
    Window old(std::move(other));
    swap(old);
    return *this;
  }
  ~Window();

  [[nodiscard]] MPI_Win handle() const { return window_; }
  /// The name that MPI gives to the window: with Open MPI it begins with that of the one-sided component.
  [[nodiscard]] std::string name() const;
  /// This rank's memory, aligned to cache lines.
  [[nodiscard]] std::byte* data() const { return data_; }
  /// The memory of a rank of the node; shared windows only.
  [[nodiscard]] std::byte* data_of(int rank) const;

  /// One contiguous array of this rank, and where its elements are on the target: `offset` bytes from the beginning of
  /// the target's memory, in order, or spread as `spread` says. The array may be used again after a flush or unlock.
  template <class T>
  struct Access {
    T* values = nullptr;
    Index count = 0;
    int target = 0;
    Index offset = 0;                  ///< bytes
    const Datatype* spread = nullptr;  ///< contains `count` elements of type T
  };
  template <class T>
  void put(const Access<const T>& access) const;
  template <class T>
  void get(const Access<T>& access) const;
  /// Adds to the elements of the target; additions of many ranks to the same elements give their sum, in any order.
  template <class T>
  void accumulate(const Access<const T>& access) const;

  /// Begins and ends accesses to a target; WindowAccess::locked only. The accesses are complete, here and there, after
  /// unlock(). `exclusive`: no other rank accesses that target meanwhile.
  void lock(int target, bool exclusive = false) const {
    MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, window_);
  }
  void unlock(int target) const { MPI_Win_unlock(target, window_); }
  /// Completes all accesses of this rank to `target`, also there; WindowAccess::always only, as all that follow.
  void flush(int target) const { MPI_Win_flush(target, window_); }
  /// Completes them on this rank: its arrays may be used again.
  void flush_local(int target) const { MPI_Win_flush_local(target, window_); }
  /// Completes all accesses of this rank, also at their targets.
  void flush() const { MPI_Win_flush_all(window_); }
  /// Makes the puts of other ranks visible to this rank, and local writes visible to other ranks.
  void sync() const { MPI_Win_sync(window_); }

 private:
  /// A new window of the ranks of `comm`. Collective.
  Window(const Comm& comm, MPI_Win window, std::byte* data, WindowAccess access);
  void swap(Window& other) noexcept {
    std::swap(window_, other.window_);
    std::swap(number_, other.number_);
    std::swap(data_, other.data_);
    std::swap(access_, other.access_);
  }

  MPI_Win window_ = MPI_WIN_NULL;
  Index number_ = 0;  ///< the same on all ranks of the window, and of no other window
  std::byte* data_ = nullptr;
  WindowAccess access_ = WindowAccess::always;
};

}  // namespace wavegrid
