// The method of ONETEP before one-sided communication: box by box, with an alltoall and messages in each step.
#pragma once

#include <map>
#include <vector>

#include <wavegrid/boxes/box_setup.hpp>

#include "baselines/point_owners.hpp"

namespace wavegrid::bench {

/// In each step every rank has one box or none. Threads fill and read boxes, and call MPI in turn; a step ends on all
/// ranks before the next one begins. The alltoall belongs to the method, and its overlaps are 56 bytes for each rank.
class TwoSidedBoxes {
 public:
  /// `setup` must outlive this object. Collective.
  explicit TwoSidedBoxes(const BoxSetup& setup);

  template <class T>
  void extract(const T* grid, const BoxSink<T>& sink, Index fields);
  template <class T>
  void deposit(const BoxSource<T>& source, T* grid, Index fields, NanSearch& nans);

  [[nodiscard]] BoxTraffic traffic() const { return traffic_; }

 private:
  /// What a rank says of its box to another: the box, and how many of its points the other owns.
  struct Overlap {
    int points = 0;
    Int3 begin{}, size{};
    [[nodiscard]] Box box() const { return {begin, size, 0}; }
  };
  /// The overlaps of this rank's box with each rank, and of their boxes with this one. Collective.
  void exchange_overlaps(const Box& box);
  template <class T>
  void extract_step(const Box& box, const T* grid, T* values, Index fields);
  template <class T>
  void deposit_step(const Box& box, const T* values, T* grid, Index fields);
  /// Calls visit(partner) for the other ranks whose points this rank's box contains; visit_theirs(partner) for those
  /// whose boxes contain points of this rank.
  template <class Visit, class VisitTheirs>
  void for_partners(Visit visit, VisitTheirs visit_theirs) const;
  /// The values of this rank's points in a box of another rank, in order: visit(field, local element, length).
  template <class Visit>
  void for_points_in(const Box& box, Index fields, Visit visit) const;

  const BoxSetup& setup_;
  PointOwners owners_;
  Index steps_;
  std::vector<Overlap> mine_, theirs_;           ///< of each rank, for the alltoall of the method
  std::map<int, ValueMemory> packed_, arrived_;  ///< of the ranks that were partners
  BoxTraffic traffic_;
};

}  // namespace wavegrid::bench
