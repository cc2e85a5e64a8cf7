#include "scf/choose_eigensolver.hpp"

namespace wavegrid {

namespace {

constexpr Index many_bands = 64;

}  // namespace

EigensolverChoice choose_eigensolver(const Problem& problem) {
  if (problem.scf.eigensolver) return {*problem.scf.eigensolver, "set in the input"};
  if (problem.start == Start::random)
    return {Eigensolver::lobpcg,
            "random vectors to start with: residual minimisation would keep to the states nearest them"};
  if (problem.bands >= many_bands)
    return {Eigensolver::rmm_diis,
            std::to_string(problem.bands) + " bands: residual minimisation needs no matrix of more than them"};
  return {Eigensolver::lobpcg, std::to_string(problem.bands) + " bands: small matrices, fewest applications of H"};
}

}  // namespace wavegrid
