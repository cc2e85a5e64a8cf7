#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/checkpoint/atomic_file.hpp>

namespace wavegrid {

namespace fs = std::filesystem;

namespace {

const std::string ending = ".partial";

[[noreturn]] void refuse(const fs::path& path) {
  throw environment_error("cannot write " + path.string() + ": " + std::strerror(errno));
}

void rename_to(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) refuse(to);
}

fs::path parent_directory(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// A new name of a file is on the disk only after its directory has been written to the disk.
void sync_directory(const fs::path& path) {
  const int directory = open(parent_directory(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) refuse(parent_directory(path));
  const bool done = fsync(directory) == 0 || errno == EINVAL;  // some file systems do not support it, nor need it
  close(directory);
  if (!done) refuse(parent_directory(path));
}

std::string token() {
  std::random_device random;
  return std::to_string(getpid()) + "-" + std::to_string(random() % 1000000);
}

fs::path partial_name(const fs::path& target, const std::string& middle) {
  return parent_directory(target) / ("." + target.filename().string() + "." + middle + ending);
}

bool is_partial_of(const fs::path& target, const fs::path& file) {
  const std::string start = "." + target.filename().string() + ".", name = file.filename().string();
  return name.starts_with(start) && name.ends_with(ending) && name.size() > start.size() + ending.size();
}

/// Files that another run is writing are locked by it, and are kept.
void remove_abandoned(const fs::path& target) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent_directory(target), ignored)) {
    if (!is_partial_of(target, entry.path())) continue;
    // Partial files are regular: links are not followed, and a pipe must not block.
    const int file = open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) fs::remove(entry.path(), ignored);
    close(file);
  }
}

/// The number of the first older generation that does not exist, at most that of the last one that is kept.
int free_generation(const fs::path& path, int keep) {
  int number = 1;
  while (number < keep - 1 && fs::exists(generation(path, number))) ++number;
  return number;
}

}  // namespace

PartialFile::PartialFile(fs::path target) : target_(std::move(target)), path_(partial_name(target_, token())) {
  std::error_code ignored;
  if (fs::is_directory(target_, ignored))
    throw bad_input("checkpoint " + target_.string() + " is a directory; give the name of a file");
  if (!fs::is_directory(parent_directory(target_), ignored))
    throw environment_error("cannot write checkpoint " + target_.string() + ": there is no directory " +
                            parent_directory(target_).string());
  remove_abandoned(target_);
}

PartialFile::~PartialFile() {
  if (!path_.empty()) unlink(path_.c_str());
  unlock();
}

void PartialFile::lock() {
  lock_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (lock_ >= 0) flock(lock_, LOCK_EX | LOCK_NB);
}

void PartialFile::publish(int keep) {
  rotate_generations(target_, keep);
  rename_to(path_, target_);
  path_.clear();
  unlock();
  sync_directory(target_);
}

void PartialFile::unlock() {
  if (lock_ >= 0) close(lock_);
  lock_ = -1;
}

fs::path generation(const fs::path& path, int number) {
  return parent_directory(path) / (path.stem().string() + "." + std::to_string(number) + path.extension().string());
}

void rotate_generations(const fs::path& path, int keep) {
  std::error_code none;
  const fs::path first = generation(path, 1);
  if (keep < 2 || !fs::exists(path) || fs::equivalent(path, first, none)) return;
  for (int number = free_generation(path, keep); number > 1; --number)
    rename_to(generation(path, number - 1), generation(path, number));
  // A hard link to the newest file replaces the first older generation in one atomic step.
  const fs::path second_name = partial_name(path, "link-" + token());
  if (link(path.c_str(), second_name.c_str()) == 0)
    rename_to(second_name, first);
  else
    rename_to(path, first);
  sync_directory(path);
}

}  // namespace wavegrid
