// Shared memory inside a node: the reader copies straight from the sender's box.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "exchange/backend.hpp"

namespace wavegrid {

/// Boxes in an MPI-3 shared-memory window; partners on other nodes are served pairwise.
///
/// Each rank's segment begins with a counter of what it has posted and, for each reader, a counter of what that reader
/// is through with; the boxes follow.
class SharedBackend : public Backend {
 public:
  explicit SharedBackend(BackendSetup setup);
  ~SharedBackend() override;
  void open(Index unit) override;
  [[nodiscard]] std::byte* send_buffer(std::size_t i) override;
  void start() override;
  [[nodiscard]] bool test() override;
  [[nodiscard]] const std::byte* receive_buffer(std::size_t i) override;
  void close() override;

 private:
  struct alignas(64) Counter {
    std::atomic<std::uint64_t> value;
  };
  /// Where a message stands: in whose messages, here (near) or on another node (far).
  struct Location {
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

  [[nodiscard]] static std::byte* buffers_after(Counter* counters, Index readers);
  void split_by_node(const BackendSetup& setup);
  void exchange_locations(const BackendSetup& setup);
  [[nodiscard]] bool readers_have_finished() const;
  [[nodiscard]] bool senders_have_posted() const;

  Comm node_;
  MPI_Win window_ = MPI_WIN_NULL;
  Comm comm_;
  MessageList near_out_, near_in_;
  std::vector<Location> send_locations_, receive_locations_;
  std::vector<int> near_in_node_ranks_;
  Counter* counters_ = nullptr;  ///< [0] posted, [1 + reader] consumed
  std::byte* local_buffer_ = nullptr;
  std::vector<Sender> senders_;
  std::unique_ptr<Backend> far_;
  Index unit_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace wavegrid
