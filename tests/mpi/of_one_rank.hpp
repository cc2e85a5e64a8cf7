#pragma once

#include <gtest/gtest.h>

#include <span>

#include "calculation/session.hpp"

namespace wavegrid::of_one_rank {

/// The free energy of a calculation on rank 0 alone, on all ranks: on more ranks than cores a test with it takes much
/// less time than one in which all ranks calculate twice. Collective.
inline double free_energy(Problem problem) {
  double energy = 0;
  if (Comm::world().rank() == 0) {
    problem.groups = {};
    const CalculationResult result = run_calculation(Comm::self(), problem);
    EXPECT_TRUE(result.scf.converged);
    energy = result.scf.energies.free();
  }
  Comm::world().broadcast(std::span<double>(&energy, 1));
  return energy;
}

}  // namespace wavegrid::of_one_rank
