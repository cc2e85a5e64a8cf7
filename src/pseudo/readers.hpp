// One reader per file format; read_pseudopotential_file chooses among them.
#pragma once

#include <optional>
#include <string>

#include <wavegrid/pseudo/gth_potential.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>
#include <wavegrid/pseudo/radial_potential.hpp>
#include <wavegrid/pseudo/text_file.hpp>

namespace wavegrid {

/// Data read from a file, and the line to report in errors.
struct RadialFile {
  RadialData data;
  std::string format, functional;
  std::size_t line = 1;
};

/// Unified Pseudopotential Format, versions 1 (tags without attributes) and 2, of Quantum ESPRESSO; Rydberg units.
[[nodiscard]] bool looks_like_upf(const TextFile& file);
[[nodiscard]] RadialFile read_upf(const TextFile& file);

/// PAW XML of ABINIT, atompaw and GPAW (https://gpaw.readthedocs.io/setups/pawxml.html); Hartree units.
[[nodiscard]] bool looks_like_paw_xml(const TextFile& file);
[[nodiscard]] RadialFile read_paw_xml(const TextFile& file);

/// ABINIT's format number, pspcod, if the file has ABINIT's three header lines.
[[nodiscard]] std::optional<int> abinit_format(const TextFile& file);
/// ABINIT's pspcod 8: D. R. Hamann, Phys. Rev. B 88, 085117 (2013), 10.1103/PhysRevB.88.085117.
[[nodiscard]] RadialFile read_psp8(const TextFile& file);

/// Parameters read, their functional, and the line where the entry starts.
struct GthFile {
  GthParameters parameters;
  std::string format, functional;
  std::size_t line = 1;
};

/// ABINIT's pspcod 3 (Hartwigsen, Goedecker, Hutter: off-diagonal couplings follow from the diagonal) and 10 (all
/// couplings given), with the spin-orbit couplings k_ij where they are not 0.
[[nodiscard]] GthFile read_abinit_gth(const TextFile& file, int format);

/// A database of CP2K: entries "Al GTH-PADE-q3 GTH-LDA-q3 ..." with numbers below.
[[nodiscard]] bool looks_like_cp2k(const TextFile& file);
[[nodiscard]] GthFile read_cp2k(const TextFile& file, const PseudopotentialChoice& choice);

}  // namespace wavegrid
