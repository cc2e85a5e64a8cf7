// Lists of all ranks, for all ranks.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// The lists of all ranks, one after the other.
struct Gathered {
  std::vector<Index> values;
  std::vector<Index> first;  ///< where the list of each rank begins, and the number of all values
  [[nodiscard]] std::span<const Index> of(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return std::span(values).subspan(static_cast<std::size_t>(first[r]),
                                     static_cast<std::size_t>(first[r + 1] - first[r]));
  }
};

/// Collective. Memory on each rank is proportional to the lists of all.
[[nodiscard]] Gathered gather_all(const Comm& comm, std::span<const Index> mine);

}  // namespace wavegrid
