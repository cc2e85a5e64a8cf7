// Sums over fields: over the plane waves of a box, stick by stick, or over its grid points, line by line.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "mpi/comm.hpp"

namespace wavegrid {

/// Adds a number for each element of lines that are distributed over ranks in any way.
///
/// Ordered: every line is added by itself, and the lines' sums in the order of their numbers, so that the result does
/// not depend on who holds which line, bit for bit; an array of all lines' sums travels. Else each rank adds what it
/// has, and one number travels.
class LineSum {
 public:
  /// `lines`: numbers, out of [0, all), of this rank's lines, which stand one behind the other, `length` elements each.
  /// `comm` holds every line once. Local.
  LineSum(Comm comm, std::vector<Index> lines, Index length, Index all, bool ordered)
      : comm_(std::move(comm)), lines_(std::move(lines)), length_(length), all_(all), ordered_(ordered) {}

  /// The sum of term(i) over the local elements i of all ranks. Collective.
  template <class Term>
  [[nodiscard]] double operator()(Term term) const {
    if (!ordered_) return comm_.sum(part(0, static_cast<Index>(lines_.size()) * length_, term));
    std::vector<double> sums(static_cast<std::size_t>(all_), 0.0);
    for (std::size_t n = 0; n < lines_.size(); ++n)
      sums[static_cast<std::size_t>(lines_[n])] = part(static_cast<Index>(n) * length_, length_, term);
    comm_.merge(std::span<double>(sums));  // exact: to all but one of its terms a line's sum is 0
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }

  /// Many sums at once: fill(elements, sums) sets those over some consecutive local elements, whole lines, or adds them
  /// to the zeros that it finds there. Ordered, an array of all lines' sums travels: no more than at_once() of them are
  /// to be asked for. Collective.
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
  /// How many sums arrays() takes at once: all there are, or ordered as many as make 8 MiB.
  [[nodiscard]] Index at_once() const {
    return ordered_ ? std::max<Index>(8, (Index{1} << 20) / std::max<Index>(all_, 1))
                    : std::numeric_limits<Index>::max();
  }
  [[nodiscard]] Index length() const { return length_; }

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
