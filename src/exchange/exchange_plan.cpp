#include "exchange/exchange_plan.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "exchange/transport.hpp"

namespace wavegrid {

namespace {

Index total_length(const std::vector<Run>& runs) {
  return std::accumulate(runs.begin(), runs.end(), Index{0},
                         [](Index sum, const Run& run) { return sum + run.length; });
}

/// Copies one band's runs into a dense message; returns the end of what was written.
template <class T>
T* pack(const std::vector<Run>& runs, const T* from, T* to) {
  for (const Run& run : runs) to = std::copy_n(from + run.start, run.length, to);
  return to;
}

/// Spreads a dense message over one band's runs; returns the end of what was read.
template <class T>
const T* unpack(const std::vector<Run>& runs, const T* from, T* to) {
  for (const Run& run : runs) {
    std::copy_n(from, run.length, to + run.start);
    from += run.length;
  }
  return from;
}

/// Copies between two run lists of equal length that may be cut at different places.
template <class T>
void copy_runs(const std::vector<Run>& from, const T* in, const std::vector<Run>& to, T* out) {
  std::size_t f = 0;
  Index used = 0;
  for (const Run& target : to)
    for (Index done = 0; done < target.length;) {
      const Index n = std::min(from[f].length - used, target.length - done);
      std::copy_n(in + from[f].start + used, n, out + target.start + done);
      done += n;
      used += n;
      if (used == from[f].length) ++f, used = 0;
    }
}

template <class T>
T* reserve(AlignedVector<std::byte>& buffer, Index elements) {
  const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(T);
  if (buffer.size() < bytes) buffer.resize(bytes);
  return reinterpret_cast<T*>(buffer.data());
}

}  // namespace

void append_run(std::vector<Run>& runs, Run run) {
  if (run.length == 0) return;
  if (!runs.empty() && runs.back().start + runs.back().length == run.start)
    runs.back().length += run.length;
  else
    runs.push_back(run);
}

ExchangePlan::Side ExchangePlan::make_side(std::vector<PartnerRuns> entries, int my_rank) {
  Side side;
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.partner < b.partner; });
  for (PartnerRuns& entry : entries) {
    const Index elements = total_length(entry.runs);
    if (elements == 0) continue;
    if (entry.partner == my_rank) {
      side.own = std::move(entry.runs);
      continue;
    }
    side.total += elements;
    side.elements.push_back(elements);
    side.others.push_back(std::move(entry));
  }
  return side;
}

ExchangePlan::ExchangePlan(const Comm& comm, std::vector<PartnerRuns> sends, std::vector<PartnerRuns> receives,
                           Transport transport)
    : comm_(comm),
      transport_(transport),
      send_(make_side(std::move(sends), comm.rank())),
      receive_(make_side(std::move(receives), comm.rank())) {
  require_agreement();
  const bool stays = send_.others.empty() && receive_.others.empty() && send_.own == receive_.own;
  identity_ = comm_.min(stays ? 1 : 0) == 1;
  size_batches();
}

void ExchangePlan::require_agreement() const {
  const int ranks = comm_.size();
  std::vector<Index> announced(static_cast<std::size_t>(ranks)), expected(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < send_.others.size(); ++i)
    expected[static_cast<std::size_t>(send_.others[i].partner)] = send_.elements[i];
  MPI_Alltoall(expected.data(), 1, MPI_INT64_T, announced.data(), 1, MPI_INT64_T, comm_.handle());
  comm_.together([&] {
    for (std::size_t i = 0; i < receive_.others.size(); ++i)
      announced[static_cast<std::size_t>(receive_.others[i].partner)] -= receive_.elements[i];
    announced[static_cast<std::size_t>(comm_.rank())] = total_length(send_.own) - total_length(receive_.own);
    for (int r = 0; r < ranks; ++r)
      if (announced[static_cast<std::size_t>(r)] != 0)
        throw bad_input("exchange plan: rank " + std::to_string(r) + " sends " +
                        std::to_string(announced[static_cast<std::size_t>(r)]) + " elements more than rank " +
                        std::to_string(comm_.rank()) + " expects from it; both sides must name the same elements");
  });
}

void ExchangePlan::size_batches() {
  // Counts and displacements of one call are ints in MPI 3: keep a call's volume below the tile size on every rank.
  const Index largest = comm_.max(std::max(send_.total, receive_.total));
  if (transport_ == Transport::alltoallv && largest > std::numeric_limits<int>::max())
    throw bad_input("one band's messages hold " + std::to_string(largest) +
                    " elements on a rank, more than alltoallv can count; use the pairwise transport");
  bands_per_message_ = std::max<Index>(1, max_message / std::max<Index>(largest, 1));
}

Index ExchangePlan::elements_sent() const { return send_.total; }
Index ExchangePlan::messages_sent() const { return static_cast<Index>(send_.others.size()); }

template <class T>
void ExchangePlan::travel(const Side& from, const Side& to, const T* packed, T* arrived, Index count) const {
  const auto messages = [count](const Side& side) {
    std::vector<Message> list(side.others.size());
    Index offset = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i] = {side.others[i].partner, offset, count * side.elements[i]};
      offset += list[i].length;
    }
    return list;
  };
  const std::vector<Message> out = messages(from), in = messages(to);
  switch (transport_) {
    case Transport::alltoallv:
      return run_alltoallv(comm_, packed, out, arrived, in);
    case Transport::pairwise:
      return run_pairwise(comm_, packed, out, arrived, in);
  }
}

template <class T>
void ExchangePlan::move(const Side& from, const Side& to, const T* in, Index in_stride, T* out, Index out_stride,
                        Index count) {
  T* const packed = reserve<T>(packed_, count * from.total);
  T* const arrived = reserve<T>(arrived_, count * to.total);
  T* end = packed;
  for (const PartnerRuns& message : from.others)
    for (Index b = 0; b < count; ++b) end = pack(message.runs, in + b * in_stride, end);
  travel(from, to, packed, arrived, count);
  for (Index b = 0; b < count; ++b) copy_runs(from.own, in + b * in_stride, to.own, out + b * out_stride);
  const T* begin = arrived;
  for (const PartnerRuns& message : to.others)
    for (Index b = 0; b < count; ++b) begin = unpack(message.runs, begin, out + b * out_stride);
}

template <class T>
void ExchangePlan::forward(const T* source, T* target, const Batch& batch) {
  for (Index b = 0; b < batch.count; b += bands_per_message_)
    move(send_, receive_, source + b * batch.source_stride, batch.source_stride, target + b * batch.target_stride,
         batch.target_stride, std::min(bands_per_message_, batch.count - b));
}

template <class T>
void ExchangePlan::backward(const T* target, T* source, const Batch& batch) {
  for (Index b = 0; b < batch.count; b += bands_per_message_)
    move(receive_, send_, target + b * batch.target_stride, batch.target_stride, source + b * batch.source_stride,
         batch.source_stride, std::min(bands_per_message_, batch.count - b));
}

#define WAVEGRID_INSTANTIATE(T)                                       \
  template void ExchangePlan::forward<T>(const T*, T*, const Batch&); \
  template void ExchangePlan::backward<T>(const T*, T*, const Batch&);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<float>)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
