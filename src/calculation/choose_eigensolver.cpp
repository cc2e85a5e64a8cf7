#include "calculation/choose_eigensolver.hpp"

#include <cmath>

#include "mesh/star.hpp"

namespace wavegrid {

namespace {

constexpr Index many_bands = 64;  ///< from here on RMM-DIIS is faster (Si64: 128, Al108: 217 bands)

/// Of the waves on the mesh of a problem, Ha: most of the width of the spectrum.
std::string highest_kinetic_energy(const Problem& problem) {
  Mat3 steps = problem.crystal.lattice.vectors();
  for (std::size_t d = 0; d < 3; ++d) steps[d] = (1.0 / problem.grid[d]) * steps[d];
  const Star star(steps, problem.mesh_basis->order, DifferenceWeights::smallest_error);
  return std::to_string(std::lround(star.highest_kinetic_energy()));
}

}  // namespace

EigensolverChoice choose_eigensolver(const Problem& problem) {
  if (problem.eigensolver) return {*problem.eigensolver, "set in the input"};
  if (problem.scf.method == ScfMethod::direct)
    return {Eigensolver::lobpcg, "direct minimisation: for its first bands, and empty ones at its end"};
  if (problem.mesh_basis)
    return {Eigensolver::chebyshev, "a mesh, with kinetic energies up to " + highest_kinetic_energy(problem) +
                                        " Ha: filtering takes products with H only, and no preconditioner is cheap "
                                        "there"};
  if (problem.initial_wavefunctions == InitialWavefunctions::random)
    return {Eigensolver::lobpcg, "random initial vectors: residual minimisation would converge to the nearest states"};
  if (problem.bands >= many_bands)
    return {Eigensolver::rmm_diis, std::to_string(problem.bands) +
                                       " bands: residual minimisation, whose matrices are no larger, takes least time"};
  return {Eigensolver::lobpcg,
          std::to_string(problem.bands) +
              " bands: too few for residual minimisation to save much, and empty bands come out better by LOBPCG"};
}

}  // namespace wavegrid
