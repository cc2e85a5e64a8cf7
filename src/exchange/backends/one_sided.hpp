// One-sided transports: put into, or get from, a partner's window (ONETEP's way).
#pragma once

#include "exchange/backend.hpp"

namespace wavegrid {

/// A window under one lock_all for its life, and the empty messages ("notifications") by which partners tell each other
/// that a box is free or filled. The window holds one side's boxes, the other side's stand in plain memory.
class WindowBackend : public Backend {
 public:
  ~WindowBackend() override;

 protected:
  enum class Notification { setup, ready, done };

  /// `exposed` is the messages whose boxes stand in the window; the partners of the other side learn their offsets in
  /// it.
  WindowBackend(BackendSetup setup, bool expose_in);
  WindowBackend(const WindowBackend&) = delete;

  void send_notification(Notification notification, int to);
  void receive_notification(Notification notification, int from, MPI_Request& request);
  /// Indices of the requests that have come true since the last call.
  [[nodiscard]] const std::vector<int>& arrived(std::vector<MPI_Request>& requests);
  [[nodiscard]] static bool all_done(std::vector<MPI_Request>& requests);
  [[nodiscard]] int tag(Notification notification) const { return setup_.tag + static_cast<int>(notification); }

  BackendSetup setup_;
  Index unit_ = 0;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* window_buffer_ = nullptr;      ///< the window's own memory
  AlignedVector<std::byte> local_buffer_;   ///< the other side's
  std::vector<Index> remote_;               ///< offset of message i in the partner's window, elements of one band
  std::vector<MPI_Request> notifications_;  ///< notifications sent
  std::vector<MPI_Request> ready_, done_;   ///< notifications to come
  std::size_t num_moved_ = 0;               ///< of ready_: those whose data have been moved
  std::vector<int> indices_;
};

/// The sender puts when the receiver's box is free and says when it has.
class PutBackend : public WindowBackend {
 public:
  explicit PutBackend(BackendSetup setup) : WindowBackend(std::move(setup), true) {}
  void open(Index unit) override;
  [[nodiscard]] std::byte* send_buffer(std::size_t i) override {
    return local_buffer_.data() + setup_.send.offsets[i] * unit_;
  }
  [[nodiscard]] const std::byte* receive_buffer(std::size_t i) override {
    return window_buffer_ + setup_.receive.offsets[i] * unit_;
  }
  void start() override {}
  [[nodiscard]] bool test() override;
};

/// The receiver gets when the sender's box is filled and says when it has.
class GetBackend : public WindowBackend {
 public:
  explicit GetBackend(BackendSetup setup) : WindowBackend(std::move(setup), false) {}
  ~GetBackend() override;
  void open(Index unit) override;
  [[nodiscard]] std::byte* send_buffer(std::size_t i) override {
    return window_buffer_ + setup_.send.offsets[i] * unit_;
  }
  [[nodiscard]] const std::byte* receive_buffer(std::size_t i) override {
    return local_buffer_.data() + setup_.receive.offsets[i] * unit_;
  }
  void start() override;
  [[nodiscard]] bool test() override;
};

}  // namespace wavegrid
