// One-sided transports: put into, or get from, a partner's window (ONETEP's way).
#pragma once

#include "exchange/carrier.hpp"

namespace wavegrid {

/// A window under one lock_all for its life, and the empty messages ("tokens") by which partners tell each other that
/// a box is free or filled. The window holds one side's boxes, the other side's stand in plain memory.
class WindowCarrier : public Carrier {
 public:
  ~WindowCarrier() override;

 protected:
  enum class Token { setup, ready, done };

  /// `exposed` is the mail whose boxes stand in the window; the partners of the other side learn their offsets in it.
  WindowCarrier(CarrierParts parts, bool expose_in);
  WindowCarrier(const WindowCarrier&) = delete;

  void post_token(Token token, int to);
  void expect_token(Token token, int from, MPI_Request& request);
  /// Indices of the requests that have come true since the last call.
  [[nodiscard]] const std::vector<int>& arrived(std::vector<MPI_Request>& requests);
  [[nodiscard]] static bool all_done(std::vector<MPI_Request>& requests);
  [[nodiscard]] int tag(Token token) const { return parts_.tag + static_cast<int>(token); }

  CarrierParts parts_;
  Index unit_ = 0;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* exposed_ = nullptr;           ///< the window's own memory
  AlignedVector<std::byte> boxes_;         ///< the other side's
  std::vector<Index> remote_;              ///< offset of message i in the partner's window, elements of one band
  std::vector<MPI_Request> tokens_;        ///< tokens sent
  std::vector<MPI_Request> ready_, done_;  ///< tokens to come
  std::size_t served_ = 0;                 ///< of ready_: those whose data have been moved
  std::vector<int> indices_;
};

/// The sender puts when the receiver's box is free and says when it has.
class PutCarrier : public WindowCarrier {
 public:
  explicit PutCarrier(CarrierParts parts) : WindowCarrier(std::move(parts), true) {}
  void open(Index unit) override;
  [[nodiscard]] std::byte* outbox(std::size_t i) override { return boxes_.data() + parts_.out.offsets[i] * unit_; }
  [[nodiscard]] const std::byte* inbox(std::size_t i) override { return exposed_ + parts_.in.offsets[i] * unit_; }
  void start() override {}
  [[nodiscard]] bool test() override;
};

/// The receiver gets when the sender's box is filled and says when it has.
class GetCarrier : public WindowCarrier {
 public:
  explicit GetCarrier(CarrierParts parts) : WindowCarrier(std::move(parts), false) {}
  ~GetCarrier() override;
  void open(Index unit) override;
  [[nodiscard]] std::byte* outbox(std::size_t i) override { return exposed_ + parts_.out.offsets[i] * unit_; }
  [[nodiscard]] const std::byte* inbox(std::size_t i) override { return boxes_.data() + parts_.in.offsets[i] * unit_; }
  void start() override;
  [[nodiscard]] bool test() override;
};

}  // namespace wavegrid
