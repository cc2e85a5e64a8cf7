#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/checkpoint/raw_file.hpp>

namespace wavegrid {

namespace {

[[noreturn]] void refuse(const std::string& verb, const std::filesystem::path& path) {
  throw environment_error("cannot " + verb + " " + path.string() + ": " + std::strerror(errno));
}

}  // namespace

RawFile::RawFile(const std::filesystem::path& path, int flags)
    : path_(path), descriptor_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) refuse(flags == O_RDONLY ? "read" : "write", path_);
}

RawFile RawFile::create(const std::filesystem::path& path) { return {path, O_WRONLY | O_CREAT | O_EXCL}; }
RawFile RawFile::for_writing(const std::filesystem::path& path) { return {path, O_WRONLY}; }
RawFile RawFile::for_reading(const std::filesystem::path& path) { return {path, O_RDONLY}; }

RawFile::RawFile(RawFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

RawFile::~RawFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void RawFile::write(Index offset, const void* data, Index bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = pwrite(descriptor_, from, static_cast<size_t>(bytes), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = ENOSPC;
    if (done <= 0) refuse("write", path_);
    from += done, offset += done, bytes -= done;
  }
}

void RawFile::write_through(Index offset, const void* data, Index bytes) {
  write(offset, data, bytes);
#ifdef SYNC_FILE_RANGE_WRITE
  sync_file_range(descriptor_, offset, bytes, SYNC_FILE_RANGE_WRITE);  // a hint; sync() reports failures
#endif
}

void RawFile::read(Index offset, void* data, Index bytes) const {
  char* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = pread(descriptor_, to, static_cast<size_t>(bytes), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse("read", path_);
    if (done == 0) throw bad_input("checkpoint " + path_.string() + " is cut off at byte " + std::to_string(offset));
    to += done, offset += done, bytes -= done;
  }
}

void RawFile::prefetch(Index offset, Index bytes) const {
#ifdef POSIX_FADV_WILLNEED
  posix_fadvise(descriptor_, offset, bytes, POSIX_FADV_WILLNEED);
#endif
}

void RawFile::set_length(Index bytes) {
  if (ftruncate(descriptor_, bytes) != 0) refuse("write", path_);
}

void RawFile::sync() {
  if (fsync(descriptor_) != 0) refuse("write", path_);
}

void DeferredError::run(const std::function<void()>& work) {
  if (error_) return;
  try {
    work();
  } catch (...) {
    error_ = std::current_exception();
  }
}

}  // namespace wavegrid
