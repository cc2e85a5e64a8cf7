// One-sided transports: put into, or get from, a partner's window (as ONETEP does).
#pragma once

#include <wavegrid/exchange/backend.hpp>
#include <wavegrid/mpi/request.hpp>
#include <wavegrid/mpi/window.hpp>

namespace wavegrid {

/// The common part of both backends: the buffers of one side in a window, those of the other in plain memory, and the
/// empty messages by which partners notify each other that a buffer is free or filled.
class WindowBackend : public Backend {
 protected:
  enum class Notification { offsets, ready, done };

  /// The window contains the buffers of the messages to receive (`exposes_received`), or of those to send; each partner
  /// is sent the offset of its message.
  WindowBackend(BackendSetup&& setup, bool exposes_received);

  void notify(Notification notification, int to);
  void expect(Notification notification, int from, RequestList& list) const;
  [[nodiscard]] int tag(Notification notification) const { return setup_.tag + static_cast<int>(notification); }

  BackendSetup setup_;
  Index unit_ = 0;
  PooledResource<PlainMemory> memory_;  ///< the buffers that are not in the window
  std::vector<Index> remote_;  ///< offset of message i of the other side in the partner's window, elements of one band
  RequestList notified_;       ///< notifications sent
  RequestList ready_;          ///< notifications to be received, one for each message that this rank moves
  RequestList moves_;          ///< the puts or gets
};

/// The sender puts once the receivers' buffers are free, and notifies them when all messages have arrived.
class PutBackend : public WindowBackend {
 public:
  explicit PutBackend(BackendSetup setup);
  void open(Index unit) override;
  [[nodiscard]] std::byte* send_buffer(std::size_t i) override {
    return memory_->data.data() + setup_.send.offsets[i] * unit_;
  }
  [[nodiscard]] const std::byte* receive_buffer(std::size_t i) override {
    return window_->window.data() + setup_.receive.offsets[i] * unit_;
  }
  void start() override {}
  [[nodiscard]] bool test() override;
  void close() override;

 private:
  struct Target {
    void allocate(const Comm& comm, Index bytes) { window = Window::allocate(comm, bytes); }
    Window window;
  };
  PooledResource<Target> window_;
  RequestList done_;
  bool notified_all_ = false;  ///< the receivers have been notified that their messages have arrived
};

/// The receiver gets once a sender's buffer is filled, and notifies the sender when the message has been read.
class GetBackend : public WindowBackend {
 public:
  explicit GetBackend(BackendSetup setup);
  void open(Index unit) override;
  [[nodiscard]] std::byte* send_buffer(std::size_t i) override {
    return window_->window.data() + setup_.send.offsets[i] * unit_;
  }
  [[nodiscard]] const std::byte* receive_buffer(std::size_t i) override {
    return memory_->data.data() + setup_.receive.offsets[i] * unit_;
  }
  void start() override;
  [[nodiscard]] bool test() override;
  void close() override;

 private:
  struct Source {
    void allocate(const Comm& comm, Index bytes) { window = Window::allocate(comm, bytes); }
    Window window;
    RequestList read;  ///< notifications to be received that the messages of the last user have been read
  };
  PooledResource<Source> window_;
  bool notified_all_ = false;  ///< the senders have been notified that their messages have been read
};

}  // namespace wavegrid
