// How a density matrix of local orbitals was found, and what its steps have taken.
#pragma once

#include <limits>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// A density matrix of local orbitals that was found by purification, in the last step. The largest of all k-points and
/// spins, but for those that say otherwise.
struct KernelReport {
  double cutoff = 0;          ///< Frobenius norm below which blocks of two atoms were left out
  Index iterations = 0;       ///< of one purification
  double block_products = 0;  ///< products of blocks of two atoms, of all steps and sets
  double filled = 0;          ///< share of the blocks that the density matrix has
  double idempotency = 0;     ///< Frobenius norm of P^2 - P in orthonormal functions
  double electrons = 0;     ///< by which Tr K S differed from those of the system before it was corrected, of all sets
  double energy_error = 0;  ///< Ha, that the cutoff costs: an estimate, of all sets
  double highest_occupied = -std::numeric_limits<double>::infinity();  ///< level, Ha
  double lowest_empty = std::numeric_limits<double>::infinity();       ///< level, Ha, the smallest; in the loop a bound
};

/// Wall time of the steps of rank 0, s.
struct LocalOrbitalSeconds {
  double total = 0;
  double extract = 0, deposit = 0;   ///< of potentials to boxes, of densities from them
  double matrices = 0, density = 0;  ///< of potentials; of the density matrix at the points of boxes
  double sharing = 0;                ///< part of these two: waiting for functions of other ranks
  double get = 0, request = 0;  ///< of one visit of functions that came by each, of the slowest rank; 0: not measured
  double solution = 0;          ///< of the equations, or purification
  double bands = 0;             ///< as plane waves
  double optimisation = 0;      ///< of functions, with the matrices that it needs
};

}  // namespace wavegrid
