#include <algorithm>
#include <complex>
#include <utility>

#include <wavegrid/exchange/band_group_exchange.hpp>
#include <wavegrid/exchange/candidates.hpp>

namespace wavegrid {

namespace {

/// Appends the indices of band number `band` of a set.
void append_band(IndexList& list, const IndexList& one, Index dimension, int band) {
  for (const StridedRun run : one.runs())
    list.append_strided({band * dimension + run.start, run.length, run.count, run.stride});
}

/// From the rows of one band per group to the bands of the groups.
ExchangePlan plan_of(const ProcessGroups& groups, const IndexList& rows, const IndexList& group_indices,
                     Index dimension, Transport transport, int threads) {
  IndexList source, target;
  for (int band = 0; band < groups.counts().band_groups; ++band) append_band(source, rows, dimension, band);
  append_band(target, group_indices, dimension, groups.my_band_group());
  MatchedRuns runs = match_layouts(groups.kpoint_group(), source, target);
  return {groups.kpoint_group(), std::move(runs.sends), std::move(runs.receives), transport, threads};
}

}  // namespace

BandGroupExchange::BandGroupExchange(const ProcessGroups& groups, const IndexList& rows, const IndexList& group_indices,
                                     Index dimension, const std::optional<Transport>& transport,
                                     std::size_t value_bytes, int threads)
    : groups_(groups.counts().band_groups),
      my_group_(groups.my_band_group()),
      rows_(rows.size()),
      group_rows_(group_indices.size()),
      plan_(plan_of(groups, rows, group_indices, dimension, transport.value_or(Transport::alltoallv), threads)) {
  if (transport || plan_.is_identity()) return;
  const Index unit = search_share * static_cast<Index>(value_bytes);
  plan_.search(plan_.comm(), transport_candidates(plan_.comm(), {&plan_}, unit));
}

double BandGroupExchange::bytes(int groups, const Rows& rows, Index share, std::size_t value_bytes, bool searches) {
  const double kept =
      static_cast<double>(rows.on_rank) * static_cast<double>(rows.in_group) / static_cast<double>(rows.all);
  const double sent = static_cast<double>(groups * rows.on_rank) - kept,
               received = static_cast<double>(rows.in_group) - kept;
  // Of the transports of a search one has its buffers for messages sent in a window, another those for received ones.
  const double bands = static_cast<double>(share + (searches ? search_share : 0));
  return bands * (sent + received) * static_cast<double>(value_bytes);
}

std::vector<double> BandGroupExchange::group_share(std::span<const double> values) const {
  const auto count = static_cast<Index>(values.size());
  std::vector<double> mine(static_cast<std::size_t>(share(count)), 0.0);
  for (Index b = my_group_; b < count; b += groups_)
    mine[static_cast<std::size_t>(b / groups_)] = values[static_cast<std::size_t>(b)];
  return mine;
}

template <class T>
void BandGroupExchange::fetch(const T* bands, Index count, T* mine, T* incomplete) {
  const Index whole = count / groups_, rest = count % groups_, set = groups_ * rows_;
  plan_.forward(bands, mine, {whole, set, group_rows_});
  if (rest == 0) return;
  T* const end = std::copy_n(bands + whole * set, rest * rows_, incomplete);
  std::fill(end, incomplete + set, T(0));
  plan_.forward(incomplete, mine + whole * group_rows_, {1, set, group_rows_});
}

template <class T>
void BandGroupExchange::put_back(const T* mine, Index count, T* bands, T* incomplete) {
  const Index whole = count / groups_, rest = count % groups_, set = groups_ * rows_;
  plan_.backward(mine, bands, {whole, set, group_rows_});
  if (rest == 0) return;
  plan_.backward(mine + whole * group_rows_, incomplete, {1, set, group_rows_});
  std::copy_n(incomplete, rest * rows_, bands + whole * set);
}

template <class T>
void BandGroupExchange::fetch_in_steps(const T* bands, Index count, T* mine, T* incomplete) {
  const Index share = std::min(search_share, count / groups_), step = share * groups_;
  Index done = 0;
  for (; plan_.is_tuning() && share > 0 && done + step <= count; done += step) {
    plan_.comm().barrier();  // a step is the exchange alone, not what groups did before
    plan_.step([&] { fetch(bands + done * rows_, step, mine + done / groups_ * group_rows_, incomplete); },
               static_cast<double>(share));
  }
  fetch(bands + done * rows_, count - done, mine + done / groups_ * group_rows_, incomplete);
}

#define WAVEGRID_INSTANTIATE(T)                                                \
  template void BandGroupExchange::fetch<T>(const T*, Index, T*, T*);          \
  template void BandGroupExchange::fetch_in_steps<T>(const T*, Index, T*, T*); \
  template void BandGroupExchange::put_back<T>(const T*, Index, T*, T*);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<float>)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
