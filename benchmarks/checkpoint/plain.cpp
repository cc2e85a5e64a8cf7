#include "plain.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "checkpoint/raw_file.hpp"

namespace wavegrid::bench {

namespace {

// The fastest sizes of each direction: short pieces, as in cp, are written faster, long ones are read faster.
constexpr Index written_at_once = Index{128} << 10, read_at_once = Index{8} << 20;

}  // namespace

void write_plainly(const std::filesystem::path& path, Index bytes) {
  const std::vector<char> data(static_cast<std::size_t>(written_at_once), 'w');
  RawFile file = RawFile::create(path);
  for (Index at = 0; at < bytes; at += written_at_once)
    file.write(at, data.data(), std::min(written_at_once, bytes - at));
  file.sync();
}

void read_plainly(const std::filesystem::path& path, Index bytes) {
  std::vector<char> data(static_cast<std::size_t>(read_at_once));
  const RawFile file = RawFile::for_reading(path);
  for (Index at = 0; at < bytes; at += read_at_once) file.read(at, data.data(), std::min(read_at_once, bytes - at));
}

void drop_from_cache(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
}

}  // namespace wavegrid::bench
