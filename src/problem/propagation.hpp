// Propagation of the bands in time, as an input asks for it.
#pragma once

#include <optional>
#include <string>
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

/// A pulse of light: E(t) = peak f(t - centre) cos(frequency (t - centre) + phase), f the
/// envelope: exp(-2 ln 2 t^2 / duration^2), or cos^2(pi t / T) within |t| < T/2, whose fourth power is half at
/// duration/2.
struct Laser {
  Vec3 peak{};  ///< the force on a positive charge, Ha/bohr, Cartesian
  double frequency = 0, phase = 0;
  double duration = 1, centre = 0;  ///< of the intensity at half its maximum, hbar/Ha
  Envelope envelope = Envelope::gaussian;
  Gauge gauge = Gauge::dipole;

  /// Ha/bohr.
  [[nodiscard]] Vec3 field(double time) const;
  /// The change of a vector potential by it, dA/dt = -E, to rounding: the momentum of a free electron, 1/bohr.
  [[nodiscard]] Vec3 vector_potential_change(double from, double to) const;
  /// A bound of the vector potential that it makes, 1/bohr.
  [[nodiscard]] double most_vector_potential() const;
};

/// A potential -i W(r) that absorbs electrons before they reach the boundary of a mesh of spheres around atoms:
/// W = strength sin^2(pi/2 x/width), x how far a point lies within `width` of the boundary.
struct Absorber {
  double width = 5, strength = 1;  ///< bohr, Ha
};

/// The scheme of a step (propagation/step_scheme.hpp): enforced time reversal, Magnus of fourth order, or the implicit
/// midpoint rule with parallel transport.
enum class TimeScheme { etrs, magnus4, crank_nicolson };

/// Atoms that move by the forces of the electrons as these are (Ehrenfest dynamics), one entry each.
struct MovingAtoms {
  std::vector<double> masses{};    ///< of electrons
  std::vector<Vec3> velocities{};  ///< at time 0, bohr Ha/hbar, Cartesian
};

/// Units: Ha, bohr, hbar = 1.
struct Propagation {
  double timestep = 0.1;  ///< hbar/Ha; negative: back in time
  int steps = 0;
  int every = 1;  ///< steps from one observation to the next
  TimeScheme scheme = TimeScheme::etrs;
  double tolerance = 1e-7;  ///< of the phase of the bands in a step, see propagation/band_propagator.hpp
  std::optional<Kick> kick = std::nullopt;
  std::vector<Laser> lasers{};  ///< which add up
  std::optional<Absorber> absorber = std::nullopt;
  int density_every = 0;         ///< steps from one observed density to the next, a multiple of `every`; 0: none
  bool forces = false;           ///< are observed
  bool magnetic_moment = false;  ///< is observed
  bool excited = false;          ///< the number of excited electrons is observed
  bool occupations = false;      ///< the electrons in each band of the start are observed
  std::optional<MovingAtoms> moving = std::nullopt;  ///< none: the atoms stand

  std::string restart_file{};     ///< the state from which the run goes on, instead of kicking the ground state
  std::string checkpoint_file{};  ///< where states are saved when Problem::checkpoint says so, and at the end
  std::string identity{};         ///< JSON: what of an input has to be the same in both

  [[nodiscard]] bool has_laser(Gauge gauge) const;
};

}  // namespace wavegrid
