#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/checkpoint/checkpoint_file.hpp>
#include <wavegrid/checkpoint/table.hpp>

namespace wavegrid {

namespace {

constexpr double largest_number = 1e15;  // its square fits single precision

}  // namespace

void CheckpointFile::open(bool active, bool for_writing) {
  if (!active || raw) return;
  errors.run([&] { raw.emplace(for_writing ? RawFile::for_writing(path) : RawFile::for_reading(path)); });
}

void CheckpointFile::write_block(const FileLayout::BlockOffsets& place, const void* data, Index size) {
  errors.run([&] {
    const std::uint64_t sum = checksum(data, size);
    raw->write_through(place.values, data, size);
    raw->write(place.checksum, &sum, sizeof sum);
    bytes += size + static_cast<Index>(sizeof sum);
  });
}

void CheckpointFile::prefetch(const FileLayout::BlockOffsets& place, Index size) const {
  if (raw) raw->prefetch(place.values, size);
}

void CheckpointFile::read_block(const FileLayout::BlockOffsets& place, void* data, Index size,
                                const std::string& what) {
  errors.run([&] {
    std::uint64_t sum = 0;
    raw->read(place.checksum, &sum, sizeof sum);
    raw->read(place.values, data, size);
    bytes += size + static_cast<Index>(sizeof sum);
    if (sum != checksum(data, size))
      throw bad_input("checkpoint " + path.string() + " is damaged: the checksum of " + what + " does not fit");
  });
}

void CheckpointFile::read_numbers(const FileLayout::BlockOffsets& place, std::span<double> data,
                                  const std::string& what) {
  read_block(place, data.data(), static_cast<Index>(data.size_bytes()), what);
  errors.run([&] {
    const auto wrong =
        std::find_if(data.begin(), data.end(), [](double x) { return !(std::abs(x) <= largest_number); });
    if (wrong == data.end()) return;
    throw bad_input("checkpoint " + path.string() + ": " + what + " contains " + to_text(*wrong) +
                    "; such a calculation cannot be continued");
  });
}

void CheckpointFile::read_gvecs(const FileLayout::BlockOffsets& place, std::span<Int3> data, const std::string& what) {
  read_block(place, data.data(), static_cast<Index>(data.size_bytes()), what);
  errors.run([&] {
    const auto refuse = [&](const Int3& g, const std::string& why) {
      throw bad_input("checkpoint " + path.string() + ": " + what + " contains (" + std::to_string(g[0]) + ", " +
                      std::to_string(g[1]) + ", " + std::to_string(g[2]) + "), which is " + why);
    };
    const auto before = [](const Int3& a, const Int3& b) {
      return std::tie(a[2], a[1], a[0]) < std::tie(b[2], b[1], b[0]);
    };
    for (std::size_t n = 0; n < data.size(); ++n) {
      for (std::size_t i = 0; i < 3; ++i)
        if (std::abs(Index{data[n][i]}) > layout.grid()[i] / 2) refuse(data[n], "outside the grid");
      if (n > 0 && !before(data[n - 1], data[n])) refuse(data[n], "not in the order of gz, gy, gx");
    }
  });
}

}  // namespace wavegrid
