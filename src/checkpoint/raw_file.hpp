// Plain reads and writes of many ranks at known places of one file.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>

#include "base/index.hpp"

namespace wavegrid {

/// An open file. What the system refuses throws environment_error with the file and the system's reason.
class RawFile {
 public:
  [[nodiscard]] static RawFile create(const std::filesystem::path& path);  ///< it must not be there
  [[nodiscard]] static RawFile for_writing(const std::filesystem::path& path);
  [[nodiscard]] static RawFile for_reading(const std::filesystem::path& path);
  RawFile(RawFile&& other) noexcept;
  RawFile& operator=(RawFile&&) = delete;
  ~RawFile();

  void write(Index offset, const void* data, Index bytes);
  /// The same; the system begins at once to carry it to the disk, so that this happens while we go on.
  void write_through(Index offset, const void* data, Index bytes);
  /// Throws bad_input where the file ends before.
  void read(Index offset, void* data, Index bytes) const;
  /// A hint that this will be read soon: the system begins to fetch it.
  void prefetch(Index offset, Index bytes) const;
  /// Cuts it off or appends a hole.
  void set_length(Index bytes);
  /// Returns when all that was written is on the disk.
  void sync();

 private:
  RawFile(const std::filesystem::path& path, int flags);
  std::filesystem::path path_;
  int descriptor_;
};

/// Keeps the first error of this rank until all ranks are where they can agree about it: what may throw between two
/// collective calls runs in here, and is left out once something has failed.
class Deferred {
 public:
  void run(const std::function<void()>& work);
  [[nodiscard]] bool failed() const { return error_ != nullptr; }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

}  // namespace wavegrid
