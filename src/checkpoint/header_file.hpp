// The part of reading that one rank does: header tables and the offsets of all other arrays.
#pragma once

#include <filesystem>
#include <vector>

#include <wavegrid/checkpoint/file_layout.hpp>
#include <wavegrid/checkpoint/header_tables.hpp>

namespace wavegrid {

/// The dataset with the number of G-vectors of each k-point.
inline constexpr const char* waves_name = "/mf_header/kpoints/ngk";

/// What rank 0 sends to the others.
struct HeaderFile {
  std::vector<Table> tables;  ///< from which header_from() and layout_from() make their values
  Offsets offsets;            ///< of all bulk arrays, whose shapes have been compared with the header
};

/// Not collective, no MPI. Throws bad_input if the file is no checkpoint or is damaged, environment_error if the system
/// cannot read it.
[[nodiscard]] HeaderFile read_header_file(const std::filesystem::path& path);

/// The layout of the bulk arrays, without offsets. Throws bad_input, naming `file`, if a k-point has no G-vectors, or
/// more than the grid.
[[nodiscard]] FileLayout layout_from(const CheckpointHeader& header, const TableSource& read, const std::string& file);

}  // namespace wavegrid
