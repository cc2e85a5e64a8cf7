#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <span>

#include <wavegrid/calculation/session.hpp>

namespace wavegrid::of_one_rank {

/// A calculation on rank 0 alone, none on other ranks: on more ranks than cores a test with it takes much less time
/// than one in which all ranks calculate twice. It has to converge, and not at the limit of rounding.
inline std::optional<CalculationResult> calculation(Problem problem) {
  if (Comm::world().rank() != 0) return std::nullopt;
  problem.groups = {};
  CalculationResult result = run_calculation(Comm::self(), problem);
  EXPECT_TRUE(result.scf.converged);
  EXPECT_FALSE(result.scf.at_rounding);
  return result;
}

/// Its free energy, on all ranks. Collective.
inline double free_energy(const Problem& problem) {
  const std::optional<CalculationResult> result = calculation(problem);
  double energy = result ? result->scf.energies.free() : 0;
  Comm::world().broadcast(std::span<double>(&energy, 1));
  return energy;
}

}  // namespace wavegrid::of_one_rank
