// Files compressed by gzip, such as GPAW's datasets.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace wavegrid {

/// Whether a file begins as gzip's do.
[[nodiscard]] bool is_gzip(const std::string& contents);

/// The decompressed contents; nothing for a damaged or cut file, or one of more than `most` bytes.
[[nodiscard]] std::optional<std::string> gunzip(const std::string& contents, std::size_t most);

}  // namespace wavegrid
