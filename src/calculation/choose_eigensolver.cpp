#include "calculation/choose_eigensolver.hpp"

namespace wavegrid {

namespace {

constexpr Index many_bands = 64;  ///< Al108 (217) and Si64 (128) gain by residual minimisation; below, time is short

}  // namespace

EigensolverChoice choose_eigensolver(const Problem& problem) {
  if (problem.eigensolver) return {*problem.eigensolver, "set in the input"};
  if (problem.initial_wavefunctions == InitialWavefunctions::random)
    return {Eigensolver::lobpcg,
            "random vectors to start with: residual minimisation would keep to the states nearest them"};
  if (problem.bands >= many_bands)
    return {Eigensolver::rmm_diis, std::to_string(problem.bands) +
                                       " bands: residual minimisation, whose matrices are no larger, takes least time"};
  return {Eigensolver::lobpcg,
          std::to_string(problem.bands) +
              " bands: too few for residual minimisation to save much, and empty bands come out better by LOBPCG"};
}

}  // namespace wavegrid
