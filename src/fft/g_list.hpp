// Plane waves as a program has them: any list of G-vectors on each rank, in any order.
//
// The transform works on sticks along x. Each stick goes to the rank that has most of its G-vectors, and an exchange
// plan moves coefficients between the lists and the sticks. Where each stick is whole on one rank, as in most codes,
// that is a copy on each rank.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/layout/partition.hpp>

namespace wavegrid {

/// The lists of all ranks, the sticks that contain them, and the way between both.
class GList {
 public:
  /// `g`: integer (gx, gy, gz) of this rank, each in one list only; may be empty. In Mode::gamma either of G and -G may
  /// be given, not both. Collective over `comm`. Throws bad_input on all ranks for a G outside of the grid or given
  /// twice, and where all lists are empty.
  GList(const Comm& comm, const Int3& grid, Mode mode, std::span<const Int3> g, int threads = 1);

  /// The sticks, each from the first to the last gx of the lists; its lattice has no meaning.
  [[nodiscard]] const GSphere& sphere() const { return *sphere_; }
  /// For a SphereFft on the ranks of the lists.
  [[nodiscard]] const Partition& partition() const { return partition_; }
  /// G-vectors of this rank's list, and coefficients of its sticks.
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index stick_size() const { return stick_size_; }

  /// From the order of the lists to that of the sticks: `list` (bands, size()), `sticks` (bands, stick_size()), 0 for
  /// G-vectors of no list. Collective.
  template <class Complex>
  void to_sticks(const Complex* list, Complex* sticks, Index bands);
  /// And back.
  template <class Complex>
  void to_list(const Complex* sticks, Complex* list, Index bands);

 private:
  void distribute_sticks(const Comm& comm, const Int3& grid, Mode mode, std::span<const Int3> half);

  Index size_, stick_size_ = 0;
  std::vector<Index> conjugated_;  ///< elements of the list that are stored as -G
  std::optional<GSphere> sphere_;
  Partition partition_;
  std::optional<ExchangePlan> plan_;
};

}  // namespace wavegrid
