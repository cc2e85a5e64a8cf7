#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <optional>

#include <wavegrid/base/error.hpp>
#include <wavegrid/checkpoint/atomic_file.hpp>
#include <wavegrid/checkpoint/band_blocks.hpp>
#include <wavegrid/checkpoint/berkeleygw_tables.hpp>
#include <wavegrid/checkpoint/broadcast.hpp>
#include <wavegrid/checkpoint/g_order.hpp>
#include <wavegrid/checkpoint/header_tables.hpp>
#include <wavegrid/checkpoint/write_checkpoint.hpp>

namespace wavegrid {

namespace fs = std::filesystem;

namespace {

class Stopwatch {
 public:
  /// Seconds since the last call.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::string now_as_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// G-vectors of the box, block by block.
template <class Work>
void for_each_box_block(const FileLayout& layout, Work work) {
  for (Index b = 0; b < layout.num_blocks(layout.points()); ++b) work(b, layout.block(layout.points(), b));
}

std::uint64_t components_checksum(const FileLayout& layout) {
  XXH3_state_t* state = XXH3_createState();
  XXH3_64bits_reset(state);
  for_each_box_block(layout, [&](Index, const Range& range) {
    const std::vector<Int3> g = box_order(layout.grid(), range);
    XXH3_64bits_update(state, g.data(), g.size() * sizeof(Int3));
  });
  const std::uint64_t sum = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  return sum;
}

void write_components(const Aggregators& aggregators, CheckpointFile& file) {
  file.open(aggregators.active(), true);
  for_each_box_block(file.layout, [&](Index b, const Range& range) {
    if (!aggregators.active() || !aggregators.has(b)) return;
    file.errors.run([&] {
      const std::vector<Int3> g = box_order(file.layout.grid(), range);
      file.raw->write_through(file.layout.components(range.begin), g.data(),
                              static_cast<Index>(g.size() * sizeof(Int3)));
    });
  });
}

/// Creates the file with all tables and with space for the bulk arrays. On one rank.
template <class S>
Offsets make_skeleton(const fs::path& path, CheckpointHeader header, const FileLayout& layout) {
  header.single_precision = is_single<S>;
  if (header.created.empty()) header.created = now_as_text();
  std::vector<Table> tables = make_header_tables(header);
  for (Table& table : berkeleygw_tables(header, layout.waves())) tables.push_back(std::move(table));
  return create_hdf5(path, tables, layout.bulk(), {{components_name, components_checksum(layout)}});
}

template <class S>
void require_fitting(const CheckpointHeader& header, const std::vector<CheckpointBands<S>>& mine,
                     const CheckpointFields& fields) {
  require_valid(header);
  if (header.mode != (ScalarTraits<S>::is_real ? Mode::gamma : Mode::complex))
    throw bad_input("checkpoint: real bands belong to Mode::gamma, complex ones to Mode::complex");
  for (const CheckpointBands<S>& one : mine)
    if (one.k < 0 || one.k >= header.num_kpoints() || one.spin < 0 || one.spin >= header.spins ||
        one.bands.count != header.bands || one.bands.rows != one.waves.size() * rows_per_wave<S> * header.components)
      throw bad_input("checkpoint: k-point " + std::to_string(one.k + 1) + ", spin " + std::to_string(one.spin + 1) +
                      ", " + std::to_string(one.bands.count) + " bands do not fit the header");
  const auto components = static_cast<std::size_t>(header.num_fields()),
             points = static_cast<std::size_t>(fields.layout.grid_size());
  bool fit = fields.layout.grid == header.grid;
  for (const GridField field : {GridField::density, GridField::potential, GridField::kinetic_density}) {
    const bool held = field != GridField::kinetic_density || header.kinetic_density;
    fit = fit && fields.of(field).size() == (held ? components : 0);
    for (const auto& component : fields.of(field)) fit = fit && component.size() == points;
  }
  if (!fit) throw bad_input("checkpoint: the fields do not have the grid and the spins of the header");
}

/// Every k-point and spin has to be in exactly one k-point group. Collective over the world.
template <class S>
void require_all_states(const CheckpointHeader& header, const ProcessGroups& levels,
                        const std::vector<CheckpointBands<S>>& mine) {
  std::vector<Index> groups(static_cast<std::size_t>(header.num_kpoints() * header.spins));
  if (levels.kpoint_group().rank() == 0)
    for (const CheckpointBands<S>& one : mine) ++groups[static_cast<std::size_t>(one.k * header.spins + one.spin)];
  levels.world().sum(std::span(groups));
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i] != 1)
      throw bad_input("checkpoint: k-point " + std::to_string(static_cast<int>(i) / header.spins + 1) + ", spin " +
                      std::to_string(static_cast<int>(i) % header.spins + 1) + " is in " + std::to_string(groups[i]) +
                      " k-point groups, not in one");
}

/// This rank's bands k-point by k-point.
template <class S>
std::map<int, RankBands<const S>> by_kpoint(const CheckpointHeader& header,
                                            const std::vector<CheckpointBands<S>>& mine) {
  std::map<int, RankBands<const S>> all;
  for (const CheckpointBands<S>& one : mine) {
    RankBands<const S>& rank_bands = all[one.k];
    rank_bands.k = one.k, rank_bands.mode = header.mode, rank_bands.g = one.waves.g();
    rank_bands.spins.push_back({one.spin, one.bands.split(header.components)});
  }
  for (auto& [k, rank_bands] : all)  // the same order on all ranks of the group
    std::sort(rank_bands.spins.begin(), rank_bands.spins.end(),
              [](const auto& a, const auto& b) { return a.spin < b.spin; });
  return all;
}

template <class S>
class BandWriter {
 public:
  BandWriter(const CheckpointHeader& header, const ProcessGroups& levels, const WriteOptions& options)
      : header_(header), levels_(levels), options_(options) {}

