// Transports that are one collective call on the whole communicator.
#pragma once

#include "exchange/backend.hpp"
#include "mpi/request.hpp"

namespace wavegrid {

/// Which of MPI's variants of a collective is called.
enum class CallMode { nonblocking, blocking, persistent };

/// MPI_Ialltoallv: every rank passes counts for every other rank, and messages have different lengths.
class AlltoallvBackend : public BufferedBackend {
 public:
  AlltoallvBackend(BackendSetup setup, CallMode mode);
  void start() override;
  [[nodiscard]] bool test() override { return request_.test(); }
  void wait() override { request_.wait(); }

 private:
  void bind() override;

  CallMode mode_;
  CountArrays send_, receive_;
  Request request_;
};

/// MPI_Ialltoall: all messages as long as the longest of all ranks, so that no counts are needed (as CP2K does).
class PaddedBackend : public BufferedBackend {
 public:
  PaddedBackend(BackendSetup setup, CallMode mode);
  [[nodiscard]] std::byte* send_buffer(std::size_t i) override { return to_send_ + offset(setup_.send, i); }
  [[nodiscard]] const std::byte* receive_buffer(std::size_t i) override {
    return received_ + offset(setup_.receive, i);
  }
  void start() override;
  [[nodiscard]] bool test() override { return request_.test(); }
  void wait() override { request_.wait(); }

 private:
  PaddedBackend(BackendSetup&& setup, CallMode mode, Index longest);
  void bind() override;
  [[nodiscard]] Index offset(const MessageList& messages, std::size_t i) const {
    return messages.partners[i] * longest_ * unit_;
  }

  CallMode mode_;
  Index longest_;
  Request request_;
};

}  // namespace wavegrid
