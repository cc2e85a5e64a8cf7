#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/checkpoint/atomic_file.hpp>
#include <wavegrid/checkpoint/broadcast.hpp>
#include <wavegrid/checkpoint/hdf5_file.hpp>
#include <wavegrid/checkpoint/propagation_file.hpp>
#include <wavegrid/checkpoint/raw_file.hpp>

namespace wavegrid {

namespace fs = std::filesystem;

namespace {

using Complex = std::complex<double>;

constexpr const char* state_format = "wavegrid propagation";
constexpr int state_version = 2;
const std::string state_group = "/propagation";
const std::string matrices_table = "/matrices";

ArrayShape bands_array(int set, Index bands, Index rows) {
  return {state_group + "/bands/" + std::to_string(set), ElementType::float64, {bands, rows, 2}};
}

ArrayShape potentials_array(const PropagationHeader& header, Index points) {
  return {state_group + "/potentials", ElementType::float64, {header.potentials, header.fields, points}};
}

std::span<const Complex> one_band(const BandView<Complex>& bands, Index b) {
  return {bands.band(b), static_cast<std::size_t>(bands.rows)};
}

/// The arrays of a state on this rank with their places in the file.
struct ArrayLayout {
  std::vector<FileOrder> orders;   ///< of this rank's bands
  std::optional<FileOrder> field;  ///< over the world
  std::vector<Index> sizes;        ///< rows of each k-point and spin, and points

  ArrayLayout(const ProcessGroups& groups, std::size_t sets, const std::vector<PropagatedBands>& bands,
              const PropagatedFields& fields)
      : sizes(sets + 1, 0) {
    groups.world().collectively([&] {
      for (const PropagatedBands& one : bands) {
        orders.emplace_back(groups.kpoint_group(), one.rows);
        if (groups.kpoint_group().rank() == 0) sizes[static_cast<std::size_t>(one.set)] = orders.back().size();
      }
    });
    groups.world().merge(std::span<Index>(sizes));
    field.emplace(groups.world(), fields.points);
    sizes.back() = field->size();
  }

