// What the disk gives to one process that writes or reads a file from one end to the other.
#pragma once

#include <filesystem>

#include "base/index.hpp"

namespace wavegrid::bench {

/// Makes a file of so many bytes by plain writes, and returns when they are on the disk. Throws environment_error.
void write_plainly(const std::filesystem::path& path, Index bytes);
/// Reads it by plain reads. Throws environment_error, bad_input where it is shorter.
void read_plainly(const std::filesystem::path& path, Index bytes);
/// Takes a file that is on the disk out of the system's cache, so that a read has to go there.
void drop_from_cache(const std::filesystem::path& path);

}  // namespace wavegrid::bench
