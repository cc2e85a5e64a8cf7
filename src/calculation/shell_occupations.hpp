// The occupation matrices of the shells of DFT+U, for results.
#pragma once

#include <string>
#include <vector>

#include <wavegrid/terms/hubbard_shells.hpp>

namespace wavegrid {

/// Of one atom.
struct ShellOccupations {
  std::size_t atom = 0;
  std::string shell;
  std::vector<std::vector<std::vector<double>>> matrices{};  ///< of each spin, or of one of two equal spins, by rows
  std::vector<std::vector<double>> eigenvalues{};            ///< of these, rising
};

/// In the order of the atoms; empty without DFT+U. `components`: the matrices of a density. Pure.
[[nodiscard]] std::vector<ShellOccupations> shell_occupations(const Crystal& crystal, const Pseudopotentials& atoms,
                                                              const SpinMatrices& components);

}  // namespace wavegrid
