// Plain sequential writing and reading of a file by one process: the reference.
#pragma once

#include <filesystem>

#include <wavegrid/base/index.hpp>

namespace wavegrid::bench {

/// Writes a file of that many bytes by plain writes, and returns when they are on the disk. Throws environment_error.
void write_plainly(const std::filesystem::path& path, Index bytes);
/// Reads it by plain reads. Throws environment_error, or bad_input if it is shorter.
void read_plainly(const std::filesystem::path& path, Index bytes);
/// Removes a file that is on the disk from the cache of the system, so that a read uses the disk.
void drop_from_cache(const std::filesystem::path& path);

}  // namespace wavegrid::bench
