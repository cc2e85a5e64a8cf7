// The shells of a crystal with an energy of DFT+U, and their occupation matrices in the matrices of a density.
#pragma once

#include <vector>

#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>

namespace wavegrid {

/// A shell of an atom.
struct AtomShell {
  std::size_t atom;
  HubbardShell shell;
};
/// In the order of the atoms, and of the orbitals of each. Pure.
[[nodiscard]] inline std::vector<AtomShell> hubbard_shells(const Crystal& crystal, const Pseudopotentials& atoms) {
  std::vector<AtomShell> shells;
  for (std::size_t a = 0; a < crystal.atoms.size(); ++a)
    for (const HubbardShell& shell : atoms[static_cast<std::size_t>(crystal.atoms[a].species)]->hubbard())
      shells.push_back({a, shell});
  return shells;
}

/// n of spin up and of spin down, from the components of a density. Pure.
[[nodiscard]] inline std::vector<Matrix<std::complex<double>>> occupation_matrices(const AtomShell& of,
                                                                                   const SpinMatrices& components) {
  const Index size = of.shell.size(), first = of.shell.first;
  std::vector<Matrix<std::complex<double>>> n(2, Matrix<std::complex<double>>(size, size));
  for (Index j = 0; j < size; ++j)
    for (Index i = 0; i < size; ++i) {
      const auto element = [&](std::size_t c) { return components[c][of.atom](first + i, first + j); };
      const std::complex<double> total = element(0), moment = components.size() == 2 ? element(1) : 0.0;
      n[0](i, j) = 0.5 * (total + moment);
      n[1](i, j) = 0.5 * (total - moment);
    }
  return n;
}

}  // namespace wavegrid
