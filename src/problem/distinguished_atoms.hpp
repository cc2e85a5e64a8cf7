// The crystal in which the symmetry of a problem is searched.
#pragma once

#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// The crystal of a problem, in which atoms whose shells are shifted by different energies
/// (Problem::hubbard_perturbation) are of different species. Pure.
[[nodiscard]] Crystal distinguished_atoms(const Problem& problem);

}  // namespace wavegrid
