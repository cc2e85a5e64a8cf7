// Packs and unpacks messages: the elements of runs, each a tuple of consecutive numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <wavegrid/exchange/runs.hpp>

namespace wavegrid {

/// Copies the numbers of `count` runs of `length` numbers.
template <class T>
void copy_runs(const T* from, Index from_stride, T* to, Index to_stride, Index length, Index count) {
  if (count == 1)
    std::copy_n(from, length, to);
  else if (length == 1)
    for (Index k = 0; k < count; ++k) to[k * to_stride] = from[k * from_stride];
  else
    for (Index k = 0; k < count; ++k) std::copy_n(from + k * from_stride, length, to + k * to_stride);
}

/// Adds them.
template <class T>
void add_runs(const T* from, Index from_stride, T* to, Index to_stride, Index length, Index count) {
  for (Index k = 0; k < count; ++k)
    for (Index i = 0; i < length; ++i) to[k * to_stride + i] += from[k * from_stride + i];
}

/// Copies the elements of `runs`, `values` numbers each, into a dense message.
template <class T>
void pack(const RunList& runs, Index values, const T* from, T* to) {
  runs.for_each([&](Index start, Index length) { to = std::copy_n(from + start * values, length * values, to); },
                [&](const StridedRun& run) {
                  const Index length = run.length * values;
                  copy_runs(from + run.start * values, run.stride * values, to, length, length, run.count);
                  to += length * run.count;
                });
}

/// Copies a dense message to the elements of `runs`.
template <class T>
void unpack(const RunList& runs, Index values, const T* from, T* to) {
  runs.for_each(
      [&](Index start, Index length) {
        std::copy_n(from, length * values, to + start * values);
        from += length * values;
      },
      [&](const StridedRun& run) {
        const Index length = run.length * values;
        copy_runs(from, length, to + run.start * values, run.stride * values, length, run.count);
        from += length * run.count;
      });
}

/// Adds a dense message to the elements of `runs`.
template <class T>
void add(const RunList& runs, Index values, const T* from, T* to) {
  for_each_run(runs, [&](Index start, Index length) {
    for (Index i = 0; i < length * values; ++i) to[start * values + i] += *from++;
  });
}

/// A place in a list, which two lists of the same number of elements are cut from.
class RunCursor {
 public:
  explicit RunCursor(const RunList& runs) : next_(runs.begin()), end_(runs.end()) { take_next(); }
  [[nodiscard]] bool at_end() const { return run_.count == used_runs_; }
  [[nodiscard]] Index start() const { return run_.start + used_runs_ * run_.stride + used_; }
  /// Elements from here that have no gap.
  [[nodiscard]] Index length() const { return run_.length - used_; }
  /// The pieces of `n` elements, at most length(), that follow each other from here at distances of stride(n).
  [[nodiscard]] Index pieces(Index n) const { return is_whole(n) ? run_.count - used_runs_ : length() / n; }
  [[nodiscard]] Index stride(Index n) const { return is_whole(n) ? run_.stride : n; }
  void skip(Index n, Index pieces) {
    if (is_whole(n))
      used_runs_ += pieces;
    else if ((used_ += n * pieces) == run_.length)
      ++used_runs_, used_ = 0;
    if (at_end()) take_next();
  }

 private:
  [[nodiscard]] bool is_whole(Index n) const { return used_ == 0 && run_.length == n; }
  void take_next() {
    if (next_ == end_) return;
    run_ = *next_;
    ++next_;
    used_runs_ = 0;
  }
  StridedRun run_{.count = 0};
  Index used_runs_ = 0, used_ = 0;
  RunList::Iterator next_, end_;
};

/// What a rank copies from one of its arrays to the other: the elements of one list to those of another list, which may
/// be cut at different elements.
class OwnCopies {
 public:
  OwnCopies() = default;
  /// Two lists of the same number of elements.
  OwnCopies(const RunList& from, const RunList& to) {
    for (RunCursor f(from), t(to); !f.at_end();) {
      const Index n = std::min(f.length(), t.length()), count = std::min(f.pieces(n), t.pieces(n));
      if (count > 1) repeats_.push_back({copies_.size(), count, f.stride(n), t.stride(n)});
      copies_.push_back({f.start(), t.start(), n});
      f.skip(n, count);
      t.skip(n, count);
    }
  }

  /// Copies `values` numbers per element; `backward`: from the second list to the first.
  template <class T>
  void copy(bool backward, Index values, const T* from, T* to) const {
    for_each(backward, values, [=](const NumberCopy& c) {
      copy_runs(from + c.from, c.from_stride, to + c.to, c.to_stride, c.length, c.count);
    });
  }
  /// Adds them.
  template <class T>
  void add(bool backward, Index values, const T* from, T* to) const {
    for_each(backward, values, [=](const NumberCopy& c) {
      add_runs(from + c.from, c.from_stride, to + c.to, c.to_stride, c.length, c.count);
    });
  }

 private:
  struct Copy {
    Index from, to, length;
  };
  /// copies_[copy] is the first of `count` copies at these distances.
  struct Repeat {
    std::size_t copy;
    Index count, from_stride, to_stride;
  };
  struct NumberCopy {
    Index from, to, length, count = 1, from_stride = 0, to_stride = 0;
  };

  template <class Visit>
  void for_each(bool backward, Index values, Visit visit) const {
    const auto numbers = [=](const Copy& c) {
      return NumberCopy{(backward ? c.to : c.from) * values, (backward ? c.from : c.to) * values, c.length * values};
    };
    std::size_t next = 0;
    for (const Repeat& repeat : repeats_) {
      for (; next < repeat.copy; ++next) visit(numbers(copies_[next]));
      NumberCopy copy = numbers(copies_[next++]);
      copy.count = repeat.count;
      copy.from_stride = (backward ? repeat.to_stride : repeat.from_stride) * values;
      copy.to_stride = (backward ? repeat.from_stride : repeat.to_stride) * values;
      visit(copy);
    }
    for (; next < copies_.size(); ++next) visit(numbers(copies_[next]));
  }

  std::vector<Copy> copies_;
  std::vector<Repeat> repeats_;  ///< by rising copy
};

}  // namespace wavegrid
