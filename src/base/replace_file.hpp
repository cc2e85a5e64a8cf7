#pragma once

#include <filesystem>
#include <string>

namespace wavegrid {

/// Replaces `file` by `text` at once, or leaves it as it is; returns whether that worked. The unfinished file is a new
/// one with a random name in the same folder: no link of that name is followed.
[[nodiscard]] bool replace_file(const std::filesystem::path& file, const std::string& text);

}  // namespace wavegrid
