#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include <wavegrid/checkpoint/file_order.hpp>
#include <wavegrid/checkpoint/table.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/layout/block_layout.hpp>

namespace wavegrid {

namespace {

ExchangePlan plan_to_block(const Comm& comm, const std::vector<Index>& mine, const Range& block) {
  MatchedRuns runs = match_layouts(comm, IndexList::of(mine), IndexList{block}, Unowned::leave_out);
  return {comm, std::move(runs.sends), std::move(runs.receives), Transport::alltoallv};
}

}  // namespace

FileOrder::Numbers FileOrder::number(const Comm& comm, std::span<const Int3> mine) {
  constexpr Index most = std::numeric_limits<int>::max();
  std::array<Index, 3> low{most, most, most}, high{-most, -most, -most};
  for (const Int3& place : mine)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], Index{place[d]});
      high[d] = std::max(high[d], Index{place[d]});
    }
  comm.min(std::span<Index>(low));
  comm.max(std::span<Index>(high));
  const Index ny = high[1] - low[1] + 1, nz = high[2] - low[2] + 1;
  Numbers found;
  for (const Int3& place : mine)
    found.mine.push_back(((place[0] - low[0]) * ny + place[1] - low[1]) * nz + place[2] - low[2]);
  found.box = high[0] < low[0] ? 0 : (high[0] - low[0] + 1) * ny * nz;
  return found;
}

FileOrder::FileOrder(const Comm& comm, std::span<const Int3> mine) : FileOrder(comm, number(comm, mine)) {}

FileOrder::FileOrder(const Comm& comm, Numbers numbers)
    : mine_(std::move(numbers.mine)),
      block_(BlockLayout(numbers.box, comm.size()).range(comm.rank())),
      plan_(plan_to_block(comm, mine_, block_)) {
  const std::vector<double> ones(mine_.size(), 1.0);
  std::vector<double> found(static_cast<std::size_t>(block_.size()), 0.0);
  plan_.forward(ones.data(), found.data(), {});
  for (Index i = 0; i < block_.size(); ++i)
    if (found[static_cast<std::size_t>(i)] != 0) used_.push_back(i);
  std::vector<Index> counts(static_cast<std::size_t>(comm.size()), 0);
  counts[static_cast<std::size_t>(comm.rank())] = static_cast<Index>(used_.size());
  comm.sum(std::span<Index>(counts));
  for (int rank = 0; rank < comm.size(); ++rank) {
    const Index next = size_ + counts[static_cast<std::size_t>(rank)];
    if (rank == comm.rank()) share_ = {size_, next};
    size_ = next;
  }
}

template <class T>
std::vector<T> FileOrder::to_share(std::span<const T> mine) {
  std::vector<T> block(static_cast<std::size_t>(block_.size())), share;
  plan_.forward(mine.data(), block.data(), {});
  for (const Index i : used_) share.push_back(block[static_cast<std::size_t>(i)]);
  return share;
}

template <class T>
void FileOrder::from_share(std::span<const T> share, std::span<T> mine) {
  std::vector<T> block(static_cast<std::size_t>(block_.size()));
  for (std::size_t i = 0; i < used_.size(); ++i) block[static_cast<std::size_t>(used_[i])] = share[i];
  plan_.backward(block.data(), mine.data(), {});
}

template <class T>
double FileOrder::checksum(std::span<const T> mine) const {
  constexpr std::uint64_t mask = (std::uint64_t{1} << 40) - 1;  // sums of all ranks do not overflow
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    std::byte bytes[sizeof(Index) + sizeof(T)];
    std::memcpy(bytes, &mine_[i], sizeof(Index));
    std::memcpy(bytes + sizeof(Index), &mine[i], sizeof(T));
    sum += wavegrid::checksum(bytes, sizeof bytes);
  }
  const auto all = static_cast<std::uint64_t>(comm().sum(static_cast<Index>(sum & mask)));
  return static_cast<double>(all & mask);
}

#define WAVEGRID_INSTANTIATE(T)                                             \
  template std::vector<T> FileOrder::to_share<T>(std::span<const T>);       \
  template void FileOrder::from_share<T>(std::span<const T>, std::span<T>); \
  template double FileOrder::checksum<T>(std::span<const T>) const;
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
