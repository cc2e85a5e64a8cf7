// Shared memory inside a node: the reader copies directly from the sender's buffer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <wavegrid/exchange/backend.hpp>
#include <wavegrid/mpi/window.hpp>

namespace wavegrid {

/// Memory that all ranks of a node can access, used for one exchange at a time by all of them together.
///
/// Each rank's segment begins with the number of the exchange whose messages it has posted and, for each rank of the
/// node, the number of the exchange whose messages that rank has read from it; the messages follow.
class NodeSegments {
 public:
  /// Collective over the node.
  void allocate(const Comm& node, Index bytes);

  /// True once all have read this rank's last messages: its buffers are free.
  [[nodiscard]] bool have_been_read() const;
  /// Announces that this rank's buffers contain the messages for these ranks of the node.
  void post(const std::vector<int>& readers);
  /// True once `sender` has posted its messages of this exchange.
  [[nodiscard]] bool has_posted(int sender) const;
  /// Announces that this rank has read its message from `sender`.
  void have_read(int sender);

  /// The buffers of a rank of the node.
  [[nodiscard]] std::byte* buffers(int rank) const {
    return reinterpret_cast<std::byte*>(counters(rank) + 1 + counters_.size());
  }

 private:
  struct alignas(64) Counter {
    std::atomic<std::uint64_t> value;
  };
  [[nodiscard]] Counter* counters(int rank) const { return counters_[static_cast<std::size_t>(rank)]; }

  Window window_;
  int my_rank_ = 0;
  std::vector<Counter*> counters_;  ///< of each rank of the node: [0] posted, [1 + reader] read
  std::uint64_t exchange_ = 0;      ///< the number of the last exchange
  std::vector<int> readers_;        ///< of this rank's messages in it
};

/// Buffers in memory that the node shares; messages between nodes are sent by PairwiseBackend.
class SharedBackend : public Backend {
 public:
  explicit SharedBackend(BackendSetup setup);
  void open(Index unit) override;
  [[nodiscard]] std::byte* send_buffer(std::size_t i) override;
  [[nodiscard]] bool has_far_messages() const override { return readers_.size() < send_locations_.size(); }
  [[nodiscard]] bool is_far(std::size_t i) const override { return !send_locations_[i].on_node; }
  void start_far() override { far_->start(); }
  void start() override;
  [[nodiscard]] bool test() override;
  [[nodiscard]] const std::byte* receive_buffer(std::size_t i) override;
  void close() override;

 private:
  /// Where to find a message: among those of the node, or among those of other nodes.
  struct Location {
    bool on_node = false;
    std::size_t index = 0;
  };
  struct Sender {
    int rank = 0;      ///< on the node
    Index offset = 0;  ///< of the message to this rank in the sender's buffers, elements of one band
  };

  void split_by_node(const BackendSetup& setup);
  void make_progress() const;

  Comm comm_, node_;
  MessageList near_send_, near_receive_;
  std::vector<int> readers_;  ///< ranks, numbered on the node, that receive near_send_
  std::vector<Sender> senders_;
  std::vector<Location> send_locations_, receive_locations_;
  std::unique_ptr<Backend> far_;
  PooledResource<NodeSegments> segments_;
  Index unit_ = 0;
};

}  // namespace wavegrid
