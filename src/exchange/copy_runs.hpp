// Packs and unpacks messages: the elements of runs, each a tuple of consecutive numbers.
#pragma once

#include <algorithm>
#include <vector>

#include <wavegrid/exchange/runs.hpp>

namespace wavegrid {

/// Copies the elements of `runs`, `values` numbers each, into a dense message.
template <class T>
void pack(const std::vector<Run>& runs, Index values, const T* from, T* to) {
  for (const Run& run : runs) to = std::copy_n(from + run.start * values, run.length * values, to);
}

/// Copies a dense message to the elements of `runs`.
template <class T>
void unpack(const std::vector<Run>& runs, Index values, const T* from, T* to) {
  for (const Run& run : runs) {
    std::copy_n(from, run.length * values, to + run.start * values);
    from += run.length * values;
  }
}

/// Adds a dense message to the elements of `runs`.
template <class T>
void add(const std::vector<Run>& runs, Index values, const T* from, T* to) {
  for (const Run& run : runs)
    for (Index i = 0; i < run.length * values; ++i) to[run.start * values + i] += *from++;
}

/// Calls visit(from, to, length) for the parts of two run lists of equal length that may be cut at different elements.
template <class Visit>
void for_matching_runs(const std::vector<Run>& from, const std::vector<Run>& to, Visit visit) {
  std::size_t f = 0;
  Index used = 0;
  for (const Run& target : to)
    for (Index done = 0; done < target.length;) {
      const Index n = std::min(from[f].length - used, target.length - done);
      visit(from[f].start + used, target.start + done, n);
      done += n;
      used += n;
      if (used == from[f].length) ++f, used = 0;
    }
}

}  // namespace wavegrid
