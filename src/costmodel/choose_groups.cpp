#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/costmodel/choose_groups.hpp>
#include <wavegrid/costmodel/halo_cost.hpp>

namespace wavegrid {

namespace {

constexpr Index bands_per_exchange = 32;  ///< of a group; they share one message, and its latency, between band groups
constexpr double bands_per_halo = 8;      ///< whose ghost points share a message
/// Of the time of transforms on one rank: eigenproblems and other work on small spheres that ranks of a k-point group
/// do not share (measured: 42% of NiO with 38 bands, 37% of Si2 with 4).
constexpr Index undivided_percent = 40;

/// Picoseconds of the busiest rank.
using GroupCost = std::function<Index(int ranks, const GroupCounts& counts)>;

/// What is divided into groups.
struct GroupSizes {
  Index kpoints, bands;
};

/// Estimates of the cost; the load of a greedy partition is computed once for each number of ranks.
class Estimate {
 public:
  Estimate(const GroupWorkload& work, const Machine& machine) : work_(work), unit_costs_(machine.unit_costs()) {}

  /// Picoseconds for all k-points of the k-point group with most k-points, one backward transform per band and its
  /// share of the linear algebra.
  Index of(int ranks, const GroupCounts& counts) {
    const Index in_kpoint_group = smallest_group(ranks, counts.kpoint_groups);
    const Index in_band_group = in_kpoint_group / counts.band_groups;
    const TransformLoad& load = load_on(static_cast<int>(in_band_group));
    const Index share = ceil_div(work_.bands, counts.band_groups);
    const Index rows = ceil_div(work_.sphere.total(), in_kpoint_group);
    Index time = in_band_group == 1 ? alone(share) : share * transform(load);
    time += work_.bands * rows * unit_costs_.plane_wave;
    if (work_.block > 1) time += undivided_percent * alone(work_.bands) / 100;
    if (counts.band_groups > 1) {
      const Index bytes = 16 * rows * (counts.band_groups - 1) / counts.band_groups;
      const Index moved = work_.bands * bytes, messages = share * in_kpoint_group;
      const UnitCosts::Piece of = unit_costs_.of_size(bands_per_exchange * moved / messages);
      time += moved * of.byte + messages * of.message / bands_per_exchange;
    }
    return ceil_div(work_.kpoints, counts.kpoint_groups) * time;
  }

 private:
  [[nodiscard]] Index transform(TransformLoad load) const {
    load.plane_waves = 0;
    return cost(load, unit_costs_);
  }

  /// Picoseconds for bands on one rank.
  Index alone(Index bands) { return ceil_div(bands, work_.block) * work_.block_time * transform(load_on(1)); }

  const TransformLoad& load_on(int ranks) {
    const auto known = loads_.find(ranks);
    if (known != loads_.end()) return known->second;
    const Partition partition = make_partition(Scheme::greedy, work_.sphere, work_.nx, ranks);
    return loads_.emplace(ranks, transform_load(partition, work_.sphere, work_.nx)).first->second;
  }

