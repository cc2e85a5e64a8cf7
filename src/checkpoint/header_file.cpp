#include <wavegrid/base/error.hpp>
#include <wavegrid/checkpoint/claimed_sizes.hpp>
#include <wavegrid/checkpoint/header_file.hpp>

namespace wavegrid {

namespace {

void require_checkpoint(const Hdf5Reader& file) {
  if (!file.has("/wavegrid@format"))
    throw bad_input(file.name() +
                    " is an HDF5 file, but no wavegrid checkpoint: it has no group /wavegrid with the "
                    "attribute format = \"" +
                    std::string(format_name) + "\"");
}

}  // namespace

FileLayout layout_from(const CheckpointHeader& header, const TableSource& read, const std::string& file) {
  const Table counts = read({waves_name, ElementType::int32, {header.num_kpoints()}});
  std::vector<Index> waves(counts.ints().begin(), counts.ints().end());
  const Index points = Index{header.grid[0]} * header.grid[1] * header.grid[2];
  for (std::size_t k = 0; k < waves.size(); ++k)
    if (waves[k] < 1 || waves[k] > points)
      throw bad_input("checkpoint " + file + ": k-point " + std::to_string(k + 1) + " has " + std::to_string(waves[k]) +
                      " G-vectors (" + waves_name + "); valid are 1 to " + std::to_string(points) +
                      ", the points of the grid");
  return {header, std::move(waves)};
}

HeaderFile read_header_file(const std::filesystem::path& path) {
  const Hdf5Reader file(path);
  require_checkpoint(file);
  require_claims(file);
  HeaderFile found;
  const TableSource read = [&](const TableRequest& wanted) {
    found.tables.push_back(file.table(wanted));
    return found.tables.back();
  };
  const CheckpointHeader header = header_from(read, path.string());
  const FileLayout layout = layout_from(header, read, path.string());
  for (const ArrayShape& array : layout.bulk()) found.offsets[array.name] = file.offset_of(array);
  return found;
}

}  // namespace wavegrid
