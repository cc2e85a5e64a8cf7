// Translates functional names in pseudopotential files to libxc names.
#pragma once

#include <string>

namespace wavegrid {

/// "SLA PZ NOGX NOGC" or "PBE" of a UPF file; unknown names are returned with single blanks between the words.
[[nodiscard]] std::string upf_functional(const std::string& name);

/// ABINIT's ixc: a small positive number, or minus libxc's numbers in groups of three digits.
[[nodiscard]] std::string ixc_functional(int ixc);

/// "PBE", "PW" or names of libxc in a PAW XML file; unknown names are returned as they are.
[[nodiscard]] std::string paw_xml_functional(const std::string& name);

/// "GTH-PADE-q3" of a CP2K file; empty for unknown names.
[[nodiscard]] std::string gth_functional(const std::string& name);

}  // namespace wavegrid
