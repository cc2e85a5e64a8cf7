// Sums over fields: over the plane waves of a box, stick by stick, or over its grid points, line by line.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Sums of one number for each element of lines that are distributed over ranks in any way.
///
/// Ordered: the elements of every line are added, and then the sums of the lines in the order of their numbers, so that
/// the result does not depend on the distribution of the lines, bit for bit; the reduction over ranks has an array of
/// the sums of all lines. Otherwise each rank adds its own elements, and the reduction has one number.
class LineSum {
 public:
  /// `lines`: the numbers, in [0, all), of this rank's lines, which are stored one after the other with `length`
  /// elements each. Every line is on exactly one rank of `comm`. Local.
  LineSum(Comm comm, std::vector<Index> lines, Index length, Index all, bool ordered)
      : comm_(std::move(comm)), lines_(std::move(lines)), length_(length), all_(all), ordered_(ordered) {}

  /// The sum of term(i) over the local elements i of all ranks. Collective.
  template <class Term>
  [[nodiscard]] double operator()(Term term) const {
    if (!ordered_) return comm_.sum(part(0, static_cast<Index>(lines_.size()) * length_, term));
    std::vector<double> sums(static_cast<std::size_t>(all_), 0.0);
    for (std::size_t n = 0; n < lines_.size(); ++n)
      sums[static_cast<std::size_t>(lines_[n])] = part(static_cast<Index>(n) * length_, length_, term);
    comm_.merge(std::span<double>(sums));  // exact: the sum of a line is 0 on all ranks but one
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }

  /// Several sums at once: fill(elements, sums) adds to `sums`, or sets, the sums over a range of local elements, which
  /// are whole lines; `sums` is 0 before. If ordered, the reduction has an array of the sums of all lines: use at most
  /// at_once() sums in one call. Collective.
  template <class Fill>
  void arrays(std::span<double> sums, Fill fill) const {
    std::fill(sums.begin(), sums.end(), 0.0);
    const Index mine = static_cast<Index>(lines_.size());
    if (!ordered_) {
      fill(Range{0, mine * length_}, sums);
      return comm_.sum(sums);
    }
    std::vector<double> all(static_cast<std::size_t>(all_) * sums.size(), 0.0);
    for (Index n = 0; n < mine; ++n) {
      const auto line = static_cast<std::size_t>(lines_[static_cast<std::size_t>(n)]);
      fill(Range{n * length_, (n + 1) * length_}, std::span(all).subspan(line * sums.size(), sums.size()));
    }
    comm_.merge(std::span<double>(all));
    for (std::size_t i = 0; i < all.size(); ++i) sums[i % sums.size()] += all[i];
  }
  /// The largest number of sums in one call of arrays(): no limit, or if ordered as many as take 8 MiB (at least 8).
  [[nodiscard]] Index at_once() const {
    return ordered_ ? std::max<Index>(8, (Index{1} << 20) / std::max<Index>(all_, 1))
                    : std::numeric_limits<Index>::max();
  }
  [[nodiscard]] Index length() const { return length_; }
  [[nodiscard]] bool is_ordered() const { return ordered_; }

 private:
  template <class Term>
  [[nodiscard]] static double part(Index first, Index count, Term& term) {
    double sum = 0;
    for (Index i = first; i < first + count; ++i) sum += term(static_cast<std::size_t>(i));
    return sum;
  }

  Comm comm_;
  std::vector<Index> lines_;
  Index length_, all_;
  bool ordered_;
};

}  // namespace wavegrid
