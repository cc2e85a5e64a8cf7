#include "checkpoint/checkpoint_file.hpp"

#include "base/error.hpp"
#include "checkpoint/table.hpp"

namespace wavegrid {

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

}  // namespace wavegrid
