// What every transport does: dense messages in, dense messages out.
#pragma once

#include <memory>
#include <vector>

#include "base/aligned.hpp"
#include "exchange/transport.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

/// The messages of one side of a plan, partners rising, this rank not among them.
struct Mail {
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
/// All ranks make and use their carriers in the same order.
class Carrier {
 public:
  virtual ~Carrier() = default;
  Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  /// Makes the boxes ready for messages of this unit. May wait for partners that still read the last messages.
  virtual void open(Index unit) = 0;
  /// Where message i of the outgoing mail is to be packed, valid after open().
  [[nodiscard]] virtual std::byte* outbox(std::size_t i) = 0;
  virtual void start() = 0;
  /// True once all messages have arrived and the outgoing boxes are no longer needed; moves things on.
  [[nodiscard]] virtual bool test() = 0;
  /// Waits until test() would be true.
  virtual void wait();
  /// Where message i of the incoming mail has arrived, valid between the end of the wait and close().
  [[nodiscard]] virtual const std::byte* inbox(std::size_t i) = 0;
  /// The inboxes have been read.
  virtual void close() {}
};

/// What a carrier is made of. `capacity` is the largest unit it will be opened with.
struct CarrierParts {
  Comm comm;
  Mail out, in;
  Index capacity = 0;
  int tag = 0;  ///< of point-to-point messages: no two carriers of a communicator share one
};

/// Collective over parts.comm.
[[nodiscard]] std::unique_ptr<Carrier> make_carrier(Transport transport, CarrierParts parts);

/// Boxes in plain memory, dense on both sides.
class BoxedCarrier : public Carrier {
 public:
  explicit BoxedCarrier(CarrierParts parts);
  void open(Index unit) override { unit_ = unit; }
  [[nodiscard]] std::byte* outbox(std::size_t i) override { return out_.data() + parts_.out.offsets[i] * unit_; }
  [[nodiscard]] const std::byte* inbox(std::size_t i) override { return in_.data() + parts_.in.offsets[i] * unit_; }

 protected:
  CarrierParts parts_;
  Index unit_ = 0;
  AlignedVector<std::byte> out_, in_;
};

/// The MPI type in whose units counts are told: the widest that divides `unit` bytes.
struct WireType {
  MPI_Datatype type = MPI_BYTE;
  Index size = 1;
  explicit WireType(Index unit);
  /// Elements of the plan as a count of this type; throws where it does not fit an int.
  [[nodiscard]] int count(Index elements, Index unit) const;
};

/// Lengths and offsets of messages as MPI's v-collectives take them, one entry for each place; empty places hold zero.
class CountArrays {
 public:
  explicit CountArrays(std::size_t places = 0) : length(places), offset(places) {}
  /// Message i of the mail stands at places[i].
  void fill(const Mail& mail, const std::vector<int>& places, Index unit);

  std::vector<int> length, offset;
};

/// Gives the processor to other ranks: waiting ranks may share a core with the one they wait for.
void let_others_run();

}  // namespace wavegrid
