// Converts a header to the tables of the group /wavegrid, and back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_header.hpp"
#include "checkpoint/table.hpp"

namespace wavegrid {

/// The version of the format that is written, and the newest that is read.
inline constexpr int format_version = 1;
inline constexpr const char* format_name = "wavegrid checkpoint";

using TableSource = std::function<Table(const TableRequest&)>;

/// Pure.
[[nodiscard]] std::vector<Table> tables_of(const CheckpointHeader& header);
/// The header from the tables that `read` returns; `read` throws if one is missing or has another shape. Throws
/// bad_input, naming `file`, for values that are not valid.
[[nodiscard]] CheckpointHeader header_from(const TableSource& read, const std::string& file);

}  // namespace wavegrid
