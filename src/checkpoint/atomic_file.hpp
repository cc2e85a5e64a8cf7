// Files that are either complete or absent: written under another name, then renamed; older generations are kept.
#pragma once

#include <filesystem>

namespace wavegrid {

/// A file under construction: in the directory of its target, hidden, and with another ending
/// (".checkpoint.h5.<token>.partial"). Used on one rank.
class PartialFile {
 public:
  /// Removes files that killed runs have left for the same target. Throws environment_error if the directory of the
  /// target does not exist, bad_input if the target is a directory.
  explicit PartialFile(std::filesystem::path target);
  /// Removes the file unless it has been published.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Locks the file, so that other runs do not remove it. Call once the file exists.
  void lock();
  /// Renames the file, which must be complete and on the disk, to the target, after rotate_generations() with `keep`.
  /// If the target existed before, a complete file has its name at every moment, also if the program is killed (on file
  /// systems with hard links). The lock ends here: HDF5 refuses to open files that others have locked.
  void publish(int keep = 1);

 private:
  void unlock();

  std::filesystem::path target_, path_;
  int lock_ = -1;
};

/// The name of an older generation: checkpoint.1.h5 of checkpoint.h5.
[[nodiscard]] std::filesystem::path generation(const std::filesystem::path& path, int number);

/// Links `path` as the first older generation and renames the older ones by one number, so that `keep` files are left
/// once `path` is replaced. No effect if it was called before and `path` was not replaced since. On file systems
/// without hard links `path` itself is renamed. Throws environment_error.
void rotate_generations(const std::filesystem::path& path, int keep);

}  // namespace wavegrid
