// Unit conversions (CODATA 2018). Inside wavegrid everything is in Hartree atomic units; convert only on input and
// output.
#pragma once

#include <numbers>

namespace wavegrid::units {

inline constexpr double pi = std::numbers::pi;
inline constexpr double bohr_in_angstrom = 0.529177210903;
inline constexpr double rydberg = 0.5;  // Ha
inline constexpr double hartree_in_ev = 27.211386245988;

}  // namespace wavegrid::units
