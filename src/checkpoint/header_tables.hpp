// A header as the tables of the group /wavegrid, and back.
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

/// A table of the file being read: a name, a type, and a shape that has to be found, -1 for any number.
struct WantedTable {
  std::string name;
  ElementType type;
  std::vector<Index> shape{};
};
using TableSource = std::function<Table(const WantedTable&)>;

/// Pure.
[[nodiscard]] std::vector<Table> tables_of(const CheckpointHeader& header);
/// The header made of the tables that `read` gives; `read` throws where one is missing or of another shape. Throws
/// bad_input, naming `file`, where what they say cannot be.
[[nodiscard]] CheckpointHeader header_from(const TableSource& read, const std::string& file);

}  // namespace wavegrid
