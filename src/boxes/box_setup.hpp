// What the parts of a BoxExchange have in common.
#pragma once

#include <atomic>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/boxes/box_exchange.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// In errors.
inline const LayoutNames grid_names{"points of the grid", "points of the boxes"};

/// The arguments of a BoxExchange and what follows from them.
struct BoxSetup {
  Comm comm;
  Int3 grid;
  IndexList points;  ///< of this rank
  std::vector<Box> boxes;
  BoxOptions options;
  std::vector<Index> offsets;  ///< values before each box, for one field
  Index num_points = 0;        ///< of this rank
  Index largest = 0;           ///< points of the largest box

  BoxSetup(const Comm& on, const Int3& cell_grid, IndexList my_points, std::vector<Box> my_boxes,
           const BoxOptions& with)
      : comm(on), grid(cell_grid), points(std::move(my_points)), boxes(std::move(my_boxes)), options(with) {
    offsets.push_back(0);
    for (const Box& box : boxes) {
      offsets.push_back(offsets.back() + box.points());
      largest = std::max(largest, box.points());
    }
    num_points = points.size();
  }
  /// Throws bad_input on all ranks as BoxExchange() says, except for points without an owner. Collective.
  void require_valid() const;
  [[nodiscard]] Index num_boxes() const { return static_cast<Index>(boxes.size()); }
  /// The values of box b in an array of all, or in one of the boxes from `first` on.
  template <class T>
  [[nodiscard]] std::span<T> part(T* values, Index b, Index fields, Index first = 0) const {
    const auto box = static_cast<std::size_t>(b), begin = static_cast<std::size_t>(first);
    return {values + (offsets[box] - offsets[begin]) * fields,
            static_cast<std::size_t>((offsets[box + 1] - offsets[box]) * fields)};
  }
};

/// Memory for values of any type, kept from call to call.
class ValueMemory {
 public:
  template <class T>
  [[nodiscard]] T* get(Index values) {
    const auto bytes = static_cast<std::size_t>(values) * sizeof(T);
    if (bytes > memory_.size()) memory_.resize(bytes);
    return reinterpret_cast<T*>(memory_.data());
  }

 private:
  AlignedVector<std::byte> memory_;
};

/// Looks for values that are not numbers: many threads report, one call throws.
class NanSearch {
 public:
  /// `box` is the number of a box on this rank.
  template <class T>
  void look_at(Index box, std::span<const T> values) {
    const auto value = first_nan(values);
    if (!value) return;
    const std::scoped_lock guard(mutex_);
    if (box < box_) box_ = box, value_ = *value;
  }
  /// Throws bad_input on all ranks if one has found such a value. Collective.
  void agree(const BoxSetup& setup) const {
    setup.comm.collectively([&] {
      if (box_ < setup.num_boxes())
        throw bad_input("box " + std::to_string(box_) + " of rank " + std::to_string(setup.comm.rank()) + ": value " +
                        std::to_string(value_) + " of " +
                        std::to_string(setup.boxes[static_cast<std::size_t>(box_)].points()) + " is not a number");
    });
  }

 private:
  std::mutex mutex_;
  Index box_ = std::numeric_limits<Index>::max();
  Index value_ = 0;
};

}  // namespace wavegrid
