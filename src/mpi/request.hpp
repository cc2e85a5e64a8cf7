// Pending MPI operations as values.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace wavegrid {

/// One operation that was started, or a persistent one. Its destructor waits for the operation and frees it.
class Request {
 public:
  Request() = default;
  Request(Request&& other) noexcept : handle_(std::exchange(other.handle_, MPI_REQUEST_NULL)) {}
  Request& operator=(Request&& other) noexcept;
  ~Request() { reset(); }

  /// Where an MPI call stores the handle of a new operation; waits for the previous operation, if any, and frees it.
  [[nodiscard]] MPI_Request* receive_handle() {
    reset();
    return &handle_;
  }
  [[nodiscard]] bool empty() const { return handle_ == MPI_REQUEST_NULL; }
  /// Starts a persistent operation.
  void start() { MPI_Start(&handle_); }
  /// True if the operation is complete, or if there is none.
  [[nodiscard]] bool test();
  void wait() { MPI_Wait(&handle_, MPI_STATUS_IGNORE); }
  void reset();

 private:
  MPI_Request handle_ = MPI_REQUEST_NULL;
};

/// Several operations that are completed together, numbered in the order in which they were added. Its destructor
/// waits for all and frees them.
class RequestList {
 public:
  RequestList() = default;
  RequestList(RequestList&& other) noexcept : handles_(std::exchange(other.handles_, {})) {}
  RequestList& operator=(RequestList&& other) noexcept {
    clear();
    handles_.swap(other.handles_);
    return *this;
  }
  ~RequestList() { clear(); }

  /// Where an MPI call stores the handle of a further operation.
  [[nodiscard]] MPI_Request* add() { return &handles_.emplace_back(MPI_REQUEST_NULL); }
  [[nodiscard]] std::size_t size() const { return handles_.size(); }

  /// Starts the persistent operations [begin, end).
  void start(std::size_t begin, std::size_t end);
  void start() { start(0, size()); }
  /// True if the first `count` operations, or all, are complete.
  [[nodiscard]] bool test(std::size_t count);
  [[nodiscard]] bool test() { return test(size()); }
  void wait(std::size_t count);
  void wait() { wait(size()); }
  /// The numbers of operations completed since the last call; valid until the next one.
  [[nodiscard]] const std::vector<int>& test_some();
  /// Waits for all operations and frees them.
  void clear();

 private:
  std::vector<MPI_Request> handles_;
  std::vector<int> completed_;
};

}  // namespace wavegrid
