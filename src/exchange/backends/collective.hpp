// Transports that are one collective call on the whole communicator.
#pragma once

#include <wavegrid/exchange/backend.hpp>
#include <wavegrid/mpi/request.hpp>

namespace wavegrid {

/// MPI_Ialltoallv: every rank passes counts for every other rank, and messages have different lengths.
class AlltoallvBackend : public BufferedBackend {
 public:
  explicit AlltoallvBackend(BackendSetup setup);
  void start() override;
  [[nodiscard]] bool test() override { return request_.test(); }
  void wait() override { request_.wait(); }

 protected:
  CountArrays send_, receive_;

 private:
  void bind() override;

  Request request_;
};

/// MPI_Ialltoall: all messages as long as the longest of all ranks, so that no counts are needed (as CP2K does).
class PaddedBackend : public BufferedBackend {
 public:
  explicit PaddedBackend(BackendSetup setup);
  [[nodiscard]] std::byte* send_buffer(std::size_t i) override { return to_send_ + offset(setup_.send, i); }
  [[nodiscard]] const std::byte* receive_buffer(std::size_t i) override {
    return received_ + offset(setup_.receive, i);
  }
  void start() override;
  [[nodiscard]] bool test() override { return request_.test(); }
  void wait() override { request_.wait(); }

 protected:
  Index longest_;  ///< message of all ranks, elements of one band

 private:
  PaddedBackend(BackendSetup&& setup, Index longest);
  void bind() override;
  [[nodiscard]] Index offset(const MessageList& messages, std::size_t i) const {
    return messages.partners[i] * longest_ * unit_;
  }

  Request request_;
};

}  // namespace wavegrid
