// Changes in a small valid file by HDF5 itself, then the reader: other values, types and shapes, missing objects,
// links, virtual, chunked and external datasets. Each run writes a file (in memory), so it is slow.
//
// With RAW_BYTES the bytes of the file are changed instead. Then HDF5 has to read broken structures: what crashes in
// Debian's libhdf5 cannot be corrected here, so that program is not part of `make fuzz`.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <wavegrid/checkpoint/hdf5_id.hpp>

#include "checkpoint_changes.hpp"

namespace {

using namespace fuzz;

/// A file in the memory file system, gone at the end. (HDF5 does not open a memfd for writing.)
class MemoryFile {
 public:
  MemoryFile() : path_("/dev/shm/wavegrid-fuzz-" + std::to_string(getpid()) + ".h5") {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { std::filesystem::remove(path_); }
  void fill(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The bytes of the valid file.
std::string valid_file(const std::string& path) {
  const std::vector<ArrayShape> bulk = FileLayout(small_header(), small_waves()).bulk();
  std::filesystem::remove(path);
  (void)create_hdf5(path, small_tables(), bulk, {});
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Names of all objects that are read.
const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> found{"/wavegrid", "/mf_header", "/wfns", "/wavegrid/checksums"};
    for (const Table& table : small_tables()) found.push_back(table.array.name);
    for (const ArrayShape& array : FileLayout(small_header(), small_waves()).bulk()) found.push_back(array.name);
    return found;
  }();
  return all;
}

hid_t odd_type(FuzzedDataProvider& data) {
  const hid_t types[] = {H5T_STD_I32LE,  H5T_STD_I32BE,  H5T_STD_I64LE, H5T_STD_U64LE,   H5T_IEEE_F64LE,
                         H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_C_S1,      H5T_STD_REF_OBJ, H5T_STD_B8LE};
  return data.PickValueInArray(types);
}

Hdf5Id odd_space(FuzzedDataProvider& data) {
  const int rank = data.ConsumeIntegralInRange(-1, 5);
  if (rank < 0) return {H5Screate(H5S_NULL), H5Sclose};
  if (rank == 0) return {H5Screate(H5S_SCALAR), H5Sclose};
  const hsize_t odd[] = {0, 1, 2, 3, 5, 6, 7, 44, 210, 4294967297, hsize_t{1} << 40, hsize_t{1} << 62};
  hsize_t sizes[5];
  for (hsize_t& n : sizes) n = data.PickValueInArray(odd);
  return {H5Screate_simple(rank, sizes, nullptr), H5Sclose};
}

Hdf5Id odd_storage(FuzzedDataProvider& data) {
  Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const hsize_t chunk[5] = {1, 1, 1, 1, 1};
  const int kind = data.ConsumeIntegralInRange(0, 4);
  if (kind == 1) H5Pset_layout(creation, H5D_COMPACT);
  if (kind == 2) H5Pset_chunk(creation, data.ConsumeIntegralInRange(1, 5), chunk);
  if (kind == 3) H5Pset_external(creation, "/dev/zero", 0, H5F_UNLIMITED);
  if (kind == 4) {
    const hsize_t one = 1;
    const Hdf5Id space(H5Screate_simple(1, &one, nullptr), H5Sclose);
    H5Pset_virtual(creation, space, "/dev/zero", "/wavegrid/ecut", space);
  }
  return creation;
}

void change_object(FuzzedDataProvider& data, hid_t file) {
  const auto [path, attribute] =
      split_attribute(names()[data.ConsumeIntegralInRange<std::size_t>(0, names().size() - 1)]);
  const std::string& other = names()[data.ConsumeIntegralInRange<std::size_t>(0, names().size() - 1)];
  const int kind = data.ConsumeIntegralInRange(0, 6);
  if (!attribute.empty()) {
    H5Adelete_by_name(file, path.c_str(), attribute.c_str(), H5P_DEFAULT);
    if (kind == 0) return;
    const Hdf5Id type(H5Tcopy(odd_type(data)), H5Tclose), space = odd_space(data);
    const Hdf5Id made(
        H5Acreate_by_name(file, path.c_str(), attribute.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    return;
  }
  H5Ldelete(file, path.c_str(), H5P_DEFAULT);
  if (kind == 1) H5Lcreate_soft(other.c_str(), file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  if (kind == 2) H5Lcreate_external("/dev/zero", other.c_str(), file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  if (kind == 3) H5Lcreate_hard(file, other.c_str(), file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  if (kind == 4) {
    const Hdf5Id group(H5Gcreate2(file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  }
  if (kind > 4) {
    const Hdf5Id type(H5Tcopy(odd_type(data)), H5Tclose), space = odd_space(data), creation = odd_storage(data);
    const Hdf5Id made(H5Dcreate2(file, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  }
}

/// Other values with their checksum.
void change_values(FuzzedDataProvider& data, hid_t file) {
  static const std::vector<Table> valid = small_tables();
  Table table = valid[data.ConsumeIntegralInRange<std::size_t>(0, valid.size() - 1)];
  change_value(data, table);
  const auto [path, attribute] = split_attribute(table.array.name);
  if (!attribute.empty()) {
    const Hdf5Id open(H5Aopen_by_name(file, path.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const Hdf5Id type(H5Aget_type(open), H5Tclose);
    if (H5Tget_size(type) <= table.bytes.size()) H5Awrite(open, type, table.bytes.data());
    return;
  }
  const Hdf5Id open(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Id type(H5Dget_type(open), H5Tclose), space(H5Dget_space(open), H5Sclose);
  const hssize_t points = H5Sget_simple_extent_npoints(space);
  if (points < 0 || static_cast<std::size_t>(points) * H5Tget_size(type) != table.bytes.size()) return;
  H5Dwrite(open, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.bytes.data());
  const std::uint64_t sum = checksum(table.bytes.data(), static_cast<Index>(table.bytes.size()));
  const Hdf5Id stored(H5Aopen(open, checksum_attribute, H5P_DEFAULT), H5Aclose);
  H5Awrite(stored, H5T_STD_U64LE, &sum);
}

void change_by_hdf5(FuzzedDataProvider& data, const MemoryFile& memory) {
  const Hdf5NoMessages quiet;
  const Hdf5Id file(H5Fopen(memory.path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  require(file.valid(), "the file to change");
  while (data.remaining_bytes() > 0) data.ConsumeBool() ? change_object(data, file) : change_values(data, file);
}

[[maybe_unused]] std::string with_changed_bytes(FuzzedDataProvider& data, std::string bytes) {
  while (data.remaining_bytes() > 0) {
    const auto at = data.ConsumeIntegralInRange<std::size_t>(0, bytes.size() - 1);
    bytes[at] = static_cast<char>(data.ConsumeIntegral<std::uint8_t>());
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const MemoryFile memory;
  static const std::string valid = valid_file(memory.path());
  FuzzedDataProvider data(bytes, size);
#ifdef RAW_BYTES
  memory.fill(with_changed_bytes(data, valid));
#else
  memory.fill(valid);
  change_by_hdf5(data, memory);
#endif
  expect_clear_end(memory.path(), [&] { require(!read_header_file(memory.path()).offsets.empty(), "no arrays"); });
  return 0;
}
