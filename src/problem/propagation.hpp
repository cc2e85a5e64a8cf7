// Propagation of the bands in time, as an input asks for it.
#pragma once

#include <optional>

#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

/// How a uniform field acts on electrons: by the potential E.r, or by a vector potential A in (p + A)^2/2.
enum class Gauge { dipole, velocity };

/// A field of the shape of a delta function at time 0, after which each electron has this additional momentum.
struct Kick {
  Vec3 momentum{};  ///< 1/bohr, Cartesian
  Gauge gauge = Gauge::dipole;
};

/// Units: Ha, bohr, hbar = 1.
struct Propagation {
  double timestep = 0.1;  ///< hbar/Ha; negative: back in time
  int steps = 0;
  int every = 1;            ///< steps from one observation to the next
  double tolerance = 1e-8;  ///< of the phase of the bands in a step, see propagation/enforced_reversal.hpp
  std::optional<Kick> kick = std::nullopt;
};

}  // namespace wavegrid
