#include <cstdio>

#include <wavegrid/costmodel/choose_partition.hpp>
#include <wavegrid/layout/optimized.hpp>

namespace wavegrid {

namespace {

std::string shown(GridShape shape) { return std::to_string(shape.rows) + " x " + std::to_string(shape.columns); }

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.1f" : "%.0f", value);
  return text;
}

/// "295 us per transform (fullest rank: 956 plane waves, 7 messages, 32 kB)".
std::string described(const TransformLoad& load, const UnitCosts& unit_costs) {
  return rounded(static_cast<double>(cost(load, unit_costs)) * 1e-6) +
         " us per transform (fullest rank: " + std::to_string(load.plane_waves) + " plane waves, " +
         std::to_string(load.messages) + (load.messages == 1 ? " message, " : " messages, ") +
         rounded(static_cast<double>(load.bytes) * 1e-3) + " kB)";
}

}  // namespace

PartitionChoice choose_partition(std::optional<Scheme> scheme, const StickCounts& counts, int nx, int parts,
                                 const Machine& machine) {
  if (scheme) return {make_partition(*scheme, counts, nx, parts), "set in the input"};
  Partition greedy = make_partition(Scheme::greedy, counts, nx, parts);
  if (parts == 1) return {std::move(greedy), "one rank: nothing to divide"};
  const UnitCosts unit_costs = machine.unit_costs();
  Partition optimized = optimized_partition(counts, nx, parts, unit_costs);
  const TransformLoad load = transform_load(greedy, counts, nx), other = transform_load(optimized, counts, nx);
  const Index greedy_time = cost(load, unit_costs), other_time = cost(other, unit_costs);
  const std::string both = "greedy " + shown(greedy.shape) + " is estimated at " + described(load, unit_costs) +
                           ", optimized " + shown(optimized.shape) + " at " + described(other, unit_costs);
  // The estimate is not more accurate than 1%, and greedy has one transpose less, which is a synchronisation.
  return {100 * other_time < 99 * greedy_time ? std::move(optimized) : std::move(greedy), both};
}

}  // namespace wavegrid
