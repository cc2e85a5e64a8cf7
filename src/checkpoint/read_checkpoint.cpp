#include <algorithm>
#include <optional>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/checkpoint/broadcast.hpp>
#include <wavegrid/checkpoint/header_file.hpp>
#include <wavegrid/checkpoint/header_tables.hpp>
#include <wavegrid/checkpoint/read_checkpoint.hpp>

namespace wavegrid {

namespace fs = std::filesystem;

namespace {

/// The table of this name among those that rank 0 has broadcast.
Table find(const std::vector<Table>& tables, const std::string& name) {
  const auto at = std::find_if(tables.begin(), tables.end(), [&](const Table& t) { return t.array.name == name; });
  if (at == tables.end()) throw internal_error("checkpoint: " + name + " was not sent");
  return *at;
}

}  // namespace

CheckpointReader::Contents CheckpointReader::read_contents(const Comm& world, const fs::path& path) {
  HeaderFile found;
  world.collectively([&] {
    if (world.rank() == 0) found = read_header_file(path);
  });
  broadcast(world, found.tables);
  broadcast(world, found.offsets);
  const TableSource read = [&](const TableRequest& wanted) { return find(found.tables, wanted.name); };
  CheckpointHeader header = header_from(read, path.string());
  FileLayout layout = layout_from(header, read, path.string());
  layout.set_offsets(std::move(found.offsets));
  return {std::move(header), std::move(layout)};
}

CheckpointReader::CheckpointReader(const Comm& world, const fs::path& path, const ReadOptions& options)
    : CheckpointReader(world, path, options, read_contents(world, path)) {}

CheckpointReader::CheckpointReader(const Comm& world, const fs::path& path, const ReadOptions& options,
                                   Contents contents)
    : world_(world),
      path_(path),
      options_(options),
      header_(std::move(contents.header)),
      layout_(std::move(contents.layout)) {}

template <class S>
ReadReport CheckpointReader::read_bands(const Comm& kpoint_group, int k, const WaveMap& map, const PlaneWaves& target,
                                        std::vector<SpinBands<S>> spins) const {
  if (k < 0 || k >= header_.num_kpoints())
    throw bad_input("checkpoint " + path_.string() + " has no k-point " + std::to_string(k + 1) + ", but 1 to " +
                    std::to_string(header_.num_kpoints()));
  ReadReport report{layout_.bands()};
  for (const SpinBands<S>& one : spins) {
    report.bands = std::min(report.bands, one.bands.count);
    if (one.spin < 0 || one.spin >= header_.spins)
      throw bad_input("checkpoint " + path_.string() + " has no spin " + std::to_string(one.spin + 1) + ", but " +
                      std::to_string(header_.spins));
  }
  CheckpointFile file{path_, layout_};
  const BandExchange traffic{kpoint_group, choose_aggregators(kpoint_group, options_.aggregators),
                             options_.buffer_bytes};
  wavegrid::read_bands<S>(traffic, file, header_.mode, map, {k, target.g(), target.mode(), std::move(spins)});
  kpoint_group.collectively([&] { file.errors.rethrow(); });
  report.bytes = file.bytes;
  return report;
}

std::vector<std::vector<double>> CheckpointReader::read_field(GridField field, const FftLayout& target) const {
  const auto text = [](const Int3& n) {
    return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
  };
  if (target.grid != header_.grid)
    throw bad_input("checkpoint " + path_.string() + ": the " + to_string(field) + " is on a grid of " +
                    text(header_.grid) + " points, not " + text(target.grid));
  CheckpointFile file{path_, layout_};
  std::vector<std::vector<double>> result =
      read_fields(world_, choose_aggregators(world_, options_.aggregators), file, field, target);
  world_.collectively([&] { file.errors.rethrow(); });
  return result;
}

#define WAVEGRID_INSTANTIATE(S)                                                                            \
  template ReadReport CheckpointReader::read_bands<S>(const Comm&, int, const WaveMap&, const PlaneWaves&, \
                                                      std::vector<SpinBands<S>>) const;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
