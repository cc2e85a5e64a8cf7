// Converts a header to the tables of the group /wavegrid, and back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <wavegrid/checkpoint/checkpoint_header.hpp>
#include <wavegrid/checkpoint/table.hpp>

namespace wavegrid {

/// The newest version of the format; all are read. Files of spinors are of version 4, and with a magnetic space group,
/// whose operations may have time reversal, of version 5; with the matrices of atoms of version 6, which lists time
/// reversal, too. Other files of ultrasoft and PAW datasets, with these matrices, are of version 3, those with a
/// kinetic-energy density of version 2, others of version 1.
inline constexpr int format_version = 6;
inline constexpr const char* format_name = "wavegrid checkpoint";

using TableSource = std::function<Table(const TableRequest&)>;

/// Pure.
[[nodiscard]] std::vector<Table> make_header_tables(const CheckpointHeader& header);
/// The header from the tables that `read` returns; `read` throws if one is missing or has another shape. Throws
/// bad_input, naming `file`, for values that are not valid.
[[nodiscard]] CheckpointHeader header_from(const TableSource& read, const std::string& file);

}  // namespace wavegrid