  [[nodiscard]] std::vector<ArrayShape> arrays(const PropagationHeader& header) const {
    std::vector<ArrayShape> all;
    for (std::size_t set = 0; set + 1 < sizes.size(); ++set)
      if (header.bands[set] > 0) all.push_back(bands_array(static_cast<int>(set), header.bands[set], sizes[set]));
    if (header.potentials > 0) all.push_back(potentials_array(header, sizes.back()));
    return all;
  }
};

/// Of all bands of all k-points and spins, then of all fields. Collective over the world.
std::vector<double> array_checksums(const PropagationHeader& header, const ProcessGroups& groups,
                                    const ArrayLayout& layout, const std::vector<PropagatedBands>& bands,
                                    const PropagatedFields& fields) {
  std::vector<Index> first{0};
  for (const int count : header.bands) first.push_back(first.back() + count);
  std::vector<double> all(static_cast<std::size_t>(first.back()), 0.0);
  for (std::size_t i = 0; i < bands.size(); ++i)
    for (Index b = 0; b < bands[i].bands.count; ++b) {
      const double sum = layout.orders[i].checksum<Complex>(one_band(bands[i].bands, b));
      const auto place = static_cast<std::size_t>(first[static_cast<std::size_t>(bands[i].set)] + b);
      if (groups.kpoint_group().rank() == 0) all[place] = sum;
    }
  groups.world().merge(std::span<double>(all));
  for (const auto& values : fields.values) all.push_back(layout.field->checksum<double>(values));
  return all;
}

std::vector<Table> state_tables(const PropagationHeader& header, const std::vector<double>& sums,
                                const std::vector<Index>& sizes) {
  const std::vector<int> rows(sizes.begin(), sizes.end());
  const auto length = [](const auto& values) { return std::vector<Index>{static_cast<Index>(values.size())}; };
  std::vector<Table> all{text_scalar(state_group + "@format", state_format),
                         int_scalar(state_group + "@version", state_version),
                         int_scalar(state_group + "@step", header.step),
                         int_scalar(state_group + "@potentials", header.potentials),
                         int_scalar(state_group + "@spins", header.fields),
                         text_scalar(state_group + "/identity", header.identity),
                         double_scalar(state_group + "/timestep", header.timestep),
                         double_table(state_group + "/vector_potential", {3}, header.vector_potential),
                         double_table(state_group + "/occupations", length(header.occupations), header.occupations),
                         double_table(state_group + "/statistics", length(header.statistics), header.statistics),
                         double_table(state_group + "/atoms", length(header.atoms), header.atoms),
                         int_table(state_group + "/counts", length(header.bands), header.bands),
                         int_table(state_group + "/sizes", length(rows), rows),
                         double_table(state_group + "/checksums", length(sums), sums)};
  if (!header.matrices.empty())
    all.push_back(double_table(state_group + matrices_table, length(header.matrices), header.matrices));
  return all;
}

/// Where the share of one row of an array begins.
template <class T>
Index row_offset(Index array, Index row, const FileOrder& order) {
  return array + static_cast<Index>(sizeof(T)) * (row * order.size() + order.share().begin);
}

/// Writes, or reads, this rank's shares of all arrays: transfer(order, offset of a row's share, values of this rank).
template <class Transfer>
void for_all_rows(ArrayLayout& layout, const Offsets& offsets, const std::vector<PropagatedBands>& bands,
                  PropagatedFields& fields, const Transfer& transfer) {
  for (std::size_t i = 0; i < bands.size(); ++i)
    for (Index b = 0; b < bands[i].bands.count; ++b) {
      const Index array = offsets.at(bands_array(bands[i].set, 0, 0).name);
      transfer(layout.orders[i], row_offset<Complex>(array, b, layout.orders[i]),
               std::span<Complex>(bands[i].bands.band(b), static_cast<std::size_t>(bands[i].bands.rows)));
    }
  for (std::size_t f = 0; f < fields.values.size(); ++f) {
    const Index array = offsets.at(potentials_array({}, 0).name);
    transfer(*layout.field, row_offset<double>(array, static_cast<Index>(f), *layout.field),
             std::span<double>(fields.values[f]));
  }
}

}  // namespace

Index write_propagation(const fs::path& path, const PropagationHeader& header, const ProcessGroups& groups,
                        const std::vector<PropagatedBands>& bands, const PropagatedFields& fields) {
  const Comm& world = groups.world();
  ArrayLayout layout(groups, header.bands.size(), bands, fields);
  const std::vector<double> sums = array_checksums(header, groups, layout, bands, fields);
  std::optional<PartialFile> partial;
  std::string name;
  Offsets offsets;
  world.collectively([&] {
    if (world.rank() != 0) return;
    partial.emplace(path);
    offsets = create_hdf5(partial->path(), state_tables(header, sums, layout.sizes), layout.arrays(header), {});
    partial->lock();
    name = partial->path().string();
  });
  broadcast(world, name);
  broadcast(world, offsets);
  DeferredError errors;
  std::optional<RawFile> file;
  errors.run([&] { file.emplace(RawFile::for_writing(name)); });
  PropagatedFields values = fields;
  for_all_rows(layout, offsets, bands, values, [&]<class T>(FileOrder& order, Index offset, std::span<T> mine) {
    const std::vector<T> share = order.to_share<T>(mine);
    errors.run([&] { file->write(offset, share.data(), static_cast<Index>(share.size() * sizeof(T))); });
  });
  errors.run([&] { file->sync(); });
  world.collectively([&] { errors.rethrow(); });
  Index bytes = 0;
  for (const ArrayShape& array : layout.arrays(header)) bytes += array.bytes();
  world.collectively([&] {
    if (partial) partial->publish();
  });
  return bytes;
}

PropagationReader::PropagationReader(const ProcessGroups& groups, const fs::path& path) : groups_(groups), path_(path) {
  const Comm& world = groups.world();
  const std::array<TableRequest, 14> wanted{{{"@format", ElementType::text},
                                             {"@version", ElementType::int32},
                                             {"@step", ElementType::int32},
                                             {"@potentials", ElementType::int32},
                                             {"@spins", ElementType::int32},
                                             {"/identity", ElementType::text},
                                             {"/timestep", ElementType::float64},
                                             {"/vector_potential", ElementType::float64, {3}},
                                             {"/occupations", ElementType::float64, {-1}},
                                             {"/statistics", ElementType::float64, {-1}},
                                             {"/counts", ElementType::int32, {-1}},
                                             {"/sizes", ElementType::int32, {-1}},
                                             {"/checksums", ElementType::float64, {-1}},
                                             {"/atoms", ElementType::float64, {-1}}}};
  std::vector<Table> found;
  world.collectively([&] {
    if (world.rank() != 0) return;
    const Hdf5Reader file(path);
    if (!file.has(state_group + "@format"))
      throw bad_input(path.string() + " is not the state of a propagation; valid: propagation.h5 of a run");
    for (const TableRequest& one : wanted) found.push_back(file.table({state_group + one.name, one.type, one.shape}));
    if (file.has(state_group + matrices_table))
      found.push_back(file.table({state_group + matrices_table, ElementType::float64, {-1}}));
  });
  broadcast(world, found);
  const auto values = [&](std::size_t i) {
    return std::vector<double>(found[i].doubles().begin(), found[i].doubles().end());
  };
  header_ = {.identity = found[5].texts()[0],
             .step = found[2].ints()[0],
             .timestep = found[6].doubles()[0],
             .occupations = values(8),
             .statistics = values(9),
             .atoms = values(13),
             .matrices = found.size() > wanted.size() ? values(wanted.size()) : std::vector<double>(),
             .bands = std::vector<int>(found[10].ints().begin(), found[10].ints().end()),
             .potentials = found[3].ints()[0],
             .fields = found[4].ints()[0]};
  std::copy_n(found[7].doubles().begin(), 3, header_.vector_potential.begin());
  sizes_.assign(found[11].ints().begin(), found[11].ints().end());
  checksums_ = values(12);
  if (found[0].texts()[0] != state_format || found[1].ints()[0] != state_version)
    throw bad_input(path.string() + " has another format than this program reads; valid: \"" + state_format +
                    "\", version " + std::to_string(state_version));
  if (header_.atoms.size() % 6 != 0 || header_.step < 0 || header_.potentials < 0 || header_.potentials > 8 ||
      header_.fields < 1 || header_.fields > 10)
    throw bad_input(path.string() + " is damaged: numbers that no propagation has");
}

void PropagationReader::read(const std::vector<PropagatedBands>& bands, PropagatedFields& fields) const {
  const Comm& world = groups_.world();
  ArrayLayout layout(groups_, header_.bands.size(), bands, fields);
  if (layout.sizes != sizes_) throw bad_input(path_.string() + " has bands or fields of another basis than this input");
  fields.values.assign(static_cast<std::size_t>(header_.potentials * header_.fields),
                       std::vector<double>(fields.points.size()));
  Offsets offsets;
  world.collectively([&] {
    if (world.rank() != 0) return;
    const Hdf5Reader file(path_);
    for (const ArrayShape& array : layout.arrays(header_)) offsets[array.name] = file.offset_of(array);
  });
  broadcast(world, offsets);
  DeferredError errors;
  std::optional<RawFile> file;
  errors.run([&] { file.emplace(RawFile::for_reading(path_)); });
  for_all_rows(layout, offsets, bands, fields, [&]<class T>(FileOrder& order, Index offset, std::span<T> mine) {
    std::vector<T> share(static_cast<std::size_t>(order.share().size()));
    errors.run([&] { file->read(offset, share.data(), static_cast<Index>(share.size() * sizeof(T))); });
    order.from_share<T>(share, mine);
  });
  world.collectively([&] { errors.rethrow(); });
  if (array_checksums(header_, groups_, layout, bands, fields) != checksums_)
    throw bad_input(path_.string() + " is damaged: its values do not have their checksums");
}

}  // namespace wavegrid
