#include <zlib.h>

#include <memory>

#include <wavegrid/pseudo/gunzip.hpp>

namespace wavegrid {

bool is_gzip(const std::string& contents) { return contents.starts_with("\x1f\x8b"); }

std::optional<std::string> gunzip(const std::string& contents, std::size_t most) {
  constexpr int gzip_format = 16 + MAX_WBITS;
  constexpr std::size_t piece = std::size_t{1} << 18;
  z_stream stream = {};
  if (inflateInit2(&stream, gzip_format) != Z_OK) return std::nullopt;
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, inflateEnd);
  std::string input(contents), text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  for (int state = Z_OK; state != Z_STREAM_END;) {
    const std::size_t done = text.size();
    if (done > most) return std::nullopt;
    text.resize(done + piece);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + done);
    stream.avail_out = static_cast<uInt>(piece);
    state = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END) return std::nullopt;
    text.resize(done + piece - stream.avail_out);
  }
  return text.size() > most ? std::nullopt : std::optional(std::move(text));
}

}  // namespace wavegrid
