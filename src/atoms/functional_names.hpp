// Translates functional names in pseudopotential files to libxc names.
#pragma once

#include <string>

namespace wavegrid {

/// "SLA PZ NOGX NOGC" or "PBE" of a UPF file; unknown names are returned with single blanks between the words.
[[nodiscard]] std::string functional_of_upf(const std::string& name);

/// ABINIT's ixc: a small positive number, or minus libxc's numbers in groups of three digits.
[[nodiscard]] std::string functional_of_ixc(int ixc);

/// "GTH-PADE-q3" of a CP2K file; empty for unknown names.
[[nodiscard]] std::string functional_of_gth(const std::string& name);

}  // namespace wavegrid
