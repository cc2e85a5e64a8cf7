// Bands whose rows are divided over all ranks of a k-point group, as complete bands in its band groups, and back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/tuned_plan.hpp>
#include <wavegrid/mpi/process_groups.hpp>

namespace wavegrid {

/// Of a block of bands, band b belongs to band group b mod (number of band groups). A block is an array (bands, rows)
/// in the layout of the k-point group and (share, rows of the group) in that of a band group. All members are
/// collective over the k-point group unless they say "local".
class BandGroupExchange {
 public:
  /// The global indices of one band: `rows` of this rank where the band is divided over the k-point group,
  /// `group_indices` of this rank where it is divided over the band group, all below `dimension`. `threads`: that pack
  /// and unpack. Without a transport there is a search for the fastest one, in steps of at most search_share bands of
  /// each group with values of `value_bytes`.
  BandGroupExchange(const ProcessGroups& groups, const IndexList& rows, const IndexList& group_indices, Index dimension,
                    const std::optional<Transport>& transport, std::size_t value_bytes, int threads = 1);

  [[nodiscard]] int groups() const { return groups_; }      ///< Local.
  [[nodiscard]] int my_group() const { return my_group_; }  ///< Local.
  /// The bands of each group in a block; the last ones of some groups are zeros if they do not divide evenly. Local.
  [[nodiscard]] Index share(Index bands) const { return (bands + groups_ - 1) / groups_; }
  /// One value for each band of this rank's share of a block, zeros for zero bands. Local.
  [[nodiscard]] std::vector<double> group_share(std::span<const double> values) const;

  /// Sets `mine`, this group's share of the bands. `incomplete`: work array, (groups, rows).
  template <class T>
  void fetch(const T* bands, Index count, T* mine, T* incomplete);
  /// Sets the bands from the shares of all groups. `incomplete` as above.
  template <class T>
  void put_back(const T* mine, Index count, T* bands, T* incomplete);
  /// As fetch(), in steps of the search while that goes on.
  template <class T>
  void fetch_in_steps(const T* bands, Index count, T* mine, T* incomplete);

  /// The plan for one band of every group.
  [[nodiscard]] TunedPlan<ExchangePlan>& plan() { return plan_; }
  [[nodiscard]] const TunedPlan<ExchangePlan>& plan() const { return plan_; }

  /// Bands of a group in a step of a search: even, for pairs of bands, and few, since the buffers of all transports are
  /// kept.
  static constexpr Index search_share = 8;
  /// Rows of a band on one rank; `all`: on all ranks.
  struct Rows {
    Index on_rank, in_group, all;
  };
  /// Bytes of its message buffers on one rank for blocks of `share` bands of each group; if it `searches`, with those
  /// of the steps. The two layouts are assumed to be independent of each other. Pure.
  [[nodiscard]] static double bytes(int groups, const Rows& rows, Index share, std::size_t value_bytes, bool searches);

 private:
  int groups_, my_group_;
  Index rows_, group_rows_;
  TunedPlan<ExchangePlan> plan_;
};

}  // namespace wavegrid
