#include "plain.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include <wavegrid/checkpoint/raw_file.hpp>

namespace wavegrid::bench {

namespace {

// The fastest sizes: short pieces, as cp uses them, for writing, long ones for reading.
constexpr Index write_size = Index{128} << 10, read_size = Index{8} << 20;

}  // namespace

void write_plainly(const std::filesystem::path& path, Index bytes) {
  const std::vector<char> data(static_cast<std::size_t>(write_size), 'w');
  RawFile file = RawFile::create(path);
  for (Index at = 0; at < bytes; at += write_size) file.write(at, data.data(), std::min(write_size, bytes - at));
  file.sync();
}

void read_plainly(const std::filesystem::path& path, Index bytes) {
  std::vector<char> data(static_cast<std::size_t>(read_size));
  const RawFile file = RawFile::for_reading(path);
  for (Index at = 0; at < bytes; at += read_size) file.read(at, data.data(), std::min(read_size, bytes - at));
}

void drop_from_cache(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
}

}  // namespace wavegrid::bench
