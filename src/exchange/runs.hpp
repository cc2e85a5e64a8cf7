// Which local elements are exchanged: lists of runs, one list for each partner.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// `length` consecutive elements from `start`.
struct Run {
  Index start = 0;
  Index length = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

/// `count` runs of `length` elements, whose starts are `stride` elements apart. A count of 1 is a Run.
struct StridedRun {
  Index start = 0;
  Index length = 0;
  Index count = 1;
  Index stride = 0;  ///< above `length` where `count` is more than 1
  [[nodiscard]] Index size() const { return length * count; }
  /// Behind the last element.
  [[nodiscard]] Index end() const { return start + (count - 1) * stride + length; }
  friend bool operator==(const StridedRun&, const StridedRun&) = default;
};

/// Elements in order, as few runs as possible: a run that continues the last one is merged with it, and four or more
/// runs of equal length at equal distances are stored as one. Two lists of the same elements in the same order are
/// equal if both were made by append(). Memory: 16 bytes per run, 24 more per strided one.
class RunList {
 public:
  class Iterator;

  RunList() = default;
  RunList(std::initializer_list<Run> runs) {
    for (const Run& run : runs) append(run);
  }

  /// Adds a run behind the last element; a run of length 0 is left out.
  void append(Run run);
  void append_strided(const StridedRun& run);
  /// Adds `distance` to the place of every element.
  void shift(Index distance) {
    for (Run& run : runs_) run.start += distance;
  }

  /// Iterates over StridedRun, in order.
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const;
  /// Calls visit(start, length) for the plain runs and visit_strided(StridedRun) for the others, in order.
  template <class Visit, class VisitStrided>
  void for_each(Visit visit, VisitStrided visit_strided) const {
    auto run = runs_.begin();
    const auto visit_before = [&](auto end) {
      for (; run != end; ++run) visit(run->start, run->length);
    };
    for (const Repeat& repeat : repeats_) {
      visit_before(runs_.begin() + static_cast<std::ptrdiff_t>(repeat.run));
      visit_strided(StridedRun{run->start, run->length, repeat.count, repeat.stride});
      ++run;
    }
    visit_before(runs_.end());
  }
  /// Runs in the list, a strided one counted once.
  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  [[nodiscard]] bool empty() const { return runs_.empty(); }
  [[nodiscard]] bool has_strides() const { return !repeats_.empty(); }
  /// The list without strides: all runs one by one.
  [[nodiscard]] std::vector<Run> expanded() const;
  [[nodiscard]] Index bytes() const {
    return static_cast<Index>(runs_.size() * sizeof(Run) + repeats_.size() * sizeof(Repeat));
  }
  friend bool operator==(const RunList&, const RunList&) = default;

 private:
  /// runs_[run] is the first of `count` runs at distances of `stride`.
  struct Repeat {
    std::size_t run = 0;
    Index count = 1, stride = 0;
    friend bool operator==(const Repeat&, const Repeat&) = default;
  };
  [[nodiscard]] bool is_strided(std::size_t run) const { return !repeats_.empty() && repeats_.back().run == run; }
  [[nodiscard]] Index end_of_last() const;
  void split_last();
  void fold_last();

  std::vector<Run> runs_;
  std::vector<Repeat> repeats_;  ///< by rising run
};

/// Goes through a list without allocations.
class RunList::Iterator {
 public:
  Iterator(const RunList& list, std::size_t run) : list_(&list), run_(run) {}
  StridedRun operator*() const {
    const Run& run = list_->runs_[run_];
    if (repeat_ == list_->repeats_.size() || list_->repeats_[repeat_].run != run_) return {run.start, run.length};
    return {run.start, run.length, list_->repeats_[repeat_].count, list_->repeats_[repeat_].stride};
  }
  Iterator& operator++() {
    if (repeat_ != list_->repeats_.size() && list_->repeats_[repeat_].run == run_) ++repeat_;
    ++run_;
    return *this;
  }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.run_ == b.run_; }

 private:
  const RunList* list_;
  std::size_t run_;
  std::size_t repeat_ = 0;  ///< the first one that is not before run_
};

inline RunList::Iterator RunList::begin() const { return {*this, 0}; }
inline RunList::Iterator RunList::end() const { return {*this, runs_.size()}; }

/// Calls visit(start, length) for every run of a list, those of strided ones one by one.
template <class Visit>
void for_each_run(const RunList& list, Visit visit) {
  list.for_each(visit, [&](const StridedRun& run) {
    for (Index k = 0; k < run.count; ++k) visit(run.start + k * run.stride, run.length);
  });
}

/// The local elements that are sent to (or received from) one partner, in the order of the message.
struct PartnerRuns {
  int partner = 0;
  RunList runs;
};

/// Elements of all runs together.
[[nodiscard]] Index total_length(const RunList& runs);

}  // namespace wavegrid
