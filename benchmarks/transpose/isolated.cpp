#include "isolated.hpp"

#include <algorithm>
#include <string_view>

namespace wavegrid::bench {

namespace {

ExchangePlan first_plan(const Problem& problem, const FftLayout& layout) {
  TransposeRuns runs = sticks_to_planes(layout, problem.choice.partition);
  const Comm& comm = problem.choice.partition.rows_are_closed() ? problem.ranks.row_group() : problem.ranks.all();
  return {comm, std::move(runs.sends), std::move(runs.receives), Transport::alltoallv};
}

ExchangePlan second_plan(const Problem& problem, const FftLayout& layout) {
  TransposeRuns runs = planes_to_sections(layout);
  return {problem.ranks.column_group(), std::move(runs.sends), std::move(runs.receives), Transport::alltoallv};
}

}  // namespace

Transposes::Transposes(const Problem& problem)
    : comm_(problem.ranks.all()),
      layout_(problem.sphere, problem.choice.partition, comm_.rank(), sizeof(Complex)),
      block_(problem.block),
      to_planes_(first_plan(problem, layout_)),
      to_sections_(second_plan(problem, layout_)) {
  const auto reserve = [this](AlignedVector<Complex>& data, Index band) {
    data.assign(static_cast<std::size_t>(block_ * band), Complex{1, 0});
  };
  reserve(sticks_, layout_.stick_size());
  reserve(arrived_, layout_.arrived_size);
  reserve(columns_, layout_.column_size());
  reserve(section_, layout_.section_size);
}

BlockTraffic Transposes::traffic(Transport transport) const {
  Index wanted = 0, messages = 0, sent = 0;
  for (const ExchangePlan* plan : {&to_planes_, &to_sections_}) {
    if (plan->is_identity()) continue;
    const bool padded = std::string_view(to_string(transport)).starts_with("alltoall_padded");
    const Index others = plan->comm().size() - 1;
    wanted += plan->elements_sent();
    messages += padded ? others : plan->messages_sent();
    sent += padded ? others * plan->longest_message() : plan->elements_sent();
  }
  wanted = comm_.sum(wanted), messages = comm_.sum(messages), sent = comm_.sum(sent);
  // There and back.
  const Index bytes = 2 * sent * block_ * static_cast<Index>(sizeof(Complex));
  return {2 * messages, bytes, sent == 0 ? 0 : 1 - static_cast<double>(wanted) / static_cast<double>(sent)};
}

void Transposes::step(int index) {
  const bool first = index == 0 || index == steps - 1;
  const ExchangeDirection direction = index < steps / 2 ? ExchangeDirection::forward : ExchangeDirection::backward;
  ExchangePlan& plan = first ? to_planes_ : to_sections_;
  if (plan.is_identity()) return;
  if (first)
    plan.start(direction, sticks_.data(), arrived_.data(), {block_, layout_.stick_size(), layout_.arrived_size}).wait();
  else
    plan.start(direction, columns_.data(), section_.data(), {block_, layout_.column_size(), layout_.section_size})
        .wait();
}

std::vector<double> Transposes::run(Transport transport, Index laps) {
  to_planes_.use(transport);
  to_sections_.use(transport);
  std::vector<double> seconds;
  for (Index lap = 0; lap < laps; ++lap)
    for (int index = 0; index < steps; ++index) {
      comm_.barrier();
      const Clock::time_point start = Clock::now();
      step(index);
      seconds.push_back(seconds_since(start));
    }
  return seconds;
}

std::vector<Figure> Transposes::measure(const std::vector<Transport>& transports, int repeats) {
  constexpr Index most_laps = 16;
  const auto lap_of = [&](Transport transport, Index laps) {
    std::vector<double> seconds = run(transport, laps);
    take_slowest(comm_, seconds);
    double sum = 0;
    for (const double one : seconds) sum += one;
    return sum / static_cast<double>(laps);
  };
  std::vector<Index> laps;
  for (const Transport transport : transports) {
    (void)lap_of(transport, 1);  // makes buffers and windows
    laps.push_back(calls_for(comm_, lap_of(transport, 1), most_laps));
  }
  std::vector<std::vector<double>> samples(transports.size());
  in_turn(repeats, transports.size(), [&](std::size_t i) { samples[i].push_back(lap_of(transports[i], laps[i])); });
  std::vector<Figure> rows;
  for (const auto& sample : samples) rows.push_back(figure_of(sample));
  return rows;
}

}  // namespace wavegrid::bench
