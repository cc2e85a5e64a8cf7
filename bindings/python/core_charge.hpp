// The density of core electrons, for files of other programs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The core density of an entry of a pseudopotential file at radii from 0 on, electrons/bohr^3: the all-electron one of
/// a PAW dataset, else the partial one of the nonlinear core correction; none without one. Throws bad_input for a file
/// that cannot be read.
[[nodiscard]] std::optional<std::pair<std::vector<double>, std::vector<double>>> core_charge(const std::string& file,
                                                                                             const std::string& element,
                                                                                             std::optional<int> valence,
                                                                                             const std::string& name);
