// Plan once, run many: values owned by one layout are wanted by another.
#pragma once

#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

/// How messages travel. All transports deliver the same bits.
enum class Transport {
  alltoallv,  ///< one MPI_Alltoallv on the plan's communicator
  pairwise,   ///< Isend / Irecv to the real partners only
};

/// `length` consecutive local elements from `start`.
struct Run {
  Index start = 0;
  Index length = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

/// The local elements that go to (or come from) one partner, in the order in which they travel.
struct PartnerRuns {
  int partner = 0;
  std::vector<Run> runs;
};

/// Appends a run, merged with the last one where they touch.
void append_run(std::vector<Run>& runs, Run run);

/// A block of bands: consecutive arrays of one layout.
struct Batch {
  Index count = 1;          ///< bands
  Index source_stride = 0;  ///< elements between the starts of two bands in the sending array
  Index target_stride = 0;  ///< the same in the receiving array
};

/// A communication pattern between two local index spaces of every rank of a communicator.
///
/// Values travel forward (source to target) or backward (target to source) along the same pattern; a block of bands
/// rides in one message per partner. Elements of the receiving array that the pattern does not name stay untouched.
/// Memory is proportional to this rank's runs and messages (count arrays of alltoallv apart).
class ExchangePlan {
 public:
  /// Collective over `comm`. At most one entry per partner on each side, entries of no elements are allowed.
  /// Throws (on all ranks alike) where the element counts of a sender and its receiver disagree.
  ExchangePlan(const Comm& comm, std::vector<PartnerRuns> sends, std::vector<PartnerRuns> receives,
               Transport transport);

  /// Moves a block of bands. Collective over the plan's communicator; arrays must not overlap, unless is_identity().
  template <class T>
  void forward(const T* source, T* target, const Batch& batch);
  /// The same pattern against its direction: `target` is read and `source` is written.
  template <class T>
  void backward(const T* target, T* source, const Batch& batch);

  /// True where every rank keeps all its elements in place: nothing need be moved and one array can serve as both.
  [[nodiscard]] bool is_identity() const { return identity_; }
  [[nodiscard]] Transport transport() const { return transport_; }
  /// Elements of one band that this rank sends to others, and the number of messages.
  [[nodiscard]] Index elements_sent() const;
  [[nodiscard]] Index messages_sent() const;

 private:
  /// One side of the plan: packed messages in partner order; this rank's own runs apart.
  struct Side {
    std::vector<PartnerRuns> others;
    std::vector<Index> elements;  ///< per entry of `others`
    std::vector<Run> own;
    Index total = 0;  ///< elements of `others` together
  };

  static Side make_side(std::vector<PartnerRuns> entries, int my_rank);
  void require_agreement() const;
  void size_batches();
  template <class T>
  void move(const Side& from, const Side& to, const T* in, Index in_stride, T* out, Index out_stride, Index count);
  template <class T>
  void travel(const Side& from, const Side& to, const T* packed, T* arrived, Index count) const;

  Comm comm_;
  Transport transport_;
  Side send_, receive_;
  bool identity_ = false;
  Index bands_per_message_ = 1;
  AlignedVector<std::byte> packed_, arrived_;
};

}  // namespace wavegrid
