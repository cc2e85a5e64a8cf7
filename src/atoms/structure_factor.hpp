// Phases exp(-iG.tau) of atoms on a rank's plane waves.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "atoms/crystal.hpp"
#include "basis/plane_waves.hpp"

namespace wavegrid {

/// exp(-i(k+G).tau) at every plane wave of this rank, for an atom at fractional position tau. Local.
/// `k` in reciprocal coordinates is added to the integer G (0 for densities).
void atom_phases(const PlaneWaves& waves, const Vec3& position, std::complex<double>* phases,
                 const Vec3& k = {0, 0, 0});

/// sum over the atoms of a species of w exp(-iG.tau), with one factor w for each atom of the crystal; none means 1 for
/// all. Local.
[[nodiscard]] std::vector<std::complex<double>> structure_factor(const PlaneWaves& waves, const Crystal& crystal,
                                                                 int species, std::span<const double> factors = {});

}  // namespace wavegrid
