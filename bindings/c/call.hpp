// Common to all functions of the C interface: errors become statuses, arguments are checked, ranks agree.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/fingerprint.hpp>
#include <wavegrid/base/index.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid::c {

/// The status of the exception being handled; keeps its message for wavegrid_last_error().
[[nodiscard]] int exception_status() noexcept;

/// Runs the body of a C function; no exception leaves it.
template <class Body>
[[nodiscard]] int guarded(Body body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    return exception_status();
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

/// Runs `check`, which checks this rank's arguments and returns a fingerprint of those that must be the same on all. If
/// it throws on any rank, all throw the error of the lowest such rank, which the message names; if the fingerprints
/// differ, all throw bad_input: "the ranks call `function` with different `what`". Collective, one reduction; `check`
/// must not communicate.
void agree(const Comm& comm, const char* function, const char* what, const std::function<Fingerprint()>& check);

}  // namespace wavegrid::c
