#include "plain.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "checkpoint/raw_file.hpp"

namespace wavegrid::bench {

namespace {

constexpr Index piece = Index{8} << 20;

}  // namespace

void write_plainly(const std::filesystem::path& path, Index bytes) {
  const std::vector<char> data(static_cast<std::size_t>(piece), 'w');
  RawFile file = RawFile::create(path);
  for (Index at = 0; at < bytes; at += piece) file.write(at, data.data(), std::min(piece, bytes - at));
  file.sync();
}

void read_plainly(const std::filesystem::path& path, Index bytes) {
  std::vector<char> data(static_cast<std::size_t>(piece));
  const RawFile file = RawFile::for_reading(path);
  for (Index at = 0; at < bytes; at += piece) file.read(at, data.data(), std::min(piece, bytes - at));
}

void drop_from_cache(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
}

}  // namespace wavegrid::bench