  void aggregated(CheckpointFile& file, const std::vector<CheckpointBands<S>>& mine) {
    const Comm& kpoint_group = levels_.kpoint_group();
    const BandExchange traffic{kpoint_group, choose_aggregators(kpoint_group, options_.aggregators),
                               options_.buffer_bytes};
    for (const auto& [k, bands] : by_kpoint(header_, mine)) write_bands<S>(traffic, file, header_.sphere(k), bands);
  }

  void at_root(CheckpointFile& file, const std::vector<CheckpointBands<S>>& mine) {
    const BandExchange traffic{levels_.world(), only_root(levels_.world()), options_.buffer_bytes};
    for (int k = 0; k < header_.num_kpoints(); ++k)
      for (int spin = 0; spin < header_.spins; ++spin) {
        RankBands<const S> bands{k, {}, header_.mode, {{spin, {nullptr, 0, header_.bands * header_.components}}}};
        for (const CheckpointBands<S>& one : mine)
          if (one.k == k && one.spin == spin)
            bands = {k, one.waves.g(), header_.mode, {{spin, one.bands.split(header_.components)}}};
        write_bands<S>(traffic, file, header_.sphere(k), bands);
      }
  }

 private:
  const CheckpointHeader& header_;
  const ProcessGroups& levels_;
  const WriteOptions& options_;
};

}  // namespace

template <class S>
WriteReport write_checkpoint(const fs::path& path, const CheckpointHeader& header, const ProcessGroups& levels,
                             const std::vector<CheckpointBands<S>>& mine, const CheckpointFields& fields,
                             const WriteOptions& options) {
  const Comm& world = levels.world();
  Stopwatch watch;
  WriteReport report;
  world.collectively([&] { require_fitting(header, mine, fields); });
  require_all_states(header, levels, mine);

  std::vector<Index> waves;
  for (int k = 0; k < header.num_kpoints(); ++k) waves.push_back(header.sphere(k).size());
  FileLayout layout(header, waves);
  std::optional<PartialFile> partial;
  std::string name;
  Offsets offsets;
  world.collectively([&] {
    if (world.rank() != 0) return;
    partial.emplace(path);
    offsets = make_skeleton<S>(partial->path(), header, layout);
    partial->lock();
    name = partial->path().string();
  });
  broadcast(world, name);
  broadcast(world, offsets);
  layout.set_offsets(offsets);
  report.skeleton_seconds = watch.lap();

  CheckpointFile file{name, layout};
  file.open(world.rank() == 0, true);
  const bool at_root = options.method == WriteMethod::root;
  DeferredError group_errors;  // thrown by all ranks of a k-point group; other groups continue
  group_errors.run([&] {
    BandWriter<S> writing(header, levels, options);
    at_root ? writing.at_root(file, mine) : writing.aggregated(file, mine);
  });
  report.bands_seconds = watch.lap();
  const Aggregators of_world =
      at_root ? only_root(world) : choose_aggregators(world, options.aggregators * levels.counts().kpoint_groups);
  write_fields(world, of_world, file, fields);
  write_components(of_world, file);
  report.fields_seconds = watch.lap();

  file.errors.run([&] {
    if (file.raw) file.raw->sync();
  });
  world.collectively([&] {
    group_errors.rethrow();
    file.errors.rethrow();
  });
  report.writers = static_cast<int>(world.sum(Index{file.bytes > 0 ? 1 : 0}));
  report.bytes = layout.bytes();
  world.collectively([&] {
    if (partial) partial->publish(options.keep);
  });
  report.sync_seconds = watch.lap();
  report.seconds = report.skeleton_seconds + report.bands_seconds + report.fields_seconds + report.sync_seconds;
  return report;
}

#define WAVEGRID_INSTANTIATE(S)                                                                             \
  template WriteReport write_checkpoint<S>(const fs::path&, const CheckpointHeader&, const ProcessGroups&,  \
                                           const std::vector<CheckpointBands<S>>&, const CheckpointFields&, \
                                           const WriteOptions&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