  const GroupWorkload& work_;
  UnitCosts unit_costs_;
  std::map<int, TransformLoad> loads_;
};

bool wanted(const std::optional<int>& options, int value) { return !options || *options == value; }

/// What messages call the ranks of a band group, and what the cost is of.
struct Wording {
  const char *ranks, *act, *limits;
};
constexpr Wording plane_wave_wording{
    "grid ranks", "transform",
    "k-point groups x band groups may be at most the ranks, and rows x columns times both "
    "must be the ranks"};
constexpr Wording mesh_wording{"ranks that share the points", "Laplacian",
                               "k-point groups x band groups may be at most the ranks"};

/// All divisions into equal band groups that the options allow; k-point groups may be uneven.
std::vector<GroupCounts> candidates(int ranks, const GroupSizes& work, const GroupOptions& options) {
  std::vector<GroupCounts> all;
  for (int kpoint_groups = 1; kpoint_groups <= ranks; ++kpoint_groups) {
    if (!wanted(options.kpoint_groups, kpoint_groups) || (!options.kpoint_groups && kpoint_groups > work.kpoints))
      continue;
    const int in_kpoint_group = smallest_group(ranks, kpoint_groups);
    for (int band_groups = 1; band_groups <= in_kpoint_group; ++band_groups) {
      const bool even = in_kpoint_group % band_groups == 0;
      if (!wanted(options.band_groups, band_groups) || (!options.band_groups && (!even || band_groups > work.bands)))
        continue;
      if (options.grid_ranks && kpoint_groups * band_groups * *options.grid_ranks != ranks) continue;
      all.push_back({kpoint_groups, band_groups});
    }
  }
  return all;
}

std::string shown(int ranks, const GroupCounts& counts) {
  return std::to_string(counts.kpoint_groups) + " x " + std::to_string(counts.band_groups) + " x " +
         std::to_string(smallest_group(ranks, counts.kpoint_groups) / counts.band_groups);
}

std::string milliseconds(Index picoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", static_cast<double>(picoseconds) * 1e-9);
  return text;
}

[[noreturn]] void refuse(int ranks, const GroupOptions& options, const Wording& words) {
  const auto text = [](const std::optional<int>& n) { return n ? std::to_string(*n) : std::string("any number of"); };
  throw bad_input(text(options.kpoint_groups) + " k-point groups of " + text(options.band_groups) + " band groups of " +
                  text(options.grid_ranks) + " ranks do not fit on " + std::to_string(ranks) +
                  (ranks == 1 ? " rank; " : " ranks; ") + words.limits);
}

/// The candidate of least cost.
GroupChoice cheapest(int ranks, const GroupSizes& work, const GroupOptions& options, const GroupCost& cost,
                     const Wording& words) {
  const std::vector<GroupCounts> all = candidates(ranks, work, options);
  if (all.empty()) refuse(ranks, options, words);
  if (ranks == 1) return {{}, "one rank: nothing to divide"};
  GroupCounts best = all.front(), grid_only{1, 1};
  for (const GroupCounts& counts : all)
    if (cost(ranks, counts) < cost(ranks, best)) best = counts;
  const std::string sizes = std::to_string(work.kpoints) +
                            (work.kpoints == 1 ? " k-point, " : " k-points and spins, ") + std::to_string(work.bands) +
                            " bands";
  if (all.size() == 1)
    return {best, options.kpoint_groups || options.band_groups || options.grid_ranks ? "set in the input" : sizes};
  std::string reason = sizes + ": k-point groups x band groups x " + words.ranks + " " + shown(ranks, best) +
                       " is estimated at " + milliseconds(cost(ranks, best)) + " per " + words.act + " of all bands";
  if (!(best == grid_only)) reason += ", " + shown(ranks, grid_only) + " at " + milliseconds(cost(ranks, grid_only));
  return {best, reason};
}

/// Seconds of one application of the Laplacian to all bands of a k-point on a number of ranks in band groups. Ghost
/// points arrive while inner points are computed; few domains have few faces, and two of them are neighbours of one
/// other rank, whatever the number of their faces.
double mesh_seconds(const MeshGroupWorkload& work, int ranks, int band_groups, const Machine& machine) {
  constexpr double most_faces = 6;  // of a compact domain
  const int in_group = ranks / band_groups;
  const double points = work.points / in_group, numbers = work.real_numbers ? 1 : 2;
  const double point_bytes = sizeof(double) * numbers;
  double seconds = points * 2 * work.legs * numbers / machine.flops;
  if (in_group > 1) {
    const double faces = std::min(most_faces, 2 * std::log2(in_group));
    const double neighbours = std::min<double>(faces, in_group - 1);
    const double ghosts = faces / most_faces * star_stencil_of_cubes().points(points, work.reach);
    const double bytes = ghosts * point_bytes;
    const MessageModel message = machine.message(bands_per_halo * bytes / neighbours);
    seconds = std::max(seconds, bytes / message.bandwidth) + neighbours * message.latency / bands_per_halo;
  }
  if (band_groups > 1) {
    const double bytes = points * (band_groups - 1) / band_groups * point_bytes;
    const double share = (ranks - 1) / static_cast<double>(bands_per_exchange);  // of a band in the messages
    const MessageModel message = machine.message(bytes / share);
    seconds += work.moves * (bytes / message.bandwidth + share * message.latency);
  }
  return static_cast<double>(ceil_div(work.bands, band_groups)) * seconds;
}

}  // namespace

GroupChoice choose_groups(int ranks, const GroupWorkload& work, const GroupOptions& options, const Machine& machine) {
  Estimate estimate(work, machine);
  return cheapest(
      ranks, {work.kpoints, work.bands}, options,
      [&](int of_all, const GroupCounts& counts) { return estimate.of(of_all, counts); }, plane_wave_wording);
}

GroupChoice choose_mesh_groups(int ranks, const MeshGroupWorkload& work, const GroupOptions& options,
                               const Machine& machine) {
  const auto cost = [&](int of_all, const GroupCounts& counts) {
    const double seconds =
        mesh_seconds(work, smallest_group(of_all, counts.kpoint_groups), counts.band_groups, machine);
    return ceil_div(work.kpoints, counts.kpoint_groups) * static_cast<Index>(std::llround(1e12 * seconds));
  };
  return cheapest(ranks, {work.kpoints, work.bands}, options, cost, mesh_wording);
}

}  // namespace wavegrid
