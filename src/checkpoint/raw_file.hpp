// Plain reads and writes of many ranks at known offsets of one file.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// An open file. If a system call fails, environment_error with the file and the system's reason is thrown.
class RawFile {
 public:
  [[nodiscard]] static RawFile create(const std::filesystem::path& path);  ///< it must not exist
  [[nodiscard]] static RawFile for_writing(const std::filesystem::path& path);
  [[nodiscard]] static RawFile for_reading(const std::filesystem::path& path);
  RawFile(RawFile&& other) noexcept;
  RawFile& operator=(RawFile&&) = delete;
  ~RawFile();

  void write(Index offset, const void* data, Index bytes);
  /// The same; the system starts at once to write it to the disk while the program continues.
  void write_through(Index offset, const void* data, Index bytes);
  /// Throws bad_input if the file ends earlier.
  void read(Index offset, void* data, Index bytes) const;
  /// A hint that this will be read soon: the system starts to read it.
  void prefetch(Index offset, Index bytes) const;
  /// Truncates the file or appends a hole.
  void set_length(Index bytes);
  /// Returns when all written data are on the disk.
  void sync();

 private:
  RawFile(const std::filesystem::path& path, int flags);
  std::filesystem::path path_;
  int descriptor_;
};

/// Keeps the first error of this rank until the next point where all ranks can agree on it: code that may throw between
/// two collective calls is run by run(), which skips it after the first error.
class DeferredError {
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
