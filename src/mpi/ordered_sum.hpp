// Sums of distributed arrays that do not depend on the number of ranks, bit for bit.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Consecutive parts of a sum, numbered over all ranks: rank r has parts [starts[r], starts[r + 1]).
///
/// They are added along one binary tree over their numbers: each rank adds its complete branches, rank 0 collects and
/// adds the branches of all ranks and broadcasts the sum. So the result depends on the parts, not on their
/// distribution. A rank sends at most 2 log2(parts) branches.
class OrderedSum {
 public:
  /// `starts`: the first part of each rank of `comm`, and the number of all parts. Local.
  OrderedSum(Comm comm, std::vector<Index> starts);

  [[nodiscard]] Range mine() const;

  /// The sum over all parts on all ranks. `fill(part, span)` sets the values of one part of this rank (they are not
  /// zeroed before); it is called once for each, in rising order. Collective.
  template <class T, class Fill>
  void operator()(std::span<T> result, Fill fill) const {
    Branches<T> branches(result.size());
    for (Index part = mine().begin; part < mine().end; ++part) {
      std::vector<T> values(result.size());
      fill(part, std::span<T>(values));
      branches.add({part, 1, std::move(values)});
    }
    collect(branches, result);
  }

 private:
  /// The sum of `parts` parts from part `first` on: `parts` is a power of two, and `first` is a multiple of it.
  template <class T>
  struct Branch {
    Index first, parts;
    std::vector<T> values;
  };
  /// Consecutive branches; two that make up a larger one are joined.
  template <class T>
  class Branches {
   public:
    explicit Branches(std::size_t size) : size_(size) {}
    void add(Branch<T> branch);
    [[nodiscard]] std::vector<Branch<T>>& list() { return list_; }
    [[nodiscard]] std::vector<T> total();

   private:
    std::size_t size_;
    std::vector<Branch<T>> list_;
  };

  template <class T>
  void collect(Branches<T>& branches, std::span<T> result) const;

  Comm comm_;
  std::vector<Index> starts_;
};

}  // namespace wavegrid
