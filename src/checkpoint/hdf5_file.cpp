#include <wavegrid/base/error.hpp>
#include <wavegrid/checkpoint/hdf5_file.hpp>
#include <wavegrid/checkpoint/hdf5_id.hpp>
#include <wavegrid/checkpoint/hdf5_image.hpp>

namespace wavegrid {

namespace fs = std::filesystem;

namespace {

constexpr hsize_t alignment = 1 << 20;   // of large datasets: suitable for parallel file systems and direct writes
constexpr hsize_t large_from = 1 << 16;  // bytes

Hdf5Id type_of(const ArrayShape& array) {
  switch (array.type) {
    case ElementType::int32:
      return {H5Tcopy(H5T_STD_I32LE), H5Tclose};
    case ElementType::uint64:
      return {H5Tcopy(H5T_STD_U64LE), H5Tclose};
    case ElementType::float64:
      return {H5Tcopy(H5T_IEEE_F64LE), H5Tclose};
    case ElementType::text:
      break;
  }
  Hdf5Id text(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(text, static_cast<size_t>(array.text_length));
  H5Tset_strpad(text, H5T_STR_NULLPAD);
  H5Tset_cset(text, H5T_CSET_UTF8);
  return text;
}

Hdf5Id space_of(const ArrayShape& array) {
  if (array.shape.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
  const std::vector<hsize_t> sizes(array.shape.begin(), array.shape.end());
  return {H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose};
}

/// The file under construction, in memory. A failure is an internal error.
class Writer {
 public:
  explicit Writer(Hdf5Image& image) : file_(create(image)) { require(file_.valid(), "file"); }

  void add_attribute(const Table& table) {
    const auto [group, attribute] = split_attribute(table.array.name);
    const Hdf5Id links = with_groups();
    Hdf5Id owner(H5Lexists(file_, group.c_str(), H5P_DEFAULT) > 0
                     ? H5Gopen2(file_, group.c_str(), H5P_DEFAULT)
                     : H5Gcreate2(file_, group.c_str(), links, H5P_DEFAULT, H5P_DEFAULT),
                 H5Gclose);
    attach(owner, attribute, table.array, table.bytes.data());
  }

  void add_dataset(const Table& table) {
    const Hdf5Id data = make(table.array);
    const Hdf5Id type = type_of(table.array);
    require(table.bytes.empty() || H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.bytes.data()) >= 0,
            table.array.name);
    attach_checksum(data, checksum(table.bytes.data(), table.array.bytes()));
  }

  Index allocate(const ArrayShape& array, const std::uint64_t* sum) {
    const Hdf5Id data = make(array);
    if (sum) attach_checksum(data, *sum);
    if (array.bytes() == 0) return 0;
    const haddr_t offset = H5Dget_offset(data);
    require(offset != HADDR_UNDEF, array.name);
    return static_cast<Index>(offset);
  }

  void close() { require(file_.close(), "file"); }

 private:
  static Hdf5Id create(Hdf5Image& image) {
    const Hdf5Id access(image.access(), H5Pclose);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_alignment(access, large_from, alignment);
    return {H5Fcreate("checkpoint", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose};
  }

  static Hdf5Id with_groups() {
    Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links, 1);
    return links;
  }

  Hdf5Id make(const ArrayShape& array) {
    const Hdf5Id links = with_groups(), creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_layout(creation, H5D_CONTIGUOUS);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);  // so that there is an offset before there are data
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    Hdf5Id data(H5Dcreate2(file_, array.name.c_str(), type_of(array), space_of(array), links, creation, H5P_DEFAULT),
                H5Dclose);
    require(data.valid(), array.name);
    return data;
  }

  void attach(hid_t owner, const std::string& name, const ArrayShape& array, const void* value) {
    const Hdf5Id type = type_of(array);
    const Hdf5Id attribute(H5Acreate2(owner, name.c_str(), type, space_of(array), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    require(attribute.valid() && H5Awrite(attribute, type, value) >= 0, array.name);
  }

  void attach_checksum(hid_t data, std::uint64_t sum) {
    attach(data, checksum_attribute, {checksum_attribute, ElementType::uint64}, &sum);
  }

  static void require(bool done, const std::string& what) {
    if (done) return;
    throw internal_error("checkpoint: HDF5 cannot create the " + what + ": " + hdf5_reason());
  }

  Hdf5Id file_;
};

}  // namespace

Offsets create_hdf5(const fs::path& path, std::span<const Table> tables, std::span<const ArrayShape> bulk,
                    const std::map<std::string, std::uint64_t>& bulk_checksums) {
  const Hdf5NoMessages quiet;
  Hdf5Image image;
  Writer writer(image);
  for (const Table& table : tables)
    table.array.is_attribute() ? writer.add_attribute(table) : writer.add_dataset(table);
  Offsets offsets;
  for (const ArrayShape& array : bulk) {
    const auto sum = bulk_checksums.find(array.name);
    offsets[array.name] = writer.allocate(array, sum == bulk_checksums.end() ? nullptr : &sum->second);
  }
  writer.close();
  image.save(path);
  return offsets;
}

}  // namespace wavegrid
