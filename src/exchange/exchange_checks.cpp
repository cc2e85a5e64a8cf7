#include <algorithm>
#include <cstdint>
#include <limits>

#include <wavegrid/base/error.hpp>
#include <wavegrid/exchange/exchange_checks.hpp>

namespace wavegrid {

namespace {

bool is_in_array(const StridedRun& run) {
  constexpr Index most = std::numeric_limits<Index>::max();
  if (run.start < 0 || run.length < 0 || run.start > most - run.length) return false;
  return run.count == 1 || run.count - 1 <= (most - run.start - run.length) / run.stride;
}

/// The bytes of an array that an exchange uses: `length` of each of `count` bands.
struct UsedBytes {
  std::intptr_t first;
  Index length, stride, count;

  UsedBytes(const ExchangeArray& array, const Batch& batch, Index element)
      : first(reinterpret_cast<std::intptr_t>(array.data) + array.used.begin * element),
        length(array.used.size() * element),
        stride(array.stride * element),
        count(batch.count) {}
  [[nodiscard]] std::intptr_t begin(Index band) const { return first + band * stride; }
  [[nodiscard]] std::intptr_t end(Index band) const { return begin(band) + length; }
};

bool have_common(const UsedBytes& a, const UsedBytes& b) {
  if (a.begin(0) >= b.end(b.count - 1) || b.begin(0) >= a.end(a.count - 1)) return false;
  for (Index i = 0, j = 0; i < a.count && j < b.count;) {
    if (a.begin(i) < b.end(j) && b.begin(j) < a.end(i)) return true;
    if (a.end(i) <= b.end(j))
      ++i;
    else
      ++j;
  }
  return false;
}

}  // namespace

void require_entries(const std::string& side, const std::vector<PartnerRuns>& entries, const Comm& comm) {
  const auto refuse = [&](const std::string& fault) {
    throw bad_input("exchange plan: the " + side + " of rank " + std::to_string(comm.rank()) + " have " + fault);
  };
  std::vector<int> partners;
  for (const PartnerRuns& entry : entries) {
    partners.push_back(entry.partner);
    if (entry.partner < 0 || entry.partner >= comm.size())
      refuse("an entry for rank " + std::to_string(entry.partner) + "; valid: 0 to " + std::to_string(comm.size() - 1));
    for (const StridedRun run : entry.runs)
      if (!is_in_array(run))
        refuse("a run of " + std::to_string(run.length) + " elements from element " + std::to_string(run.start) +
               " on; valid: 0 or more");
  }
  std::sort(partners.begin(), partners.end());
  const auto twice = std::adjacent_find(partners.begin(), partners.end());
  if (twice != partners.end())
    refuse("several entries for rank " + std::to_string(*twice) + "; valid: one entry with all runs for a rank");
}

void require_batch(const Batch& batch, const ExchangeArray& source, const ExchangeArray& target, int rank) {
  if (batch.count < 0)
    throw bad_input("exchange: there are " + std::to_string(batch.count) + " bands; valid: 0 or more");
  if (batch.values < 1)
    throw bad_input("exchange: an element has " + std::to_string(batch.values) + " numbers; valid: 1 or more");
  if (batch.count < 2) return;
  for (const ExchangeArray* array : {&source, &target})
    if (array->stride < array->used.end)
      throw bad_input("exchange: on rank " + std::to_string(rank) + " the " + array->name + " stride is " +
                      std::to_string(array->stride) + "; valid: " + std::to_string(array->used.end) +
                      " or more, the elements of a band");
}

void require_apart(NumberType type, const Batch& batch, const ExchangeArray& source, const ExchangeArray& target,
                   int rank) {
  if (source.used.empty() || target.used.empty()) return;
  const Index element = batch.values * size_of(type);
  if (have_common({source, batch, element}, {target, batch, element}))
    throw bad_input("exchange: the source and the target array of rank " + std::to_string(rank) +
                    " overlap; give two arrays, or one for both at the same address");
}

}  // namespace wavegrid
