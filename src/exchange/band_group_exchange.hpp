// Bands whose rows are divided over all ranks of a k-point group, as complete bands in its band groups, and back.
#pragma once

#include <optional>
#include <string>

#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/exchange/tuner.hpp>
#include <wavegrid/mpi/process_groups.hpp>

namespace wavegrid {

/// Of a block of bands, band b belongs to band group b mod (number of band groups). A block is an array (bands, rows)
/// in the layout of the k-point group and (share, rows of the group) in that of a band group. All members are
/// collective over the k-point group unless they say "local".
class BandGroupExchange {
 public:
  /// The global indices of one band: `rows` of this rank where the band is divided over the k-point group,
  /// `group_indices` of this rank where it is divided over the band group, all below `dimension`. `threads`: that pack
  /// and unpack. Without a transport step() searches for the fastest one; `unit`: bytes of the longest message per
  /// element, for that search.
  BandGroupExchange(const ProcessGroups& groups, const IndexList& rows, const IndexList& group_indices, Index dimension,
                    const std::optional<Transport>& transport, int threads = 1, Index unit = 1);

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

  /// Does `work`, which moves blocks by this exchange, as one step of the search while that goes on.
  template <class Work>
  void step(const Work& work) {
    if (!is_tuning()) return work();
    tuner_->step(plan_, work);
  }
  /// The result of the search; none if the transport was given or nothing is exchanged. Local, as is_tuning().
  [[nodiscard]] std::optional<TunerReport> tuning() const;
  [[nodiscard]] bool is_tuning() const { return tuner_ && !tuner_->decided(); }
  /// Ends the search with a transport known to be good. The same on all ranks. Local.
  void decide(Transport transport, const std::string& reason);

  /// The plan for one band of every group.
  [[nodiscard]] ExchangePlan& plan() { return plan_; }
  [[nodiscard]] const ExchangePlan& plan() const { return plan_; }

 private:
  int groups_, my_group_;
  Index rows_, group_rows_;
  ExchangePlan plan_;
  std::optional<Tuner> tuner_;
};

}  // namespace wavegrid
