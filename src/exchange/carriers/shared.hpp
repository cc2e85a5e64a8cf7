// Shared memory inside a node: the reader copies straight from the sender's box.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "exchange/carrier.hpp"

namespace wavegrid {

/// True where the ranks of `comm` do not all share memory, so that `shared` needs messages too. Collective.
[[nodiscard]] bool spans_nodes(const Comm& comm);

/// Boxes in an MPI-3 shared-memory window; partners on other nodes are served pairwise.
///
/// Each rank's segment begins with a counter of what it has posted and, for each reader, a counter of what that reader
/// is through with; the boxes follow. WAVEGRID_RANKS_PER_NODE=n splits a node into pieces of n ranks, for tests.
class SharedCarrier : public Carrier {
 public:
  explicit SharedCarrier(CarrierParts parts);
  ~SharedCarrier() override;
  void open(Index unit) override;
  [[nodiscard]] std::byte* outbox(std::size_t i) override;
  void start() override;
  [[nodiscard]] bool test() override;
  [[nodiscard]] const std::byte* inbox(std::size_t i) override;
  void close() override;

 private:
  struct alignas(64) Counter {
    std::atomic<std::uint64_t> value;
  };
  /// Where a message stands: in whose mail, here (near) or on another node (far).
  struct Place {
    bool near = false;
    std::size_t index = 0;  ///< among the near or the far ones
  };
  /// A sender on this node: its segment, where the message to this rank begins, this rank's number among its readers.
  struct Sender {
    Counter* counters = nullptr;
    const std::byte* boxes = nullptr;
    Index offset = 0;
    Index reader = 0;
  };

  [[nodiscard]] static std::byte* boxes_behind(Counter* counters, Index readers);
  void divide(const CarrierParts& parts);
  void meet_senders(const CarrierParts& parts);
  [[nodiscard]] bool readers_are_through() const;
  [[nodiscard]] bool senders_have_posted() const;

  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  Comm comm_;
  Mail near_out_, near_in_;
  std::vector<Place> out_places_, in_places_;
  std::vector<int> near_in_node_ranks_;
  Counter* counters_ = nullptr;  ///< [0] posted, [1 + reader] consumed
  std::byte* boxes_ = nullptr;
  std::vector<Sender> senders_;
  std::unique_ptr<Carrier> far_;
  Index unit_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace wavegrid
