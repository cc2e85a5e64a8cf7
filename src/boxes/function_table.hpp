// Which rank owns which function, and how long it is.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Functions of unequal sizes, numbered rank by rank; those of a rank are one array. Known to all ranks, exchanged
/// once.
class FunctionTable {
 public:
  /// `my_sizes`: values of each function of this rank. Collective. Throws bad_input on all ranks if one is negative.
  FunctionTable(const Comm& comm, std::span<const Index> my_sizes);

  [[nodiscard]] Index functions() const { return static_cast<Index>(begin_.size()) - 1; }
  [[nodiscard]] Range of(int rank) const {
    return {first_[static_cast<std::size_t>(rank)], first_[static_cast<std::size_t>(rank) + 1]};
  }
  [[nodiscard]] int owner(Index function) const;
  [[nodiscard]] Index size(Index function) const { return begin(function + 1) - begin(function); }
  /// Where a function begins in the array of its owner.
  [[nodiscard]] Index offset(Index function) const { return begin(function) - begin(of(owner(function)).begin); }
  /// All values of a rank.
  [[nodiscard]] Index values(int rank) const { return begin(of(rank).end) - begin(of(rank).begin); }

 private:
  [[nodiscard]] Index begin(Index function) const { return begin_[static_cast<std::size_t>(function)]; }

  std::vector<Index> first_;  ///< function of each rank, and their number
  std::vector<Index> begin_;  ///< values of all functions before, and of all
};

}  // namespace wavegrid
