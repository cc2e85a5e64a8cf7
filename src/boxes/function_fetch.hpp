// The two ways to get a function from its owner.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <wavegrid/boxes/function_store.hpp>
#include <wavegrid/mpi/request.hpp>
#include <wavegrid/mpi/window.hpp>

namespace wavegrid {

/// Owns the values of this rank's functions and moves those of others.
template <class T>
class FunctionFetch {
 public:
  virtual ~FunctionFetch() = default;
  FunctionFetch() = default;
  FunctionFetch(const FunctionFetch&) = delete;
  FunctionFetch& operator=(const FunctionFetch&) = delete;

  /// The values of this rank's functions, one after the other.
  [[nodiscard]] virtual T* memory() = 0;
  /// The values have been written.
  virtual void publish() {}
  /// Starts to get a function into `to`, which must stay where it is until finish(function).
  virtual void start(Index function, std::span<T> to) = 0;
  /// Waits for a function that has been started; functions are finished in the order in which they were started.
  virtual void finish(Index function) = 0;
  /// Does what other ranks are waiting for.
  virtual void progress() {}
  /// Waits until no rank needs this one any more. Collective.
  virtual void end() = 0;
};

/// Collective.
template <class T>
[[nodiscard]] std::unique_ptr<FunctionFetch<T>> make_fetch(const Comm& comm, const FunctionTable& table,
                                                           FunctionAccess access);

}  // namespace wavegrid
