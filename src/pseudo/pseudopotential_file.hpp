// Reads pseudopotential files of other programs; the format is recognised by the content, not by the file name.
//
//   UPF 1 and 2        pw.x and many generators (ONCVPSP, PseudoDojo, SG15, GBRV, pslibrary, SSSP, atompaw)
//   PAW XML            ABINIT, atompaw (JTH) and GPAW
//   psp8               ABINIT, ONCVPSP, PseudoDojo
//   HGH, GTH           ABINIT's pspcod 3 and 10 (pw.x reads these too)
//   GTH (CP2K)         many entries in one file, chosen by element, name and valence
//   our own table      gth_table.hpp
//
// Files may be compressed by gzip. Rejected with a message: meta-GGA, semilocal and bare Coulomb potentials. Fully
// relativistic ultrasoft and PAW datasets are read, but no calculation uses them yet.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <wavegrid/pseudo/pseudopotential.hpp>
#include <wavegrid/pseudo/text_file.hpp>

namespace wavegrid {

/// Selects an entry of a file: needed if the file has several for one element.
struct PseudopotentialChoice {
  std::string element;              ///< symbol; a file for another element is refused
  std::optional<int> valence = {};  ///< valence electrons; without it any, or the smallest in tables of gth_table.hpp
  std::string name = {};            ///< an entry of a CP2K file, such as GTH-PBE or GTH-PBE-q3
  /// Keep the spin-orbit term of a fully relativistic file; otherwise what is left is its average over j, the scalar
  /// relativistic potential.
  bool spin_orbit = false;
};

struct PseudopotentialFile {
  std::shared_ptr<const Pseudopotential> potential;
  std::string format;      ///< "UPF 2", "psp8", "GTH (CP2K)", ...
  std::string functional;  ///< of the potential: libxc names joined by + if they are known, otherwise the text of
                           ///< the file; empty if the file has none
  std::size_t line = 1;    ///< where the potential begins, for messages
  bool fully_relativistic = false;  ///< whether the file has a spin-orbit term
};

/// Reads one potential or dataset of any kind (Pseudopotential::augmented()); one that this process has read and that
/// has not changed since is not read again. Throws bad_input with file and line, what was found and what is valid.
[[nodiscard]] PseudopotentialFile read_any_pseudopotential_file(const std::filesystem::path& file,
                                                                const PseudopotentialChoice& choice);
[[nodiscard]] PseudopotentialFile read_any_pseudopotential_file(const TextFile& file,
                                                                const PseudopotentialChoice& choice);

/// The same for calculations: throws bad_input for a fully relativistic ultrasoft or PAW dataset.
[[nodiscard]] PseudopotentialFile read_pseudopotential_file(const std::filesystem::path& file,
                                                            const PseudopotentialChoice& choice);
[[nodiscard]] PseudopotentialFile read_pseudopotential_file(const TextFile& file, const PseudopotentialChoice& choice);

/// Returns the potential alone.
[[nodiscard]] std::shared_ptr<const Pseudopotential> read_pseudopotential(const std::filesystem::path& file,
                                                                          const std::string& element,
                                                                          std::optional<int> valence = {},
                                                                          const std::string& name = {},
                                                                          bool spin_orbit = false);

}  // namespace wavegrid
