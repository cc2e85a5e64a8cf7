// Electrostatic energy of the ions, by all ranks together.
#pragma once

#include "mpi/comm.hpp"
#include "problem/problem.hpp"

namespace wavegrid {

/// Ewald energy, computed in parts by the ranks, Ha; deterministic: in a fixed number of parts. Collective.
[[nodiscard]] double ewald_of(const Comm& comm, const Problem& problem);

/// Energies that depend on the ions alone, Ha: among themselves, and the G = 0 part of their local potential, which
/// only a crystal periodic in all directions has.
struct IonEnergy {
  double energy = 0, local_g0 = 0;
};
/// Collective.
[[nodiscard]] IonEnergy ion_energy(const Comm& comm, const Problem& problem, double electrons);

}  // namespace wavegrid
