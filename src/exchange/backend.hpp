// What every transport does: dense messages in, dense messages out.
#pragma once

#include <memory>
#include <vector>

#include "base/aligned.hpp"
#include "exchange/transport.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

/// The messages of one side of a plan, partners rising, this rank not among them.
struct MessageList {
  std::vector<int> partners;
  std::vector<Index> elements;  ///< of one band
  std::vector<Index> offsets;   ///< elements of one band in all messages before
  Index total = 0;

  void append(int partner, Index length) {
    partners.push_back(partner);
    elements.push_back(length);
    offsets.push_back(total);
    total += length;
  }
  [[nodiscard]] std::size_t size() const { return partners.size(); }
};

/// Carries the messages of one direction of a plan, one exchange at a time, and keeps its buffers from call to call.
///
/// An exchange is open (boxes may be filled), start, test until true, then read the inboxes, close. `unit` is the
/// bytes that one element of the plan takes in a message: bands times the size of a value; the same on all ranks.
/// All ranks make and use their backends in the same order.
class Backend {
 public:
  virtual ~Backend() = default;
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  /// Makes the boxes ready for messages of this unit. May wait for partners that still read the last messages.
  virtual void open(Index unit) = 0;
  /// Where message i of the outgoing messages is to be packed, valid after open().
  [[nodiscard]] virtual std::byte* send_buffer(std::size_t i) = 0;
  virtual void start() = 0;
  /// True once all messages have arrived and the outgoing boxes are no longer needed; moves things on.
  [[nodiscard]] virtual bool test() = 0;
  /// Waits until test() would be true.
  virtual void wait();
  /// Where message i of the incoming messages has arrived, valid between the end of the wait and close().
  [[nodiscard]] virtual const std::byte* receive_buffer(std::size_t i) = 0;
  /// The inboxes have been read.
  virtual void close() {}
};

/// What a backend is made of. `capacity` is the largest unit it will be opened with.
struct BackendSetup {
  Comm comm;
  MessageList send, receive;
  Index capacity = 0;
  int tag = 0;  ///< of point-to-point messages: no two backends of a communicator share one
};

/// Collective over setup.comm.
[[nodiscard]] std::unique_ptr<Backend> make_backend(Transport transport, BackendSetup setup);

/// Boxes in plain memory, dense on both sides.
class BufferedBackend : public Backend {
 public:
  explicit BufferedBackend(BackendSetup setup);
  void open(Index unit) override { unit_ = unit; }
  [[nodiscard]] std::byte* send_buffer(std::size_t i) override {
    return send_buffer_.data() + setup_.send.offsets[i] * unit_;
  }
  [[nodiscard]] const std::byte* receive_buffer(std::size_t i) override {
    return receive_buffer_.data() + setup_.receive.offsets[i] * unit_;
  }

 protected:
  BackendSetup setup_;
  Index unit_ = 0;
  AlignedVector<std::byte> send_buffer_, receive_buffer_;
};

/// The MPI type in whose units counts are told: the widest that divides `unit` bytes.
struct TransferType {
  MPI_Datatype type = MPI_BYTE;
  Index size = 1;
  explicit TransferType(Index unit);
  /// Elements of the plan as a count of this type; throws where it does not fit an int.
  [[nodiscard]] int count(Index elements, Index unit) const;
};

/// Lengths and offsets of messages as MPI's v-collectives take them, one entry for each location; empty places hold
/// zero.
class CountArrays {
 public:
  explicit CountArrays(std::size_t places = 0) : length(places), offset(places) {}
  /// Message i of the messages stands at places[i].
  void fill(const MessageList& messages, const std::vector<int>& places, Index unit);

  std::vector<int> length, offset;
};

/// Gives the processor to other ranks: waiting ranks may share a core with the one they wait for.
void yield_processor();

}  // namespace wavegrid
