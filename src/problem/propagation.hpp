// Propagation of the bands in time, as an input asks for it.
#pragma once

#include <optional>
#include <vector>

#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

/// How a uniform field acts on electrons: by the potential E.r, or by a vector potential A in (p + A)^2/2.
enum class Gauge { dipole, velocity };

/// A field of the shape of a delta function at time 0, after which each electron has this additional momentum.
struct Kick {
  Vec3 momentum{};  ///< 1/bohr, Cartesian
  Gauge gauge = Gauge::dipole;
};

/// The shape of a pulse.
enum class Envelope { gaussian, sin2 };

/// A pulse of light in the dipole gauge: E(t) = peak f(t - centre) cos(frequency (t - centre) + phase), f the
/// envelope: exp(-2 ln 2 t^2 / duration^2), or cos^2(pi t / T) within |t| < T/2, whose fourth power is half at
/// duration/2.
struct Laser {
  Vec3 peak{};  ///< the force on a positive charge, Ha/bohr, Cartesian
  double frequency = 0, phase = 0;
  double duration = 1, centre = 0;  ///< of the intensity at half its maximum, hbar/Ha
  Envelope envelope = Envelope::gaussian;

  /// Ha/bohr.
  [[nodiscard]] Vec3 field(double time) const;
};

/// Units: Ha, bohr, hbar = 1.
struct Propagation {
  double timestep = 0.1;  ///< hbar/Ha; negative: back in time
  int steps = 0;
  int every = 1;            ///< steps from one observation to the next
  double tolerance = 1e-7;  ///< of the phase of the bands in a step, see propagation/enforced_reversal.hpp
  std::optional<Kick> kick = std::nullopt;
  std::vector<Laser> lasers{};  ///< which add up
};

}  // namespace wavegrid
