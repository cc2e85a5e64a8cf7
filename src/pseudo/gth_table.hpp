// Reads tables of Goedecker-Teter-Hutter pseudopotentials: those in python/wavegrid/data, or a user's own.
//
// The format is plain text in bohr and Hartree. '#' starts a comment; blank lines and indentation are ignored:
//
//   functional lda                     optional, before the first entry: the functional of the table
//   Al q3                              starts an entry: element symbol and valence charge
//     electrons 2 1                    of the neutral atom, per l = 0, 1, ...; the sum is the valence charge
//     local 0.45 -8.49135116           r_loc, then C_1 to at most C_4
//     nonlocal s 0.46 5.08 -1.03 2.67  l as s, p, d or f; r_l; the upper triangle of h_ij row by row:
//     nonlocal p 0.53 2.19             h11 | h11 h12 h22 | h11 h12 h13 h22 h23 h33
//   end                                ends the table; without it a table that is cut short would be valid
//
// `electrons` and `local` are required, there is one line `nonlocal` for each channel (none for H).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <wavegrid/pseudo/gth_potential.hpp>
#include <wavegrid/pseudo/text_file.hpp>

namespace wavegrid {

/// A table of pseudopotentials, several valences per element. Reads in the constructor and is constant afterwards.
class GthTable {
 public:
  /// Throws bad_input for a file that cannot be read or has an error, with file, line, the text found and valid input.
  explicit GthTable(const std::filesystem::path& file) : GthTable(TextFile(file)) {}
  explicit GthTable(const TextFile& file);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// The functional of the table, as written ("lda", "pbe"); empty if the file does not name one.
  [[nodiscard]] const std::string& functional() const { return functional_; }
  [[nodiscard]] std::vector<std::string> elements() const;                   ///< in alphabetical order
  [[nodiscard]] std::vector<int> entries(const std::string& element) const;  ///< valences, ascending; empty: none

  /// The potential of `element` with the given valence, otherwise with the smallest available one. It exists as long as
  /// the table. Throws bad_input with the nearest elements or the available valences.
  [[nodiscard]] const GthPotential& find(const std::string& element, std::optional<int> valence = {}) const;

 private:
  std::filesystem::path file_;
  std::string functional_;
  std::map<std::string, std::map<int, GthPotential>> potentials_;  // by element, then valence
};

}  // namespace wavegrid
