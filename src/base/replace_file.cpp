#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include <wavegrid/base/replace_file.hpp>

namespace wavegrid {

namespace {

bool write_new(const char* path, const std::string& text) {
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t done = write(descriptor, text.data() + written, text.size() - written);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;
    written += static_cast<std::size_t>(done);
  }
  return close(descriptor) == 0 && written == text.size();
}

}  // namespace

bool replace_file(const std::filesystem::path& file, const std::string& text) {
  std::random_device random;
  const std::filesystem::path unfinished = file.string() + "." + std::to_string(random()) + ".partial";
  std::error_code failed, ignored;
  const bool written = write_new(unfinished.c_str(), text);
  if (written) std::filesystem::rename(unfinished, file, failed);
  if (!written || failed) std::filesystem::remove(unfinished, ignored);
  return written && !failed;
}

}  // namespace wavegrid
