// HDF5 files created in memory, then written to the disk by plain system calls.
//
// HDF5 cannot handle a full disk: after a close that failed it keeps the file open and crashes at the end of the
// program (seen with 1.10.8). In memory no write fails; only pages that HDF5 writes are stored, so an image with space
// for terabytes takes a few pages.
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <map>
#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// The parts of a file that HDF5 has written: pages by number; zeros elsewhere.
class Hdf5Image {
 public:
  static constexpr Index page_bytes = Index{1} << 16;

  /// A file access property list that makes HDF5 write into this image. The caller closes it; the image has to outlive
  /// the file. Negative if HDF5 reports an error.
  [[nodiscard]] hid_t access();

  void write(Index offset, const char* data, Index bytes);
  void read(Index offset, char* data, Index bytes) const;
  void set_length(Index length) { length_ = length; }
  [[nodiscard]] Index length() const { return length_; }

  /// Writes it to a new file, with holes where nothing was written. Throws environment_error, and then leaves no file.
  void save(const std::filesystem::path& path) const;

 private:
  Index length_ = 0;
  std::map<Index, std::vector<char>> pages_;
};

}  // namespace wavegrid
