// The occupation matrices of a shell as hubbard_energy.hpp takes them.
#pragma once

#include <vector>

#include <wavegrid/terms/hubbard_shells.hpp>

namespace wavegrid {

/// n of spin up and of spin down, or of spinors N and the three parts of M, from the components of a density. Pure.
[[nodiscard]] inline std::vector<Matrix<std::complex<double>>> shell_components(const AtomShell& of,
                                                                                const SpinMatrices& components) {
  if (components.size() < 4) return occupation_matrices(of, components);
  const Index size = of.shell.size(), first = of.shell.first;
  std::vector<Matrix<std::complex<double>>> n(4, Matrix<std::complex<double>>(size, size));
  for (std::size_t c = 0; c < n.size(); ++c)
    for (Index j = 0; j < size; ++j)
      for (Index i = 0; i < size; ++i) n[c](i, j) = components[c][of.atom](first + i, first + j);
  return n;
}

}  // namespace wavegrid
