#include <omp.h>

#include <algorithm>

#include <wavegrid/fft/pipeline.hpp>

namespace wavegrid {

namespace {

ExchangePlan plan_to_planes(const ProcessGrid& ranks, const Partition& partition, const FftLayout& layout,
                            Transport transport, int threads) {
  TransposeRuns runs = sticks_to_planes(layout, partition);
  const Comm& comm = partition.rows_are_closed() ? ranks.row_group() : ranks.all();
  return {comm, std::move(runs.sends), std::move(runs.receives), transport, threads};
}

ExchangePlan plan_to_sections(const ProcessGrid& ranks, const FftLayout& layout, Transport transport, int threads) {
  TransposeRuns runs = planes_to_sections(layout);
  return {ranks.column_group(), std::move(runs.sends), std::move(runs.receives), transport, threads};
}

Index count_plane_waves(const GSphere& sphere, const FftLayout& layout) {
  Index size = 0;
  for (const int stick : layout.my_sticks) size += sphere.counts().count[static_cast<std::size_t>(stick)];
  return size;
}

}  // namespace

template <class Real>
Pipeline<Real>::Pipeline(const ProcessGrid& ranks, const Partition& partition, const GSphere& sphere,
                         const PipelineOptions& options)
    : layout_(sphere, partition, ranks.all().rank(), sizeof(Complex)),
      threads_(options.threads),
      single_rank_(ranks.all().size() == 1),
      largest_group_(largest_group(layout_, options)),
      size_(count_plane_waves(sphere, layout_)),
      sticks_(sphere, layout_, options.effort),
      planes_(layout_, options.effort),
      lines_(layout_, options.effort),
      to_planes_(plan_to_planes(ranks, partition, layout_, options.transport, options.threads)),
      to_sections_(plan_to_sections(ranks, layout_, options.transport, options.threads)) {
  to_planes_.record(options.profile, TrafficKind::sticks_and_planes, ranks.world());
  to_sections_.record(options.profile, TrafficKind::planes_and_sections, ranks.world());
  slots_.resize(num_slots(layout_, single_rank_, options));
  block_ = ranks.all().max(block_for(layout_, traffic_of(layout_, partition), options));
  workspace_ = options.workspace ? options.workspace : std::make_shared<FftWorkspace>();
  workspace_->reserve<Complex>(FftWorkspace::Array::pipeline, place_arrays());
}

/// Sets the offsets of all arrays in the workspace; returns the number of elements of all.
template <class Real>
Index Pipeline<Real>::place_arrays() {
  Index all = 0;
  const auto place = [&](Index elements) {
    const Index begin = all;
    all += padded_row(elements, sizeof(Complex));
    return begin;
  };
  const Index line_arrays = largest_group_ / bands_per_transform();
  const Index stage_work =
      std::max({sticks_.workspace(), planes_.workspace(), line_arrays * lines_.lines_size() + lines_.workspace()});
  const bool whole_planes = layout_.shape.rows == 1;
  work_size_ = padded_row(stage_work + (whole_planes ? largest_group_ * layout_.plane_size() : 0), sizeof(Complex));
  work_ = place(threads_ * work_size_);
  for (Slot& slot : slots_) {
    slot.sticks = place(block_ * layout_.stick_size());
    slot.arrived = to_planes_.is_identity() ? slot.sticks : place(block_ * layout_.arrived_size);
    if (whole_planes) continue;
    slot.columns = place(block_ * layout_.column_size());
    slot.section = place(block_ * layout_.section_size);
  }
  return all;
}

/// One slot if nothing overlaps, else one for each step.
template <class Real>
std::size_t Pipeline<Real>::num_slots(const FftLayout& layout, bool single_rank, const PipelineOptions& options) {
  constexpr std::size_t with_one_transpose = 3, with_two = 5;
  if (single_rank || !options.overlap) return 1;
  return layout.shape.rows == 1 ? with_one_transpose : with_two;
}

/// So many bands that the latency of a message is small compared with its transfer time, but so few that the blocks in
/// the pipeline stay in an outer cache; at least one group of bands for each thread.
template <class Real>
Index Pipeline<Real>::block_for(const FftLayout& layout, const Traffic& traffic, const PipelineOptions& options) {
  const Index group = largest_group(layout, options);
  const auto whole_groups = [=](Index bands) { return (bands + group - 1) / group * group; };
  const Index one_each = group * options.threads;
  if (traffic.single_rank) return one_each;
  if (options.block > 0) return whole_groups(options.block);
  constexpr Index long_message = 64 * 1024, outer_cache = 8 * 1024 * 1024, most = 64;
  const auto bytes = [](Index elements) { return std::max<Index>(elements, 1) * static_cast<Index>(sizeof(Complex)); };
  const Index message = bytes(traffic.elements / std::max<Index>(traffic.messages, 1));
  const Index in_pipeline = bytes(2 * std::max(layout.stick_size(), layout.arrived_size)) *
                            static_cast<Index>(num_slots(layout, false, options));
  const Index in_cache = std::max<Index>(outer_cache / in_pipeline, 1);
  const Index for_messages = (long_message + message - 1) / message;
  return whole_groups(std::clamp(std::max(in_cache, for_messages), one_each, std::max(most, one_each)));
}

template <class Real>
auto Pipeline<Real>::traffic_of(const FftLayout& layout, const Partition& partition) -> Traffic {
  Traffic traffic{partition.parts == 1,
                  partition.parts == 1 || (partition.rows_are_closed() && layout.shape.columns == 1)};
  const auto count = [&](const std::vector<PartnerRuns>& sends, int me) {
    Index elements = 0, messages = 0;
    for (const PartnerRuns& entry : sends)
      if (entry.partner != me && !entry.runs.empty()) elements += total_length(entry.runs), ++messages;
    traffic.elements = std::max(traffic.elements, elements);
    traffic.messages = std::max(traffic.messages, messages);
  };
  if (traffic.single_rank) return traffic;
  count(sticks_to_planes(layout, partition).sends, partition.rows_are_closed() ? layout.column : layout.part);
  count(planes_to_sections(layout).sends, layout.row);
  return traffic;
}

template <class Real>
auto Pipeline<Real>::size_of(const FftLayout& layout, const Partition& partition, const PipelineOptions& options)
    -> Size {
  const Traffic traffic = traffic_of(layout, partition);
  Index band = layout.stick_size();
  if (!traffic.sticks_stay) band += layout.arrived_size;
  if (layout.shape.rows > 1) band += layout.column_size() + layout.section_size;
  const Index block = block_for(layout, traffic, options);
  const auto bands = static_cast<double>(block) * static_cast<double>(num_slots(layout, traffic.single_rank, options));
  return {block, bands * static_cast<double>(band) * sizeof(Complex)};
}

template <class Real>
auto Pipeline<Real>::steps_of(const Route& route) const -> std::vector<Step> {
  const bool sections = layout_.shape.rows > 1;
  std::vector<Step> steps;
  if (route.to_grid) steps.push_back(Step::sticks_out);
  if (route.to_grid && sections) steps.push_back(Step::planes_out);
  steps.push_back(sections ? Step::tiles : Step::whole_planes);
  if (route.to_sphere && sections) steps.push_back(Step::planes_back);
  if (route.to_sphere) steps.push_back(Step::sticks_back);
  return steps;
}

template <class Real>
void Pipeline<Real>::use_agreed(Transport transport) {
  to_planes_.use_agreed(transport);
  to_sections_.use_agreed(transport);
}

template <class Real>
void Pipeline<Real>::release_other_transports() {
  to_planes_.release_other_transports();
  to_sections_.release_other_transports();
}

template <class Real>
std::complex<Real>* Pipeline<Real>::thread_work() {
  return arrays_ + work_ + omp_get_thread_num() * work_size_;
}

template <class Real>
Real Pipeline<Real>::scale() const {
  return Real(1) / (Real(layout_.grid[0]) * Real(layout_.grid[1]) * Real(layout_.grid[2]));
}

/// Starts the exchange of a block. Forward along the first plan is from sticks to arrived, along the second from
/// columns to section.
template <class Real>
void Pipeline<Real>::start_exchange(ExchangePlan& plan, ExchangeDirection direction, Slot& slot) {
  if (plan.is_identity()) return;
  if (&plan == &to_planes_)
    slot.exchange =
        plan.start(direction, sticks(slot), arrived(slot), {slot.count, layout_.stick_size(), layout_.arrived_size});
  else
    slot.exchange =
        plan.start(direction, columns(slot), section(slot), {slot.count, layout_.column_size(), layout_.section_size});
}

/// Lets MPI make progress with the messages of all blocks; on the main thread only, since MPI is MPI_THREAD_FUNNELED.
template <class Real>
void Pipeline<Real>::progress() {
  if (single_rank_ || slots_.size() == 1 || omp_get_thread_num() != 0) return;
  for (Slot& slot : slots_) slot.exchange.test();
}

template <class Real>
void Pipeline<Real>::sticks_out(const Route& route, Slot& slot) {
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (Index b = 0; b < slot.count; ++b) {
    sticks_.backward(route.from + (slot.first + b) * size_, sticks(slot) + b * layout_.stick_size(), thread_work());
    progress();
  }
  start_exchange(to_planes_, ExchangeDirection::forward, slot);
}

template <class Real>
void Pipeline<Real>::planes_out(Slot& slot) {
  const Complex* const from = arrived(slot);
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (Index x = 0; x < layout_.x.size(); ++x) {
    for (Index b = 0; b < slot.count; ++b)
      planes_.backward(from + b * arrived_size(), x,
                       columns(slot) + b * layout_.column_size() + x * layout_.plane_size(), thread_work());
    progress();
  }
  start_exchange(to_sections_, ExchangeDirection::forward, slot);
}

/// Transforms along z, the operation on the grid, and the transforms back, tile by tile over the rows of one x of a
/// section.
template <class Real>
void Pipeline<Real>::lines(const Route& route, const Group& section, Index section_x, Complex* work, Index x,
                           const OnTile& on_tile) const {
  const bool pair = layout_.mode == Mode::gamma;
  Complex* const a = section.at(0);
  Complex* const b = section.bands > 1 ? section.at(1) : nullptr;
  Complex* const values = work;
  Complex* const b_values = b && !pair ? work + lines_.lines_size() : nullptr;
  Complex* const line_work = (b_values ? b_values : work) + lines_.lines_size();
  for (Index y = 0; y < layout_.y.size(); y += lines_.tile()) {
    const Index count = std::min(lines_.tile(), layout_.y.size() - y);
    const Tile tile{section_x, y, count};
    if (route.potential && lines_.has_lanes()) {
      lines_.apply_potential(a, b, tile, route.potential + (x * layout_.y.size() + y) * layout_.grid[2], work);
      continue;
    }
    if (route.to_grid)
      pair ? lines_.backward_pair(a, b, tile, values, line_work) : lines_.backward(a, tile, values, line_work);
    if (route.to_grid && b_values) lines_.backward(b, tile, b_values, line_work);
    on_tile(values, {x, y, count}, section.first);
    if (route.to_sphere)
      pair ? lines_.forward_pair(values, tile, a, b, line_work) : lines_.forward(values, tile, a, line_work);
    if (route.to_sphere && b_values) lines_.forward(b_values, tile, b, line_work);
  }
}

template <class Real>
void Pipeline<Real>::tiles(const Route& route, Slot& slot, const OnTile& on_tile) {
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (Index x = 0; x < layout_.x.size(); ++x) {
    for (Index b = 0; b < slot.count; b += group_size(route))
      lines(route,
            {section(slot) + b * layout_.section_size, layout_.section_size,
             std::min(group_size(route), slot.count - b), slot.first + b},
            x, thread_work(), x, on_tile);
    progress();
  }
  if (route.to_sphere) start_exchange(to_sections_, ExchangeDirection::backward, slot);
}

/// One yz-plane of a group of bands: it stays in cache from its first y transform to its second.
template <class Real>
void Pipeline<Real>::plane(const Route& route, const Group& arrived, Index x, Complex* work,
                           const OnTile& on_tile) const {
  const Group columns{work, layout_.plane_size(), arrived.bands, arrived.first};
  Complex* const stage_work = work + group_size(route) * layout_.plane_size();
  if (route.to_grid)
    for (Index i = 0; i < arrived.bands; ++i) planes_.backward(arrived.at(i), x, columns.at(i), stage_work);
  lines(route, columns, 0, stage_work, x, on_tile);
  if (route.to_sphere)
    for (Index i = 0; i < arrived.bands; ++i) planes_.forward(columns.at(i), arrived.at(i), x, stage_work);
}

/// With one process row ranks have whole yz-planes.
template <class Real>
void Pipeline<Real>::whole_planes(const Route& route, Slot& slot, const OnTile& on_tile) {
  Complex* const data = arrived(slot);
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (Index x = 0; x < layout_.x.size(); ++x) {
    for (Index b = 0; b < slot.count; b += group_size(route))
      plane(route,
            {data + b * arrived_size(), arrived_size(), std::min(group_size(route), slot.count - b), slot.first + b}, x,
            thread_work(), on_tile);
    progress();
  }
  if (route.to_sphere) start_exchange(to_planes_, ExchangeDirection::backward, slot);
}

template <class Real>
void Pipeline<Real>::planes_back(Slot& slot) {
  Complex* const to = arrived(slot);
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (Index x = 0; x < layout_.x.size(); ++x) {
    for (Index b = 0; b < slot.count; ++b)
      planes_.forward(columns(slot) + b * layout_.column_size() + x * layout_.plane_size(), to + b * arrived_size(), x,
                      thread_work());
    progress();
  }
  start_exchange(to_planes_, ExchangeDirection::backward, slot);
}

template <class Real>
void Pipeline<Real>::sticks_back(const Route& route, Slot& slot) {
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (Index b = 0; b < slot.count; ++b) {
    sticks_.forward(sticks(slot) + b * layout_.stick_size(), route.to + (slot.first + b) * size_, thread_work(),
                    scale());
    progress();
  }
}

template <class Real>
void Pipeline<Real>::perform(Step step, const Route& route, Slot& slot, const OnTile& on_tile) {
  slot.exchange.wait();
  switch (step) {
    case Step::sticks_out:
      return sticks_out(route, slot);
    case Step::planes_out:
      return planes_out(slot);
    case Step::tiles:
      return tiles(route, slot, on_tile);
    case Step::whole_planes:
      return whole_planes(route, slot, on_tile);
    case Step::planes_back:
      return planes_back(slot);
    case Step::sticks_back:
      return sticks_back(route, slot);
  }
}

/// A single rank with enough bands: each thread does all steps for its bands and does not wait for other threads.
template <class Real>
void Pipeline<Real>::run_band_by_band(const Route& route, Index bands, const OnTile& on_tile) {
  const Index stride = layout_.stick_size();
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (Index band = 0; band < bands; band += group_size(route)) {
    Complex* const work = thread_work();
    const Group group{sticks(slots_[0]) + omp_get_thread_num() * group_size(route) * stride, stride,
                      std::min(group_size(route), bands - band), band};
    if (route.to_grid)
      for (Index i = 0; i < group.bands; ++i) sticks_.backward(route.from + (band + i) * size_, group.at(i), work);
    for (Index x = 0; x < layout_.x.size(); ++x) plane(route, group, x, work, on_tile);
    if (route.to_sphere)
      for (Index i = 0; i < group.bands; ++i)
        sticks_.forward(group.at(i), route.to + (band + i) * size_, work, scale());
  }
}

/// In each cycle the next step of every block in the pipeline is done, the oldest block first.
template <class Real>
void Pipeline<Real>::run(const Route& route, Index bands, const OnTile& on_tile) {
  arrays_ = workspace_->data<Complex>(FftWorkspace::Array::pipeline);
  if (single_rank_ && (threads_ == 1 || (!route.accumulates && bands >= threads_ * group_size(route))))
    return run_band_by_band(route, bands, on_tile);
  const std::vector<Step> steps = steps_of(route);
  const Index last = static_cast<Index>(steps.size()) - 1, blocks = (bands + block_ - 1) / block_;
  const auto take = [&](Index block, Index step) {
    Slot& slot = slots_[static_cast<std::size_t>(block) % slots_.size()];
    if (step == 0) slot.first = block * block_, slot.count = std::min(block_, bands - slot.first);
    perform(steps[static_cast<std::size_t>(step)], route, slot, on_tile);
  };
  if (slots_.size() == 1) {
    for (Index block = 0; block < blocks; ++block)
      for (Index step = 0; step <= last; ++step) take(block, step);
    return;
  }
  for (Index cycle = 0; cycle < blocks + last; ++cycle)
    for (Index step = last; step >= 0; --step)
      if (const Index block = cycle - step; block >= 0 && block < blocks) take(block, step);
}

template class Pipeline<float>;
template class Pipeline<double>;

}  // namespace wavegrid
