// Files that are either whole or not there: written under another name, then renamed; with older generations kept.
#pragma once

#include <filesystem>

namespace wavegrid {

/// The place where a file is made before it takes its name: beside it, hidden, and with another ending
/// (".checkpoint.h5.<token>.partial"). Used on one rank.
class PartialFile {
 public:
  /// Removes what runs that were killed have left for the same target. Throws environment_error where the directory
  /// cannot be written, bad_input where the target is a directory.
  explicit PartialFile(std::filesystem::path target);
  /// Removes the file unless it has been published.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Marks the file as being written, so that others let it be; once it is there.
  void claim();
  /// Gives the file, which is whole and on the disk, the target's name; before, `keep` - 1 older generations move on
  /// (rotate_generations). A kill at any moment leaves a whole file under the target's name, if there was one.
  void publish(int keep = 1);

 private:
  std::filesystem::path target_, path_;
  int lock_ = -1;
};

/// The name of an older generation: checkpoint.1.h5 of checkpoint.h5.
[[nodiscard]] std::filesystem::path generation(const std::filesystem::path& path, int number);

/// Makes `path` its own first older generation as well, path itself staying where it is, and moves those before on,
/// so that `keep` files are left once `path` is replaced. Does nothing where it was done and `path` not replaced since.
/// On file systems without hard links `path` itself moves. Throws environment_error.
void rotate_generations(const std::filesystem::path& path, int keep);

}  // namespace wavegrid
