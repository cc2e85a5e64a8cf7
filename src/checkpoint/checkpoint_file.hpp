// A checkpoint file opened by one rank: blocks and their checksums at given offsets.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <wavegrid/checkpoint/aggregators.hpp>
#include <wavegrid/checkpoint/file_layout.hpp>
#include <wavegrid/checkpoint/raw_file.hpp>

namespace wavegrid {

/// The file on one rank: path, layout, descriptor and the first error.
struct CheckpointFile {
  std::filesystem::path path;
  const FileLayout& layout;
  std::optional<RawFile> raw{};  ///< on aggregators
  DeferredError errors{};
  Index bytes = 0;  ///< read and written by this rank

  /// Opens the file if this rank is an aggregator (`active`) and the file is not open yet.
  void open(bool active, bool for_writing);
  /// Writes one block and its checksum; errors are deferred.
  void write_block(const FileLayout::BlockOffsets& place, const void* data, Index size);
  /// A hint that the block will be read soon.
  void prefetch(const FileLayout::BlockOffsets& place, Index size) const;
  /// Reads one block and compares its checksum; errors, which name the block as `what`, are deferred.
  void read_block(const FileLayout::BlockOffsets& place, void* data, Index size, const std::string& what);
  /// The same for numbers, which have to be finite and far from overflow in sums of their squares.
  void read_numbers(const FileLayout::BlockOffsets& place, std::span<double> data, const std::string& what);
  /// The same for G-vectors, which have to be in the grid, each once, by rising gz, then gy, then gx.
  void read_gvecs(const FileLayout::BlockOffsets& place, std::span<Int3> data, const std::string& what);
};

}  // namespace wavegrid
