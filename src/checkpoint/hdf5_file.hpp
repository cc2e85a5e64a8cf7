// A narrow door to serial HDF5: files of contiguous datasets whose places in the file are known.
//
// Used on one rank. HDF5 makes the file and says where each dataset begins; the bulk of the data then goes there by
// plain writes of many ranks, which needs no parallel HDF5.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/table.hpp"

namespace wavegrid {

/// Where the bytes of datasets begin in the file, by full name.
using Offsets = std::map<std::string, Index>;

/// The attribute that holds the checksum of a dataset.
inline constexpr const char* checksum_attribute = "xxh3";

/// Makes a file with all `tables`, datasets with their checksums, and room for the `bulk`, whose values are not
/// written; returns where the bulk begins. `bulk_checksums` are stored with those bulk arrays they name. The file must
/// not be there. Throws environment_error where the system refuses.
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

  /// Whether there is an object, or with '@' an attribute, of this name.
  [[nodiscard]] bool has(const std::string& name) const;
  /// The values of a small dataset, checked against its checksum, or of an attribute. `shape`: what is valid, -1 for
  /// any number.
  [[nodiscard]] Table table(const std::string& name, ElementType type, const std::vector<Index>& shape) const;
  /// Where a dataset begins; it must be contiguous, little-endian, of this shape, and lie inside the file.
  [[nodiscard]] Index offset_of(const ArrayShape& expected) const;

  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
  std::int64_t file_ = -1;
};

}  // namespace wavegrid
