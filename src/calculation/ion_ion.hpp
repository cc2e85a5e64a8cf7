// The Coulomb energy of the ions among themselves, and its derivatives, for any periodicity.
//
//   periodic in all directions: Ewald's sum, in a neutralising background (ions/ewald.hpp)
//   in none: the sum over pairs (ions/cluster.hpp);   in one or two: ions/mixed_boundaries.hpp
#pragma once

#include <array>
#include <vector>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/mpi/comm.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// The atoms as point charges.
struct Ions {
  const Crystal& crystal;
  const Pseudopotentials& atoms;
  std::array<bool, 3> periodic{true, true, true};
  bool deterministic = false;  ///< the same bits on any number of ranks
  bool wraps = false;          ///< atoms stand for the nearest images along free directions (in_one_piece())
};

/// Ha. Computed by all ranks together. Collective.
[[nodiscard]] double ion_ion_energy(const Comm& comm, const Ions& ions);

struct IonDerivatives {
  std::vector<Vec3> forces;  ///< Ha/bohr, Cartesian
  Mat3 strain{};             ///< dE/d eps_ab, Ha, symmetric; of strains along periodic directions
};
/// The same on all ranks. Collective.
[[nodiscard]] IonDerivatives ion_ion_derivatives(const Comm& comm, const Ions& ions);

}  // namespace wavegrid
