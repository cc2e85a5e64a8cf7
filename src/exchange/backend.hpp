// What every transport implements: dense messages in, dense messages out.
#pragma once

#include <memory>
#include <vector>

#include "exchange/message_list.hpp"
#include "exchange/resource_pool.hpp"
#include "exchange/transport.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

/// Sends and receives the messages of one direction of a plan, one exchange at a time.
///
/// An exchange is: open, fill the send buffers, start, test until true, read the receive buffers, close. From open to
/// close it has buffers of its own, which other backends of the communicator use at other times. `unit` is the bytes
/// that one element of the plan takes in a message, the same on all ranks. All ranks make and use their backends in the
/// same order.
class Backend {
 public:
  virtual ~Backend() = default;
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  /// Prepares the buffers for messages of this unit. May wait for partners that still read the last messages.
  virtual void open(Index unit) = 0;
  /// Where message i is to be packed, valid from open() to start().
  [[nodiscard]] virtual std::byte* send_buffer(std::size_t i) = 0;
  /// The messages to other nodes can be sent before the others are packed, by start_far().
  [[nodiscard]] virtual bool has_far_messages() const { return false; }
  [[nodiscard]] virtual bool is_far(std::size_t) const { return false; }
  virtual void start_far() {}
  virtual void start() = 0;
  /// True once all messages have arrived and the send buffers are no longer needed. Makes progress.
  [[nodiscard]] virtual bool test() = 0;
  /// Waits until test() would be true.
  virtual void wait();
  /// Where message i has arrived, valid between the end of the wait and close().
  [[nodiscard]] virtual const std::byte* receive_buffer(std::size_t i) = 0;
  /// The receive buffers have been read.
  virtual void close() = 0;
};

/// What a backend is made of.
struct BackendSetup {
  Comm comm;
  MessageList send, receive;
  Index capacity = 0;  ///< the largest unit with which it will be opened
  int tag = 0;         ///< the first of tags_per_backend tags for its point-to-point messages
};
inline constexpr int tags_per_backend = 4;

/// Tags for one more backend of a communicator, which no other one has (until MPI has no more: then the oldest again).
/// All ranks alike.
[[nodiscard]] int reserve_tags(const Comm& comm);

/// Collective over setup.comm. Throws environment_error where this MPI has no such transport.
[[nodiscard]] std::unique_ptr<Backend> make_backend(Transport transport, BackendSetup setup);

/// Both buffers in plain memory: that of the messages to send, and behind it that of those to receive.
class BufferedBackend : public Backend {
 public:
  explicit BufferedBackend(BackendSetup setup);
  void open(Index unit) override;
  [[nodiscard]] std::byte* send_buffer(std::size_t i) override { return to_send_ + setup_.send.offsets[i] * unit_; }
  [[nodiscard]] const std::byte* receive_buffer(std::size_t i) override {
    return received_ + setup_.receive.offsets[i] * unit_;
  }
  void close() override { memory_.give_back(); }

 protected:
  /// For `send` and `receive` elements in the buffers.
  BufferedBackend(BackendSetup&& setup, Index send, Index receive);
  /// Unit or buffers are others than at the last exchange, on all ranks: prepares what depends on them.
  virtual void bind() = 0;

  BackendSetup setup_;
  Index unit_ = 0;
  std::byte *to_send_ = nullptr, *received_ = nullptr;

 private:
  Index send_elements_;
  PooledResource<PlainMemory> memory_;
};

/// The MPI type in whose units messages are counted: the widest that divides `unit` bytes.
struct MessageType {
  MPI_Datatype type = MPI_BYTE;
  Index size = 1;
  explicit MessageType(Index unit);
  /// Elements of the plan as a count of this type; throws where it does not fit an int.
  [[nodiscard]] int count(Index elements, Index unit) const;
};

/// Lengths and offsets of messages as MPI's v-collectives take them; where there is no message they are 0.
class CountArrays {
 public:
  explicit CountArrays(std::size_t size = 0) : length(size), offset(size) {}
  /// The entries of message i are at positions[i].
  void fill(const MessageList& messages, const std::vector<int>& positions, Index unit);

  std::vector<int> length, offset;
};

/// Gives the processor to other ranks: waiting ranks may share a core with the one they wait for.
void yield_processor();

}  // namespace wavegrid
