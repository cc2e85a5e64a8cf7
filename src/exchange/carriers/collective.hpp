// Transports that are one collective call on the whole communicator.
#pragma once

#include "exchange/carrier.hpp"

namespace wavegrid {

/// MPI_Ialltoallv: every rank names counts for every other, messages have their own lengths.
class AlltoallvCarrier : public BoxedCarrier {
 public:
  explicit AlltoallvCarrier(CarrierParts parts);
  void open(Index unit) override;
  void start() override;
  [[nodiscard]] bool test() override;
  void wait() override;

 private:
  CountArrays send_, receive_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// MPI_Ialltoall: all messages as long as the longest of all ranks, so that no counts travel (CP2K's way).
class PaddedCarrier : public Carrier {
 public:
  explicit PaddedCarrier(CarrierParts parts);
  void open(Index unit) override { unit_ = unit; }
  [[nodiscard]] std::byte* outbox(std::size_t i) override { return out_.data() + slot(parts_.out, i); }
  [[nodiscard]] const std::byte* inbox(std::size_t i) override { return in_.data() + slot(parts_.in, i); }
  void start() override;
  [[nodiscard]] bool test() override;
  void wait() override;

 private:
  [[nodiscard]] Index slot(const Mail& mail, std::size_t i) const { return mail.partners[i] * longest_ * unit_; }

  CarrierParts parts_;
  Index longest_ = 0;
  Index unit_ = 0;
  AlignedVector<std::byte> out_, in_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace wavegrid
