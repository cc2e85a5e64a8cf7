#include <wavegrid/boxes/ordered_deposit.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/mpi/sparse_exchange.hpp>

namespace wavegrid {

namespace {

void require_different_numbers(const BoxSetup& setup) {
  std::vector<Index> numbers;
  for (const Box& box : setup.boxes) numbers.push_back(box.number);
  try {
    (void)match_layouts(setup.comm, IndexList::of(numbers), {}, Unowned::refuse, {"boxes", ""});
  } catch (const Error& error) {
    throw Error(error.kind(), std::string("numbers of boxes, which must differ and be 0 or more: ") + error.what());
  }
}

/// All points of the boxes, box after box.
IndexList all_points(const BoxSetup& setup) {
  IndexList points;
  for (const Box& box : setup.boxes)
    for_rows(box, setup.grid, [&](Index point, Index, Index length) { points.append({point, point + length}); });
  return points;
}

/// A part of a message: `values` consecutive values of one box.
struct BoxShare {
  Index number, values;
};

/// For each message of this rank, the boxes of which it consists.
std::vector<PartnerItems<BoxShare>> shares_of(const BoxSetup& setup, const std::vector<PartnerRuns>& messages) {
  std::vector<PartnerItems<BoxShare>> all;
  for (const PartnerRuns& message : messages) {
    PartnerItems<BoxShare> shares{message.partner, {}};
    std::size_t box = 0;
    for_each_run(message.runs, [&](Index start, Index length) {
      for (Index done = 0; done < length;) {
        while (start + done >= setup.offsets[box + 1]) ++box;
        const Index values = std::min(length - done, setup.offsets[box + 1] - start - done);
        const Index number = setup.boxes[box].number;
        if (shares.items.empty() || shares.items.back().number != number) shares.items.push_back({number, 0});
        shares.items.back().values += values;
        done += values;
      }
    });
    all.push_back(std::move(shares));
  }
  return all;
}

}  // namespace

OrderedDeposit::OrderedDeposit(const BoxSetup& setup) : setup_(setup) {
  require_different_numbers(setup);
  const MatchedRuns runs = match_layouts(setup.comm, setup.points, all_points(setup), Unowned::refuse, grid_names);
  plan_exchange(runs);
  plan_additions(runs);
}

/// From the boxes to an array of what arrives, partner after partner.
void OrderedDeposit::plan_exchange(const MatchedRuns& runs) {
  std::vector<PartnerRuns> receives;
  for (const PartnerRuns& message : runs.sends) {
    const Index length = total_length(message.runs);
    receives.push_back({message.partner, {{received_, length}}});
    received_ += length;
  }
  plan_ = std::make_unique<ExchangePlan>(setup_.comm, runs.receives, std::move(receives), setup_.options.transport,
                                         setup_.options.threads);
}

void OrderedDeposit::plan_additions(const MatchedRuns& runs) {
  struct Share {
    Index number;
    std::vector<Addition> additions;
  };
  std::vector<Share> shares;
  Index value = 0;
  auto message = runs.sends.begin();
  for (const auto& [partner, items] : sparse_exchange(setup_.comm, shares_of(setup_, runs.receives))) {
    while (message->partner != partner) ++message;
    const std::vector<Run> from_runs = message->runs.expanded();
    std::size_t run = 0;
    Index used = 0;
    for (const BoxShare& share : items) {
      shares.push_back({share.number, {}});
      for (Index left = share.values; left > 0;) {
        const Run& from = from_runs[run];
        const Index length = std::min(left, from.length - used);
        shares.back().additions.push_back({from.start + used, value, length});
        value += length, used += length, left -= length;
        if (used == from.length) ++run, used = 0;
      }
    }
  }
  std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.number < b.number; });
  std::vector<Addition> all;
  for (const Share& share : shares) all.insert(all.end(), share.additions.begin(), share.additions.end());
  divide(all);
}

/// Gives each thread the additions to a part of this rank's points.
void OrderedDeposit::divide(const std::vector<Addition>& all) {
  const BlockLayout layout(setup_.num_points, setup_.options.threads);
  for (int thread = 0; thread < setup_.options.threads; ++thread) {
    const Range mine = layout.range(thread);
    auto& additions = additions_.emplace_back();
    for (const Addition& one : all) {
      const Index begin = std::max(one.point, mine.begin), end = std::min(one.point + one.length, mine.end);
      if (begin < end) additions.push_back({begin, one.value + begin - one.point, end - begin});
    }
  }
}

template <class T>
void OrderedDeposit::deposit(const BoxSource<T>& source, T* grid, Index fields, NanSearch& nans, BoxTraffic& traffic) {
  const int threads = setup_.options.threads;
  const Index values = setup_.offsets.back();
  // (fields, values of all boxes): the fields of a box are not together here
  T* const sent = values_.get<T>(values * fields);
  T* const arrived = arrived_.get<T>(received_ * fields);
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(dynamic)
  for (Index b = 0; b < setup_.num_boxes(); ++b) {
    const auto box = static_cast<std::size_t>(b);
    const Index points = setup_.boxes[box].points(), offset = setup_.offsets[box];
    AlignedVector<T> buffer(static_cast<std::size_t>(source.is_array() ? 0 : points * fields));
    const T* const from = source.values(b, offset * fields, buffer);
    nans.look_at<T>(b, {from, static_cast<std::size_t>(points * fields)});
    for (Index f = 0; f < fields; ++f) std::copy_n(from + f * points, points, sent + f * values + offset);
  }
  plan_->forward(sent, arrived, {fields, values, received_});
  traffic.messages += plan_->messages_sent();
  traffic.bytes += plan_->elements_sent() * fields * static_cast<Index>(sizeof(T));
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
  for (int thread = 0; thread < threads; ++thread)
    for (Index f = 0; f < fields; ++f)
      for (const Addition& one : additions_[static_cast<std::size_t>(thread)]) {
        T* const to = grid + f * setup_.num_points + one.point;
        const T* const from = arrived + f * received_ + one.value;
        for (Index i = 0; i < one.length; ++i) to[i] += from[i];
      }
}

#define WAVEGRID_INSTANTIATE(T) \
  template void OrderedDeposit::deposit<T>(const BoxSource<T>&, T*, Index, NanSearch&, BoxTraffic&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
