// The common elements of two strided runs: again strided runs, found without looking at each element.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>

#include <wavegrid/exchange/runs.hpp>

namespace wavegrid {

/// Common elements of two runs, at equal distances in both: `count` times `length` elements, the first of them at
/// element `in_a` of the one run and `in_b` of the other, the next ones `a_stride` and `b_stride` elements later.
/// Elements of a run are counted without its gaps.
struct CommonRun {
  Index in_a = 0, in_b = 0, length = 0;
  Index count = 1, a_stride = 0, b_stride = 0;
};

/// The number of the first of the runs that ends behind an index (the first one for all smaller indices).
[[nodiscard]] inline Index first_run_behind(const StridedRun& run, Index i) {
  const Index from_first_end = i - run.start - run.length;
  return from_first_end < 0 ? 0 : from_first_end / run.stride + 1;
}

namespace detail {

/// The common elements of a strided run and a contiguous one: the ends of the window may cut a run.
template <class Visit>
void for_common_with_window(const StridedRun& run, const Range& window, Visit visit) {
  const auto cut = [&](Index k) {  // run number k inside the window
    const Index start = run.start + k * run.stride;
    const Index begin = std::max(start, window.begin), end = std::min(start + run.length, window.end);
    if (begin < end) visit(CommonRun{k * run.length + begin - start, begin - window.begin, end - begin});
  };
  if (run.count == 1) return cut(0);
  Index begin = first_run_behind(run, window.begin);
  Index end = window.end <= run.start ? 0 : std::min((window.end - 1 - run.start) / run.stride + 1, run.count);
  if (begin >= end) return;
  if (run.start + begin * run.stride < window.begin) cut(begin++);
  const bool cuts_last = end > begin && run.start + (end - 1) * run.stride + run.length > window.end;
  if (cuts_last) --end;
  if (begin < end)
    visit(CommonRun{begin * run.length, run.start + begin * run.stride - window.begin, run.length, end - begin,
                    run.length, run.stride});
  if (cuts_last) cut(end);
}

/// The common elements of two strided runs. Their pattern repeats after the least common multiple of the two strides,
/// so that one period of it is searched.
template <class Visit>
void for_common_strided(const StridedRun& a, const StridedRun& b, Visit visit) {
  const Index begin = std::max(a.start, b.start), end = std::min(a.end(), b.end());
  const Index to_period_a = b.stride / std::gcd(a.stride, b.stride),
              to_period_b = a.stride / std::gcd(a.stride, b.stride);
  const Index period =
      to_period_a > (end - begin) / a.stride + 1 ? end - begin : to_period_a * a.stride;  // or no repetition
  for (Index k = first_run_behind(a, begin), m = first_run_behind(b, begin); k < a.count && m < b.count;) {
    const Index in_a = a.start + k * a.stride, in_b = b.start + m * b.stride;
    const Index from = std::max(in_a, in_b), to = std::min(in_a + a.length, in_b + b.length);
    if (from >= begin + period) return;
    if (from < to) {
      CommonRun common{k * a.length + from - in_a, m * b.length + from - in_b, to - from};
      common.count += std::min((a.count - 1 - k) / to_period_a, (b.count - 1 - m) / to_period_b);
      if (common.count > 1) common.a_stride = to_period_a * a.length, common.b_stride = to_period_b * b.length;
      visit(common);
    }
    if (in_a + a.length <= in_b + b.length)
      ++k;
    else
      ++m;
  }
}

}  // namespace detail

/// Calls visit(CommonRun) for all common elements of two runs, each once. Starts are 0 or more.
template <class Visit>
void for_common_runs(const StridedRun& a, const StridedRun& b, Visit visit) {
  if (a.end() <= b.start || b.end() <= a.start) return;
  if (b.count == 1) return detail::for_common_with_window(a, {b.start, b.end()}, visit);
  if (a.count > 1) return detail::for_common_strided(a, b, visit);
  detail::for_common_with_window(b, {a.start, a.end()}, [&](CommonRun c) {
    std::swap(c.in_a, c.in_b);
    std::swap(c.a_stride, c.b_stride);
    visit(c);
  });
}

}  // namespace wavegrid
