// A checkpoint file as one rank has it open: blocks with their checksums at their places.
#pragma once

#include <optional>
#include <string>

#include "checkpoint/aggregators.hpp"
#include "checkpoint/file_layout.hpp"
#include "checkpoint/raw_file.hpp"

namespace wavegrid {

/// What ranks that exchange blocks with the file need to know.
struct CheckpointFile {
  std::filesystem::path path;
  const FileLayout& layout;
  std::optional<RawFile> raw{};  ///< on aggregators
  Deferred errors{};
  Index bytes = 0;  ///< that this rank has moved to or from the file

  /// Opens it where this rank is an aggregator and it is not open yet.
  void open(bool active, bool for_writing);
  /// Writes one block and its checksum; errors are deferred.
  void write_block(const FileLayout::Place& place, const void* data, Index size);
  /// A hint that the block will be read soon.
  void prefetch(const FileLayout::Place& place, Index size) const;
  /// Reads one block and compares its checksum; errors, which name it `what`, are deferred.
  void read_block(const FileLayout::Place& place, void* data, Index size, const std::string& what);
};

}  // namespace wavegrid
