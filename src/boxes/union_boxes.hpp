// How values move: the union of the points of a rank's boxes is exchanged with their owners, one message per
// partner.
//
// What a rank needs of the grid is fetched once, however many of its boxes contain a point, and threads that fill or
// read boxes never communicate.
#pragma once

#include <memory>

#include <wavegrid/boxes/box_setup.hpp>
#include <wavegrid/boxes/box_union.hpp>
#include <wavegrid/boxes/ordered_deposit.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>

namespace wavegrid {

class UnionBoxes {
 public:
  /// `setup` must outlive this object. Collective.
  explicit UnionBoxes(const BoxSetup& setup);

  template <class T>
  void extract(const T* grid, const BoxSink<T>& sink, Index fields);
  template <class T>
  void deposit(const BoxSource<T>& source, T* grid, Index fields, NanSearch& nans);

  [[nodiscard]] const BoxUnion& points() const { return union_; }
  [[nodiscard]] BoxTraffic traffic() const { return traffic_; }

 private:
  [[nodiscard]] Batch batch(Index fields) const;
  template <class T>
  void count(Index fields);
  template <class T>
  void deposit_boxes(const BoxSource<T>& source, T* sums, Index fields, NanSearch& nans);
  template <class T>
  void add_boxes(Range boxes, const T* values, Range points, Index fields, T* sums) const;

  const BoxSetup& setup_;
  BoxUnion union_;
  ExchangePlan plan_;                        ///< grid to union
  std::unique_ptr<OrderedDeposit> ordered_;  ///< deterministic mode only
  ValueMemory values_, buffers_;
  BoxTraffic traffic_;
};

}  // namespace wavegrid
