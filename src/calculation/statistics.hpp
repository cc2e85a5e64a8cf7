// Times and messages of one solve.
#pragma once

#include <array>
#include <numeric>

#include <wavegrid/base/profile.hpp>
#include <wavegrid/calculation/result.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

[[nodiscard]] inline PhaseSeconds operator-(PhaseSeconds a, const PhaseSeconds& b) {
  a.total -= b.total;
  for (std::size_t phase = 0; phase < num_phases; ++phase) a.per_phase[phase] -= b.per_phase[phase];
  return a;
}

/// Seconds by phase so far.
[[nodiscard]] inline PhaseSeconds seconds_of(Profile& profile) {
  PhaseSeconds seconds;
  for (std::size_t phase = 0; phase < num_phases; ++phase)
    seconds.per_phase[phase] = profile.seconds(static_cast<Phase>(phase));
  seconds.total = std::accumulate(seconds.per_phase.begin(), seconds.per_phase.end(), 0.0);
  return seconds;
}

/// What the ranks have sent since the counts `before`, which become the present ones; the seconds are those of this
/// rank. Collective.
[[nodiscard]] inline TrafficByKind traffic_since(TrafficByKind& before, Profile& profile, const Comm& world) {
  const TrafficByKind& so_far = profile.traffic();
  std::array<Index, num_traffic_kinds> exchanges;
  std::array<Index, 2 * num_traffic_kinds> sent;
  std::array<double, num_traffic_kinds> seconds;
  for (std::size_t kind = 0; kind < num_traffic_kinds; ++kind) {
    const Traffic &now = so_far[kind], &last = before[kind];
    exchanges[kind] = now.exchanges - last.exchanges;
    sent[2 * kind] = now.messages - last.messages;
    sent[2 * kind + 1] = now.bytes - last.bytes;
    seconds[kind] = now.seconds - last.seconds;
  }
  before = so_far;
  world.max(std::span<Index>(exchanges));
  world.sum(std::span<Index>(sent));
  TrafficByKind result;
  for (std::size_t kind = 0; kind < num_traffic_kinds; ++kind)
    result[kind] = {exchanges[kind], sent[2 * kind], sent[2 * kind + 1], seconds[kind]};
  return result;
}

}  // namespace wavegrid
