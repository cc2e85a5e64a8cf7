#include <wavegrid/exchange/runs.hpp>

namespace wavegrid {

namespace {

constexpr std::size_t least_repeats = 4;  // fewer take less memory one by one

}  // namespace

void RunList::append(Run run) {
  if (run.length == 0) return;
  // A negative length is an error that is reported later (IndexList): it is merged with nothing.
  const bool continues = !runs_.empty() && run.length > 0 && runs_.back().length > 0 && end_of_last() == run.start;
  if (continues) {
    if (is_strided(runs_.size() - 1)) split_last();
    runs_.back().length += run.length;
  } else {
    runs_.push_back(run);
  }
  fold_last();
}

Index RunList::end_of_last() const {
  const Index skipped = is_strided(runs_.size() - 1) ? (repeats_.back().count - 1) * repeats_.back().stride : 0;
  return runs_.back().start + skipped + runs_.back().length;
}

/// Takes the last run out of the strided run at the end of the list.
void RunList::split_last() {
  Repeat& repeat = repeats_.back();
  const Run last{runs_.back().start + --repeat.count * repeat.stride, runs_.back().length};
  if (repeat.count < static_cast<Index>(least_repeats)) {
    const Repeat few = repeat;
    repeats_.pop_back();
    for (Index k = 1; k < few.count; ++k)
      runs_.push_back({runs_[few.run].start + k * few.stride, runs_[few.run].length});
  }
  runs_.push_back(last);
}

/// Makes the last run part of a strided one, where it fits one or completes one.
void RunList::fold_last() {
  const std::size_t n = runs_.size();
  if (n < 2 || runs_[n - 2].length != runs_[n - 1].length || runs_[n - 1].length < 0 || runs_[n - 2].start < 0) return;
  const Run last = runs_.back();
  if (is_strided(n - 2)) {
    Repeat& repeat = repeats_.back();
    if (last.start - (runs_[n - 2].start + (repeat.count - 1) * repeat.stride) != repeat.stride) return;
    ++repeat.count;
    runs_.pop_back();
    return;
  }
  const std::size_t used = repeats_.empty() ? 0 : repeats_.back().run + 1;
  const Index stride = last.start - runs_[n - 2].start;
  if (n - used < least_repeats || stride <= last.length) return;
  const std::size_t first = n - least_repeats;
  for (std::size_t i = first; i + 2 < n; ++i)
    if (runs_[i].length != last.length || runs_[i + 1].start - runs_[i].start != stride) return;
  runs_.resize(first + 1);
  repeats_.push_back({first, static_cast<Index>(least_repeats), stride});
}

void RunList::append_strided(const StridedRun& run) {
  if (run.stride == run.length) return append({run.start, run.size()});
  // The first runs one by one: they may continue what is at the end of the list. The others then only lengthen it.
  Index k = 0;
  const auto one = [&] { append({run.start + k++ * run.stride, run.length}); };
  while (k < run.count && (k < static_cast<Index>(least_repeats) || !is_strided(runs_.size() - 1))) one();
  if (k < run.count) repeats_.back().count += run.count - k;
}

std::vector<Run> RunList::expanded() const {
  std::vector<Run> all;
  for_each_run(*this, [&](Index start, Index length) { all.push_back({start, length}); });
  return all;
}

Index total_length(const RunList& runs) {
  Index sum = 0;
  for (const StridedRun run : runs) sum += run.size();
  return sum;
}

}  // namespace wavegrid
