// Reading trusts nothing in the file: links and storage in other files are refused, and sizes are compared with that of
// the file before anything is allocated.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <wavegrid/base/error.hpp>
#include <wavegrid/checkpoint/hdf5_file.hpp>
#include <wavegrid/checkpoint/hdf5_id.hpp>

namespace wavegrid {

namespace fs = std::filesystem;

namespace {

constexpr Index longest_text = 64'000'000, longest_attribute = 4096;  ///< bytes

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

}  // namespace

Hdf5Reader::Hdf5Reader(const fs::path& path) : path_(path) {
  require_hdf5(path);
  const Hdf5NoMessages quiet;
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, false, true);  // complete checkpoints are never modified; some file systems have no locks
#endif
  std::error_code error;
  bytes_ = static_cast<Index>(fs::file_size(path, error));
  if (error) throw environment_error("cannot read checkpoint " + name() + ": " + error.message());
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (file_ < 0) throw bad_input("checkpoint " + name() + " is cut off or damaged; HDF5 reports: " + hdf5_reason());
}

Hdf5Reader::~Hdf5Reader() {
  if (file_ >= 0) H5Fclose(file_);
}

namespace {

/// Whether there is a link of this name, which has to lead to an object of the same file.
bool has_object(const Hdf5Reader& reader, hid_t file, const std::string& path) {
  if (H5Lexists(file, path.c_str(), H5P_DEFAULT) <= 0) return false;
  H5L_info_t link{};
  if (H5Lget_info(file, path.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
    throw bad_input("checkpoint " + reader.name() + ": " + path +
                    " is a link to another place; a checkpoint itself holds all that it needs");
  return true;
}

}  // namespace

bool Hdf5Reader::has(const std::string& full_name) const {
  const Hdf5NoMessages quiet;
  const auto [path, attribute] = split_attribute(full_name);
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    if (!has_object(*this, file_, path.substr(0, end))) return false;
    if (end == std::string::npos) break;
  }
  return attribute.empty() || H5Aexists_by_name(file_, path.c_str(), attribute.c_str(), H5P_DEFAULT) > 0;
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
  if (!reader.has(name)) throw bad_input("checkpoint " + reader.name() + " has no " + name);
  Object object{
      attribute.empty()
          ? Hdf5Id(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose)
          : Hdf5Id(H5Aopen_by_name(file, path.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose),
      !attribute.empty()};
  if (!object.id.valid())
    throw bad_input("checkpoint " + reader.name() + " is damaged at " + name + "; HDF5 reports: " + hdf5_reason());
  return object;
}

/// Virtual datasets and external storage read any other file; chunks and filters hide how much the values need.
void require_own_storage(const Hdf5Reader& reader, const Object& object, const std::string& name) {
  if (object.attribute) return;
  const Hdf5Id creation(H5Dget_create_plist(object.id), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(creation);
  if (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT)
    throw bad_input("checkpoint " + reader.name() + ": " + name +
                    " is not contiguous (compressed, in chunks, or virtual); convert the file with h5repack -l CONTI "
                    "-f NONE");
  if (layout == H5D_CONTIGUOUS && H5Pget_external_count(creation) != 0)
    throw bad_input("checkpoint " + reader.name() + ": the values of " + name +
                    " are in another file; a checkpoint itself holds all that it needs");
}

std::vector<Index> sizes_of(const Hdf5Id& space, Index largest) {
  const int rank = std::max(H5Sget_simple_extent_ndims(space), 0);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  if (rank > 0) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  std::vector<Index> result;
  for (const hsize_t n : sizes) result.push_back(static_cast<Index>(std::min(n, static_cast<hsize_t>(largest) + 1)));
  return result;
}

/// Type, shape and length of texts. Throws for a type that checkpoints do not have, and for an array that is larger
/// than the file.
ArrayShape found_shape(const Hdf5Reader& reader, const Object& object, const std::string& name) {
  ArrayShape found{name, ElementType::float64};
  const Hdf5Id type = object.type(), space = object.space();
  if (H5Tequal(type, H5T_STD_I32LE) > 0)
    found.type = ElementType::int32;
  else if (H5Tequal(type, H5T_STD_U64LE) > 0)
    found.type = ElementType::uint64;
  else if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && H5Tget_size(type) > 0) {
    found.type = ElementType::text;
    found.text_length = static_cast<Index>(H5Tget_size(type));
  } else if (H5Tequal(type, H5T_IEEE_F64LE) <= 0)
    throw bad_input("checkpoint " + reader.name() + ": " + name + " has a type that no checkpoint has");
  if (H5Sget_simple_extent_type(space) == H5S_NULL)
    throw bad_input("checkpoint " + reader.name() + ": " + name + " has no value");
  found.shape = sizes_of(space, reader.bytes());
  double bytes = static_cast<double>(found.element_size());  // a product of integers could overflow
  for (const Index n : found.shape) bytes *= static_cast<double>(n);
  const bool fits = std::all_of(found.shape.begin(), found.shape.end(), [&](Index n) { return n <= reader.bytes(); });
  if (!fits || bytes > static_cast<double>(reader.bytes()))
    throw bad_input("checkpoint " + reader.name() + ": " + name + " claims more elements than a file of " +
                    std::to_string(reader.bytes()) + " bytes can hold");
  return found;
}

}  // namespace

ArrayShape Hdf5Reader::shape(const std::string& name) const {
  const Hdf5NoMessages quiet;
  const Object object = open_object(*this, file_, name);
  require_own_storage(*this, object, name);
  return found_shape(*this, object, name);
}

Table Hdf5Reader::table(const TableRequest& wanted) const {
  const Hdf5NoMessages quiet;
  const Object object = open_object(*this, file_, wanted.name);
  require_own_storage(*this, object, wanted.name);
  Table result{found_shape(*this, object, wanted.name), {}};
  require_shape(result.array, wanted, name());
  const Index longest = object.attribute ? longest_attribute : longest_text;
  if (result.array.type == ElementType::text && result.array.text_length > longest)
    throw bad_input("checkpoint " + name() + ": " + wanted.name + " claims a text of " +
                    std::to_string(result.array.text_length) + " bytes; valid are up to " + std::to_string(longest));
  result.bytes.resize(static_cast<std::size_t>(result.array.bytes()));
  const Hdf5Id memory_type = object.type();
  const herr_t done = object.attribute
                          ? H5Aread(object.id, memory_type, result.bytes.data())
                          : H5Dread(object.id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.bytes.data());
  if (done < 0)
    throw bad_input("checkpoint " + name() + " is damaged at " + wanted.name + "; HDF5 reports: " + hdf5_reason());
  if (object.attribute) return result;
  const Table sum = table({wanted.name + "@" + checksum_attribute, ElementType::uint64});
  std::uint64_t stored = 0;
  std::memcpy(&stored, sum.bytes.data(), sizeof stored);
  if (stored != checksum(result.bytes.data(), result.array.bytes()))
    throw bad_input("checkpoint " + name() + " is damaged: the checksum of " + wanted.name + " does not fit");
  return result;
}

Index Hdf5Reader::offset_of(const ArrayShape& expected) const {
  const Hdf5NoMessages quiet;
  const Object object = open_object(*this, file_, expected.name);
  require_own_storage(*this, object, expected.name);
  require_shape(found_shape(*this, object, expected.name), {expected.name, expected.type, expected.shape}, name());
  if (expected.bytes() == 0) return 0;
  const haddr_t offset = H5Dget_offset(object.id);
  if (offset == HADDR_UNDEF)
    throw bad_input("checkpoint " + name() + ": " + expected.name +
                    " is not contiguous; convert the file with h5repack -l CONTI -f NONE");
  if (offset > static_cast<haddr_t>(bytes_ - expected.bytes()))
    throw bad_input("checkpoint " + name() + " is cut off: it has " + std::to_string(bytes_) + " bytes, and " +
                    expected.name + " of " + std::to_string(expected.bytes()) + " bytes begins at byte " +
                    std::to_string(offset));
  return static_cast<Index>(offset);
}

}  // namespace wavegrid
