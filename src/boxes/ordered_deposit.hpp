// Deposits whose bits do not depend on ranks, layout or threads: all values are sent, and added in one order.
#pragma once

#include <vector>

#include <wavegrid/boxes/box_setup.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>

namespace wavegrid {

/// The owner of a point adds the values of all boxes that contain it by rising number of the box.
class OrderedDeposit {
 public:
  /// Collective. `setup` must outlive this object. Throws bad_input on all ranks if two boxes have the same number.
  explicit OrderedDeposit(const BoxSetup& setup);

  template <class T>
  void deposit(const BoxSource<T>& source, T* grid, Index fields, NanSearch& nans, BoxTraffic& traffic);

 private:
  /// `length` received values from `value` on are added to the grid from `point` on.
  struct Addition {
    Index point, value, length;
  };

  void plan_exchange(const MatchedRuns& runs);
  void plan_additions(const MatchedRuns& runs);
  void divide(const std::vector<Addition>& all);

  const BoxSetup& setup_;
  Index received_ = 0;  ///< values of one field
  std::unique_ptr<ExchangePlan> plan_;
  std::vector<std::vector<Addition>> additions_;  ///< of each thread, to its part of the grid
  ValueMemory values_, arrived_;
};

}  // namespace wavegrid
