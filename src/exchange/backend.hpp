// What every transport implements: dense messages in, dense messages out.
#pragma once

#include <memory>
#include <vector>

#include <wavegrid/exchange/message_list.hpp>
#include <wavegrid/exchange/resource_pool.hpp>
#include <wavegrid/exchange/transport.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Sends and receives the messages of one direction of a plan, one exchange at a time.
///
/// An exchange is: open, fill the send buffers, start, test until true, read the receive buffers, close. From open to
/// close it has exclusive use of its buffers, which other backends of the communicator use at other times. `unit` is
/// the number of bytes of one element of the plan in a message, the same on all ranks. All ranks make and use their
/// backends in the same order.
class Backend {
 public:
  virtual ~Backend() = default;
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  /// Prepares the buffers for messages of this unit. May wait for partners that are still reading the previous
  /// messages.
  virtual void open(Index unit) = 0;
  /// Where message i is to be packed, valid from open() to start().
  [[nodiscard]] virtual std::byte* send_buffer(std::size_t i) = 0;
  /// True if there are messages to other nodes, which start_far() can send before the others are packed.
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

/// The arguments from which a backend is made.
struct BackendSetup {
  Comm comm;
  MessageList send, receive;
  Index capacity = 0;  ///< the largest unit with which the backend will be opened
  int tag = 0;         ///< the first of tags_per_backend tags for its point-to-point messages
};
inline constexpr int tags_per_backend = 4;

/// The first of tags_per_backend tags for one more backend of a communicator. No other backend has the same tags, until
/// all tags of MPI are in use; then the oldest ones are used again. The same on all ranks.
[[nodiscard]] int reserve_tags(const Comm& comm);

/// The offsets of `messages` in their partners' buffers: each rank sends every partner of `exposed` the offset of its
/// message. Collective over the partners.
[[nodiscard]] std::vector<Index> remote_offsets(const Comm& comm, int tag, const MessageList& messages,
                                                const MessageList& exposed);

/// Collective over setup.comm.
[[nodiscard]] std::unique_ptr<Backend> make_backend(Transport transport, BackendSetup setup);

/// A backend with one array in plain memory: first the buffer of the messages to send, then that of the messages to
/// receive.
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
  /// With `send` and `receive` elements in the buffers.
  BufferedBackend(BackendSetup&& setup, Index send, Index receive);
  /// Called on all ranks if the unit or the buffers differ from those of the last exchange: prepares what depends on
  /// them.
  virtual void bind() = 0;

  BackendSetup setup_;
  Index unit_ = 0;
  std::byte *to_send_ = nullptr, *received_ = nullptr;

 private:
  Index send_elements_;
  PooledResource<PlainMemory> memory_;
};

/// The MPI datatype in which messages are counted: the largest whose size divides `unit` bytes.
struct MessageType {
  MPI_Datatype type = MPI_BYTE;
  Index size = 1;
  explicit MessageType(Index unit);
  /// Elements of the plan as a count of this type; throws if it does not fit an int.
  [[nodiscard]] int count(Index elements, Index unit) const;
};

/// Lengths and offsets of messages in the form that MPI's v-collectives take; both are 0 if there is no message.
class CountArrays {
 public:
  explicit CountArrays(std::size_t size = 0) : length(size), offset(size) {}
  /// The entries of message i are at positions[i].
  void fill(const MessageList& messages, const std::vector<int>& positions, Index unit);

  std::vector<int> length, offset;
};

/// Yields the processor: a waiting rank may share a core with the rank for which it waits.
void yield_processor();

}  // namespace wavegrid
