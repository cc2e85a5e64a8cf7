// Common to all functions of the C interface: errors become statuses, arguments are checked, ranks agree.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "base/index.hpp"
#include "mpi/comm.hpp"

namespace wavegrid::c {

/// The status of the exception being handled; keeps its message for wavegrid_last_error().
[[nodiscard]] int status_of_exception() noexcept;

/// Runs the body of a C function; no exception leaves it.
template <class Body>
[[nodiscard]] int guarded(Body body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    return status_of_exception();
  }
}

/// Throws bad_input with the name of the pointer if it is NULL.
inline void require_given(const void* pointer, const char* name) {
  if (!pointer) throw bad_input(std::string(name) + " is NULL");
}

/// The object that a pointer points to; throws bad_input if the pointer is NULL.
template <class T>
[[nodiscard]] T& given(T* pointer, const char* name) {
  require_given(pointer, name);
  return *pointer;
}

/// Sets the output argument of a function that creates a handle to null, so that it is null on failure.
template <class Handle>
void clear(Handle** handle) {
  if (handle) *handle = nullptr;
}

/// A duplicate of the caller's communicator. Collective.
[[nodiscard]] Comm communicator(MPI_Comm comm);

/// Throws bad_input where `length` is not bands * size, or the array is NULL but not empty.
void require_length(const char* name, const void* data, Index length, Index bands, Index size);

/// Hash of values that must be the same on all ranks.
class Fingerprint {
 public:
  template <class T>
  Fingerprint& add(const T& value) {
    return add(std::span<const T>(&value, 1));
  }
  template <class T>
  Fingerprint& add(std::span<const T> values) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    add_bytes(std::as_bytes(values));
    return *this;
  }
  /// 63 bits: neither it nor its negative overflows.
  [[nodiscard]] Index value() const { return static_cast<Index>(hash_ >> 1); }

 private:
  void add_bytes(std::span<const std::byte> bytes);
  std::uint64_t hash_ = 14695981039346656037u;
};

/// Runs `check`, which checks this rank's arguments and returns a fingerprint of those that must be the same on all. If
/// it throws on any rank, all throw the error of the lowest such rank; if the fingerprints differ, all throw bad_input:
/// "the ranks call `function` with different `what`". Collective, one reduction; `check` must not communicate.
void agree(const Comm& comm, const char* function, const char* what, const std::function<Fingerprint()>& check);

}  // namespace wavegrid::c
