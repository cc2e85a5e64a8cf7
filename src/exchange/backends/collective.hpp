// Transports that are one collective call on the whole communicator.
#pragma once

#include "exchange/backend.hpp"

namespace wavegrid {

/// MPI_Ialltoallv: every rank names counts for every other, messages have their own lengths.
class AlltoallvBackend : public BufferedBackend {
 public:
  explicit AlltoallvBackend(BackendSetup setup);
  void open(Index unit) override;
  void start() override;
  [[nodiscard]] bool test() override;
  void wait() override;

 private:
  CountArrays send_, receive_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// MPI_Ialltoall: all messages as long as the longest of all ranks, so that no counts travel (CP2K's way).
class PaddedBackend : public Backend {
 public:
  explicit PaddedBackend(BackendSetup setup);
  void open(Index unit) override { unit_ = unit; }
  [[nodiscard]] std::byte* send_buffer(std::size_t i) override { return send_buffer_.data() + slot(setup_.send, i); }
  [[nodiscard]] const std::byte* receive_buffer(std::size_t i) override {
    return receive_buffer_.data() + slot(setup_.receive, i);
  }
  void start() override;
  [[nodiscard]] bool test() override;
  void wait() override;

 private:
  [[nodiscard]] Index slot(const MessageList& messages, std::size_t i) const {
    return messages.partners[i] * longest_ * unit_;
  }

  BackendSetup setup_;
  Index longest_ = 0;
  Index unit_ = 0;
  AlignedVector<std::byte> send_buffer_, receive_buffer_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace wavegrid
