// Reads pseudopotential files of other programs; the format is recognised by content, never by the file's name.
//
//   UPF 1 and 2        pw.x and many generators (ONCVPSP, PseudoDojo, SG15); norm-conserving and separable only
//   psp8               ABINIT, ONCVPSP, PseudoDojo
//   HGH, GTH           ABINIT's pspcod 3 and 10 (pw.x reads these too)
//   GTH (CP2K)         many entries in one file, chosen by element, name and valence
//   our own table      gth_table.hpp
//
// Refused by name: ultrasoft, PAW, spin-orbit, meta-GGA, semilocal and bare Coulomb potentials.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "atoms/pseudopotential.hpp"

namespace wavegrid {

/// Which of a file's entries: needed where a file has several for one element.
struct PseudopotentialChoice {
  std::string element;              ///< symbol; a file for another element is refused
  std::optional<int> valence = {};  ///< valence electrons; without it any, and our own tables give their smallest
  std::string name = {};            ///< an entry of a CP2K file, such as GTH-PBE or GTH-PBE-q3
};

struct PseudopotentialFile {
  std::shared_ptr<const Pseudopotential> potential;
  std::string format;      ///< "UPF 2", "psp8", "GTH (CP2K)", ...
  std::string functional;  ///< what the potential was made with: libxc names joined by + where we know them, else as
                           ///< in the file; empty where the file names none
};

/// Reads one potential. Throws bad_input with file and line, what was found and what is valid.
[[nodiscard]] PseudopotentialFile read_pseudopotential_file(const std::filesystem::path& file,
                                                            const PseudopotentialChoice& choice);

/// Its potential alone.
[[nodiscard]] std::shared_ptr<const Pseudopotential> read_pseudopotential(const std::filesystem::path& file,
                                                                          const std::string& element,
                                                                          std::optional<int> valence = {},
                                                                          const std::string& name = {});

}  // namespace wavegrid
