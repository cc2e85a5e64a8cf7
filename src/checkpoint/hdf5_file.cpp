#include "checkpoint/hdf5_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "checkpoint/hdf5_id.hpp"
#include "checkpoint/hdf5_image.hpp"

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

std::pair<std::string, std::string> split_attribute(const std::string& name) {
  const auto at = name.find('@');
  return {name.substr(0, at), name.substr(at + 1)};
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

/// Called before HDF5 opens the file: throws clear messages for simple reasons why it cannot be an HDF5 file.
void require_hdf5(const fs::path& path) {
  const std::string name = path.string();
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw bad_input("there is no checkpoint " + name);
  if (error) throw environment_error("cannot read checkpoint " + name + ": " + error.message());
  if (!fs::is_regular_file(status)) throw bad_input("checkpoint " + name + " is no file; give a file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw environment_error("cannot read checkpoint " + name + ": " + std::strerror(errno));
  char start[8]{};
  file.read(start, sizeof start);
  if (file.gcount() == 0) throw bad_input("checkpoint " + name + " is empty (0 bytes)");
  if (std::memcmp(start, "\x89HDF\r\n\x1a\n", sizeof start) != 0)
    throw bad_input("checkpoint " + name + " is no HDF5 file; a checkpoint is one, as written by wavegrid");
}

std::string text_of(const std::vector<Index>& shape) {
  std::string text;
  for (const Index n : shape) text += (text.empty() ? "" : ", ") + (n < 0 ? "any" : std::to_string(n));
  return "(" + text + ")";
}

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

Hdf5Reader::Hdf5Reader(const fs::path& path) : path_(path) {
  require_hdf5(path);
  const Hdf5NoMessages quiet;
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, false, true);  // complete checkpoints are never modified; some file systems have no locks
#endif
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (file_ < 0) throw bad_input("checkpoint " + name() + " is cut off or damaged; HDF5 reports: " + hdf5_reason());
}

Hdf5Reader::~Hdf5Reader() {
  if (file_ >= 0) H5Fclose(file_);
}

bool Hdf5Reader::has(const std::string& full_name) const {
  const Hdf5NoMessages quiet;
  const auto [path, attribute] = split_attribute(full_name);
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    if (H5Lexists(file_, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) break;
  }
  return full_name.find('@') == std::string::npos ||
         H5Aexists_by_name(file_, path.c_str(), attribute.c_str(), H5P_DEFAULT) > 0;
}

namespace {

/// A dataset or an attribute, open.
struct Object {
  Hdf5Id id;
  bool attribute;
  [[nodiscard]] Hdf5Id type() const { return {attribute ? H5Aget_type(id) : H5Dget_type(id), H5Tclose}; }
  [[nodiscard]] Hdf5Id space() const { return {attribute ? H5Aget_space(id) : H5Dget_space(id), H5Sclose}; }
};

Object open_object(const Hdf5Reader& reader, hid_t file, const std::string& name) {
  const auto [path, attribute] = split_attribute(name);
  const bool is_attribute = name.find('@') != std::string::npos;
  if (!reader.has(name)) throw bad_input("checkpoint " + reader.name() + " has no " + name);
  Object object{is_attribute
                    ? Hdf5Id(H5Aopen_by_name(file, path.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose)
                    : Hdf5Id(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose),
                is_attribute};
  if (!object.id.valid())
    throw bad_input("checkpoint " + reader.name() + " is damaged at " + name + "; HDF5 reports: " + hdf5_reason());
  return object;
}

/// Type, shape and length of texts; throws for a type that checkpoints do not have.
ArrayShape found_shape(const Hdf5Reader& reader, const Object& object, const std::string& name) {
  ArrayShape found{name, ElementType::float64};
  const Hdf5Id type = object.type(), space = object.space();
  if (H5Tequal(type, H5T_STD_I32LE) > 0)
    found.type = ElementType::int32;
  else if (H5Tequal(type, H5T_STD_U64LE) > 0)
    found.type = ElementType::uint64;
  else if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
    found.type = ElementType::text;
    found.text_length = static_cast<Index>(H5Tget_size(type));
  } else if (H5Tequal(type, H5T_IEEE_F64LE) <= 0)
    throw bad_input("checkpoint " + reader.name() + ": " + name + " has a type that no checkpoint has");
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  found.shape.assign(sizes.begin(), sizes.end());
  return found;
}

void require_shape(const Hdf5Reader& reader, const ArrayShape& found, ElementType type,
                   const std::vector<Index>& shape) {
  bool fits = found.type == type && found.shape.size() == shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) fits = shape[i] < 0 || shape[i] == found.shape[i];
  if (!fits)
    throw bad_input("checkpoint " + reader.name() + ": " + found.name + " is " + name_of(found.type) + " " +
                    text_of(found.shape) + ", and has to be " + name_of(type) + " " + text_of(shape));
}

constexpr Index largest_table = Index{1} << 34;  // bytes; a larger shape means that the file is damaged

}  // namespace

Table Hdf5Reader::table(const std::string& full_name, ElementType type, const std::vector<Index>& shape) const {
  const Hdf5NoMessages quiet;
  const Object object = open_object(*this, file_, full_name);
  Table result{found_shape(*this, object, full_name), {}};
  require_shape(*this, result.array, type, shape);
  if (result.array.bytes() > largest_table)
    throw bad_input("checkpoint " + name() + ": " + full_name + " " + text_of(result.array.shape) + " is too large");
  result.bytes.resize(static_cast<std::size_t>(result.array.bytes()));
  const Hdf5Id memory_type = object.type();
  const herr_t done = object.attribute
                          ? H5Aread(object.id, memory_type, result.bytes.data())
                          : H5Dread(object.id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.bytes.data());
  if (done < 0)
    throw bad_input("checkpoint " + name() + " is damaged at " + full_name + "; HDF5 reports: " + hdf5_reason());
  if (object.attribute) return result;
  const Table sum = table(full_name + "@" + checksum_attribute, ElementType::uint64, {});
  std::uint64_t stored = 0;
  std::memcpy(&stored, sum.bytes.data(), sizeof stored);
  if (stored != checksum(result.bytes.data(), result.array.bytes()))
    throw bad_input("checkpoint " + name() + " is damaged: the checksum of " + full_name + " does not fit");
  return result;
}

Index Hdf5Reader::offset_of(const ArrayShape& expected) const {
  const Hdf5NoMessages quiet;
  const Object object = open_object(*this, file_, expected.name);
  require_shape(*this, found_shape(*this, object, expected.name), expected.type, expected.shape);
  const haddr_t offset = H5Dget_offset(object.id);
  if (offset == HADDR_UNDEF)
    throw bad_input("checkpoint " + name() + ": " + expected.name +
                    " is not contiguous (compressed or in chunks); convert it with h5repack -l CONTI -f NONE");
  const auto size = static_cast<Index>(fs::file_size(path_));
  if (static_cast<Index>(offset) > size - expected.bytes())
    throw bad_input("checkpoint " + name() + " is cut off: it has " + std::to_string(size) + " bytes, and " +
                    expected.name + " ends after byte " +
                    std::to_string(static_cast<Index>(offset) + expected.bytes()));
  return static_cast<Index>(offset);
}

}  // namespace wavegrid
