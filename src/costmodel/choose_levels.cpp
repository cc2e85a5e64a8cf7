#include "costmodel/choose_levels.hpp"

#include <cstdio>
#include <map>
#include <vector>

#include "base/error.hpp"

namespace wavegrid {

namespace {

constexpr Index bands_per_exchange = 32;  ///< of a group, which share the latency of a message between band groups

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

/// Estimates, with the loads of greedy partitions made once for each number of ranks.
class Estimate {
 public:
  Estimate(const LevelWork& work, const Machine& machine) : work_(work), prices_(machine.prices()) {}

  /// Picoseconds for all k-points of the fullest k-group, one backward transform per band and what goes with it.
  Index of(int ranks, const LevelCounts& counts) {
    const Index in_kgroup = smallest_group(ranks, counts.kgroups);
    const Index in_bandgroup = in_kgroup / counts.bandgroups;
    const TransformLoad& load = load_on(static_cast<int>(in_bandgroup));
    TransformLoad transform = load;
    transform.plane_waves = 0;
    const Index share = ceil_div(work_.bands, counts.bandgroups);
    const Index rows = ceil_div(work_.sphere.total(), in_kgroup);
    Index time = share * cost(transform, prices_) + work_.bands * rows * prices_.plane_wave;
    if (counts.bandgroups > 1) {
      const Index bytes = 16 * rows * (counts.bandgroups - 1) / counts.bandgroups;
      time += work_.bands * bytes * prices_.byte + share * in_kgroup * prices_.message / bands_per_exchange;
    }
    return ceil_div(work_.kpoints, counts.kgroups) * time;
  }

 private:
  const TransformLoad& load_on(int ranks) {
    const auto known = loads_.find(ranks);
    if (known != loads_.end()) return known->second;
    const Partition partition = make_partition(Scheme::greedy, work_.sphere, work_.nx, ranks);
    return loads_.emplace(ranks, transform_load(partition, work_.sphere, work_.nx)).first->second;
  }

  const LevelWork& work_;
  TransformPrices prices_;
  std::map<int, TransformLoad> loads_;
};

bool wanted(const std::optional<int>& wish, int value) { return !wish || *wish == value; }

/// All divisions into equal band groups that the wish allows; k-groups may be uneven.
std::vector<LevelCounts> candidates(int ranks, const LevelWork& work, const LevelWish& wish) {
  std::vector<LevelCounts> all;
  for (int kgroups = 1; kgroups <= ranks; ++kgroups) {
    if (!wanted(wish.kgroups, kgroups) || (!wish.kgroups && kgroups > work.kpoints)) continue;
    const int in_kgroup = smallest_group(ranks, kgroups);
    for (int bandgroups = 1; bandgroups <= in_kgroup; ++bandgroups) {
      const bool even = in_kgroup % bandgroups == 0;
      if (!wanted(wish.bandgroups, bandgroups) || (!wish.bandgroups && (!even || bandgroups > work.bands))) continue;
      if (wish.grid_ranks && kgroups * bandgroups * *wish.grid_ranks != ranks) continue;
      all.push_back({kgroups, bandgroups});
    }
  }
  return all;
}

std::string shown(int ranks, const LevelCounts& counts) {
  return std::to_string(counts.kgroups) + " x " + std::to_string(counts.bandgroups) + " x " +
         std::to_string(smallest_group(ranks, counts.kgroups) / counts.bandgroups);
}

std::string milliseconds(Index picoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", static_cast<double>(picoseconds) * 1e-9);
  return text;
}

[[noreturn]] void refuse(int ranks, const LevelWish& wish) {
  const auto text = [](const std::optional<int>& n) { return n ? std::to_string(*n) : std::string("any number of"); };
  throw bad_input(text(wish.kgroups) + " k-groups of " + text(wish.bandgroups) + " band groups of " +
                  text(wish.grid_ranks) + " ranks do not fit on " + std::to_string(ranks) +
                  (ranks == 1 ? " rank" : " ranks") +
                  "; k-groups x band groups may be at most the ranks, and rows x columns times both must be the ranks");
}

}  // namespace

LevelChoice choose_levels(int ranks, const LevelWork& work, const LevelWish& wish, const Machine& machine) {
  const std::vector<LevelCounts> all = candidates(ranks, work, wish);
  if (all.empty()) refuse(ranks, wish);
  if (ranks == 1) return {{}, "one rank: nothing to divide"};
  Estimate estimate(work, machine);
  LevelCounts best = all.front(), grid_only{1, 1};
  for (const LevelCounts& counts : all)
    if (estimate.of(ranks, counts) < estimate.of(ranks, best)) best = counts;
  const std::string sizes = std::to_string(work.kpoints) +
                            (work.kpoints == 1 ? " k-point, " : " k-points and spins, ") + std::to_string(work.bands) +
                            " bands";
  if (all.size() == 1) return {best, wish.kgroups || wish.bandgroups || wish.grid_ranks ? "set in the input" : sizes};
  std::string reason = sizes + ": k-groups x band groups x grid ranks " + shown(ranks, best) + " is estimated at " +
                       milliseconds(estimate.of(ranks, best)) + " per transform of all bands";
  if (!(best == grid_only))
    reason += ", " + shown(ranks, grid_only) + " at " + milliseconds(estimate.of(ranks, grid_only));
  return {best, reason};
}

}  // namespace wavegrid
