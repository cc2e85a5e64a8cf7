// Changes of values, types and shapes in the header of a checkpoint, behind HDF5: the tables are in memory. It is fast,
// and HDF5 itself, in which any bytes may fail, has no part in it; fuzz_hdf5 changes files.
#include <algorithm>

#include "checkpoint_changes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace fuzz;
  static const std::vector<Table> valid = small_tables();
  FuzzedDataProvider data(bytes, size);
  std::vector<Table> tables = valid;
  while (data.remaining_bytes() > 0) {
    Table& table = tables[data.ConsumeIntegralInRange<std::size_t>(0, tables.size() - 1)];
    const int kind = data.ConsumeIntegralInRange(0, 7);
    if (kind == 0) table.array.name += "x";
    if (kind == 1) change_type(data, table);
    if (kind == 2) change_shape(data, table);
    if (kind > 2) change_value(data, table);
  }
  const std::string file = "some/file.h5";
  expect_clear_end(file, [&] {
    const TableSource read = [&](const TableRequest& wanted) {
      const auto found =
          std::find_if(tables.begin(), tables.end(), [&](const Table& t) { return t.array.name == wanted.name; });
      if (found == tables.end()) throw bad_input("checkpoint " + file + " has no " + wanted.name);
      require_shape(found->array, wanted, file);
      return *found;
    };
    const CheckpointHeader header = header_from(read, file);
    const FileLayout layout = layout_from(header, read, file);
    require(layout.bytes() > 0 && header.num_states() > 0, "a layout of no bytes");
  });
  return 0;
}
