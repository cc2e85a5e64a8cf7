// The projectors of a pseudopotential on plane waves, at the origin.
#pragma once

#include <vector>

#include <wavegrid/hamiltonian/atomic_functions.hpp>
#include <wavegrid/pseudo/pseudopotential.hpp>

namespace wavegrid {

/// All projectors of a species, centred at the origin, with their strengths, Ha.
struct SpeciesProjectors {
  std::vector<CentredFunction> functions;
  std::vector<double> strengths;
};

/// Those that make the couplings of each channel diagonal. Local.
[[nodiscard]] SpeciesProjectors species_projectors(const PlaneWaves& waves, const Pseudopotential& atom);

}  // namespace wavegrid
