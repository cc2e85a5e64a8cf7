// The methods with one-sided communication: box by box, get from and accumulate into a window with the whole grid.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include <wavegrid/boxes/box_setup.hpp>
#include <wavegrid/exchange/runs.hpp>
#include <wavegrid/mpi/environment.hpp>
#include <wavegrid/mpi/window.hpp>

#include "baselines/box_methods.hpp"
#include "baselines/point_owners.hpp"

namespace wavegrid::bench {

/// Ranks are independent of each other between the beginning and the end of a deposit or an extraction.
class OneSidedBoxes {
 public:
  /// `setup` must outlive this object. `method`: one of those with one-sided calls. Collective.
  OneSidedBoxes(const BoxSetup& setup, BoxMethod method, MpiCalls calls);

  template <class T>
  void extract(const T* grid, const BoxSink<T>& sink, Index fields);
  template <class T>
  void deposit(const BoxSource<T>& source, T* grid, Index fields, NanSearch& nans);

  [[nodiscard]] BoxTraffic traffic() const { return {messages_, bytes_}; }

 private:
  /// The points of a box that one rank owns: pieces of the box, and the runs where they are at the owner.
  struct Share {
    struct Piece {
      Index value, length;
    };
    int rank = 0;
    Index count = 0;
    std::vector<Piece> pieces;
    std::vector<Run> runs;
  };
  [[nodiscard]] std::vector<Share> shares_of(const Box& box) const;
  /// Calls visit(local point, value of the box, length) for the pieces of this rank's share.
  template <class Visit>
  static void for_own_pieces(const Share& share, Visit visit);

  /// Makes a window that has `bytes` for each point, if there is none, and returns this rank's memory. Collective.
  std::byte* open(Index bytes);
  /// This rank's memory in the window after fill(memory of field f, f) for each field on all ranks. Collective.
  template <class T, class Fill>
  T* begin(Index fields, Fill fill);
  /// Reads or writes this rank's memory, when no other rank accesses it.
  template <class Access>
  void with_own_memory(Access access);
  /// Calls access(offset in bytes, spread) with the place of a share in its owner's window, one call after the other
  /// unless several at once are allowed; complete when it returns, or, for an accumulate, able to be completed by
  /// close().
  template <class T, class Access>
  void move(const Share& share, Index field, Access access);
  template <class Access>
  void synchronised(int target, Access access);
  template <class T>
  void get(const Share& share, Index field, T* to);
  template <class T>
  void accumulate(const Share& share, Index field, const T* from);

  const BoxSetup& setup_;
  BoxMethod method_;
  MpiCalls mpi_calls_;
  PointOwners owners_;
  Index field_step_;  ///< values between two fields in the window of any rank: the most points that one has
  Window window_;
  Index bytes_per_point_ = 0;
  std::mutex calls_, own_part_;
  std::atomic<Index> messages_ = 0, bytes_ = 0;
};

}  // namespace wavegrid::bench
