#include <wavegrid/discretisation/choose_eigensolver.hpp>
#include <wavegrid/discretisation/discretisation_rules.hpp>

namespace wavegrid {

EigensolverChoice choose_eigensolver(const Problem& problem, const DiscretisationRules& rules) {
  if (problem.eigensolver) return {*problem.eigensolver, "set in the input"};
  if (problem.scf.method == ScfMethod::direct)
    return {Eigensolver::lobpcg, "direct minimisation: for its first bands, and empty ones at its end"};
  return rules.automatic_eigensolver(problem);
}

}  // namespace wavegrid
