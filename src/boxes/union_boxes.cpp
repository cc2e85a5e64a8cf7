#include <omp.h>

#include <wavegrid/boxes/union_boxes.hpp>
#include <wavegrid/layout/block_layout.hpp>

namespace wavegrid {

namespace {

ExchangePlan grid_to_union(const BoxSetup& setup, const BoxUnion& points) {
  MatchedRuns runs = match_layouts(setup.comm, setup.points, points.points(), Unowned::refuse, grid_names);
  return {setup.comm, std::move(runs.sends), std::move(runs.receives), setup.options.transport, setup.options.threads};
}

/// The boxes from `first` on whose values are filled before they are added: at least one for each thread, and not more
/// than stay in the caches.
Range next_round(const BoxSetup& setup, Index first, Index value_bytes) {
  constexpr Index bytes_per_thread = Index{1} << 20;
  const Index most = setup.options.threads * bytes_per_thread;
  Range round{first, first};
  while (round.end < setup.num_boxes() &&
         (round.size() < setup.options.threads ||
          (setup.offsets[static_cast<std::size_t>(round.end) + 1] - setup.offsets[static_cast<std::size_t>(first)]) *
                  value_bytes <=
              most))
    ++round.end;
  return round;
}

}  // namespace

UnionBoxes::UnionBoxes(const BoxSetup& setup)
    : setup_(setup), union_(setup.grid, setup.boxes), plan_(grid_to_union(setup, union_)) {
  if (setup.options.deterministic) ordered_ = std::make_unique<OrderedDeposit>(setup);
}

Batch UnionBoxes::batch(Index fields) const { return {fields, setup_.num_points, union_.size()}; }

template <class T>
void UnionBoxes::count(Index fields) {
  traffic_.messages += plan_.messages_sent();
  traffic_.bytes += plan_.elements_sent() * fields * static_cast<Index>(sizeof(T));
}

template <class T>
void UnionBoxes::extract(const T* grid, const BoxSink<T>& sink, Index fields) {
  const int threads = setup_.options.threads;
  T* const values = values_.get<T>(union_.size() * fields);
  plan_.forward(grid, values, batch(fields));
  count<T>(fields);
  const Index largest = sink.is_array() ? 0 : setup_.largest * fields;
  T* const buffers = buffers_.get<T>(largest * threads);
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(dynamic)
  for (Index b = 0; b < setup_.num_boxes(); ++b) {
    const auto box = static_cast<std::size_t>(b);
    T* const own = buffers + largest * omp_get_thread_num();
    T* const to = sink.place(setup_.offsets[box] * fields, {own, static_cast<std::size_t>(largest)});
    const Index points = setup_.boxes[box].points();
    for (Index f = 0; f < fields; ++f)
      for (const BoxUnion::Row& row : union_.rows(box))
        std::copy_n(values + f * union_.size() + row.point, row.length, to + f * points + row.value);
    sink.done(b, {to, static_cast<std::size_t>(points * fields)});
  }
}

/// Adds the values of some boxes to those points of the union that are in a range.
template <class T>
void UnionBoxes::add_boxes(Range boxes, const T* values, Range points, Index fields, T* sums) const {
  for (Index b = boxes.begin; b < boxes.end; ++b) {
    const auto box = static_cast<std::size_t>(b);
    const T* from = setup_.part(values, b, fields, boxes.begin).data();
    for (Index f = 0; f < fields; ++f, from += setup_.boxes[box].points())
      union_.for_rows_in(points, box, [&](Index point, Index value, Index length) {
        T* const to = sums + f * union_.size() + point;
        for (Index i = 0; i < length; ++i) to[i] += from[value + i];
      });
  }
}

/// Adds all boxes to the union, in their order: threads divide the points, so that the sums do not depend on them.
template <class T>
void UnionBoxes::deposit_boxes(const BoxSource<T>& source, T* sums, Index fields, NanSearch& nans) {
  const int threads = setup_.options.threads, parts = threads == 1 ? 1 : 8 * threads;
  const BlockLayout layout(union_.size(), parts);
  std::vector<Range> rounds;
  Index most = 0;  // values of a round
  for (Index b = 0; b < setup_.num_boxes(); b = rounds.back().end) {
    rounds.push_back(source.is_array() ? Range{0, setup_.num_boxes()}
                                       : next_round(setup_, b, fields * static_cast<Index>(sizeof(T))));
    most = std::max(most, setup_.offsets[static_cast<std::size_t>(rounds.back().end)] -
                              setup_.offsets[static_cast<std::size_t>(rounds.back().begin)]);
  }
  T* const buffer = buffers_.get<T>(source.is_array() ? 0 : most * fields);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
#pragma omp for schedule(static)
    for (int part = 0; part < parts; ++part) {
      const Range mine = layout.range(part);
      for (Index f = 0; f < fields; ++f) std::fill_n(sums + f * union_.size() + mine.begin, mine.size(), T(0));
    }
    for (const Range& round : rounds) {
#pragma omp for schedule(dynamic)
      for (Index b = round.begin; b < round.end; ++b) {
        if (!source.is_array()) (*source.fill)(b, setup_.part(buffer, b, fields, round.begin));
        nans.look_at<T>(b, setup_.part(source.is_array() ? source.array : buffer, b, fields, round.begin));
      }
#pragma omp for schedule(dynamic)
      for (int part = 0; part < parts; ++part)
        add_boxes<T>(round, source.is_array() ? source.array : buffer, layout.range(part), fields, sums);
    }
  }
}

template <class T>
void UnionBoxes::deposit(const BoxSource<T>& source, T* grid, Index fields, NanSearch& nans) {
  if (ordered_) return ordered_->deposit(source, grid, fields, nans, traffic_);
  T* const sums = values_.get<T>(union_.size() * fields);
  deposit_boxes(source, sums, fields, nans);
  plan_.adjoint(sums, grid, batch(fields));
  count<T>(fields);
}

#define WAVEGRID_INSTANTIATE(T)                                             \
  template void UnionBoxes::extract<T>(const T*, const BoxSink<T>&, Index); \
  template void UnionBoxes::deposit<T>(const BoxSource<T>&, T*, Index, NanSearch&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
