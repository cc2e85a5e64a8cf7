// The speed of the disk for one process that writes or reads a file sequentially.
#pragma once

#include <filesystem>

#include "base/index.hpp"

namespace wavegrid::bench {

/// Writes a file of that many bytes, and returns when they are on the disk. Throws environment_error.
void write_plainly(const std::filesystem::path& path, Index bytes);
/// Reads it by plain reads. Throws environment_error, bad_input where it is shorter.
void read_plainly(const std::filesystem::path& path, Index bytes);
/// Removes a file from the cache of the system, so that a read has to use the disk.
void drop_from_cache(const std::filesystem::path& path);

}  // namespace wavegrid::bench
