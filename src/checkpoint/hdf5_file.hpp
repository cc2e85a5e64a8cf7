// The only interface to HDF5 (serial): files of contiguous datasets whose offsets in the file are known.
//
// Used on one rank. HDF5 creates the file and reports where each dataset begins; many ranks then write the bulk arrays
// there with plain system calls, which needs no parallel HDF5.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <wavegrid/checkpoint/table.hpp>

namespace wavegrid {

/// Offsets of datasets in the file, bytes, by full name.
using Offsets = std::map<std::string, Index>;

/// The attribute that holds the checksum of a dataset.
inline constexpr const char* checksum_attribute = "xxh3";

/// Creates a file with all `tables` (datasets with their checksums) and space for the arrays `bulk`, whose values are
/// not written; returns the offsets of the latter. `bulk_checksums` are stored with the bulk arrays of these names. The
/// file must not exist. Throws environment_error if the system cannot write the file.
[[nodiscard]] Offsets create_hdf5(const std::filesystem::path& path, std::span<const Table> tables,
                                  std::span<const ArrayShape> bulk,
                                  const std::map<std::string, std::uint64_t>& bulk_checksums);

/// An HDF5 file open for reading. Every failure throws bad_input that names the file, what was found and what is valid;
/// a file that cannot be opened for reasons of the system throws environment_error.
class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::filesystem::path& path);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  /// Whether there is an object, or with '@' an attribute, of this name. Throws where a link leads elsewhere.
  [[nodiscard]] bool has(const std::string& name) const;
  /// Type and shape of a dataset that is contiguous and no larger than the file; reads no values.
  [[nodiscard]] ArrayShape shape(const std::string& name) const;
  /// The values of a small dataset, checked against its checksum, or of an attribute.
  [[nodiscard]] Table table(const TableRequest& wanted) const;
  /// The offset of a dataset, which must be contiguous, little-endian, of this shape, and lie inside the file.
  [[nodiscard]] Index offset_of(const ArrayShape& expected) const;

  [[nodiscard]] std::string name() const { return path_.string(); }
  [[nodiscard]] Index bytes() const { return bytes_; }  ///< of the whole file

 private:
  std::filesystem::path path_;
  Index bytes_ = 0;
  std::int64_t file_ = -1;
};

}  // namespace wavegrid
