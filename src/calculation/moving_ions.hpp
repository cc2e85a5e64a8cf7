// Atoms that move by the forces of the electrons as these are (Ehrenfest dynamics), by velocity Verlet: their places
// are linear in time within a step of the electrons,
//
//   R(t + s) = R(t) + s v,   v = v(t) + dt/2 F(t)/M,   v(t + dt) = v + dt/2 F(t + dt)/M,   0 <= s <= dt
//
// With a step of the electrons whose halves have H at its ends, a step back undoes a step.
#pragma once

#include <utility>
#include <vector>

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/problem/propagation.hpp>

namespace wavegrid {

/// Units: bohr, hbar/Ha, electron masses; Cartesian. All members are local.
class MovingIons {
 public:
  MovingIons(const Crystal& crystal, const MovingAtoms& atoms);

  /// Goes on from places and velocities at a time.
  void resume(double time, std::vector<Vec3> positions, std::vector<Vec3> velocities);
  /// Forces at the present time, Ha/bohr.
  void set_forces(std::vector<Vec3> forces) { forces_ = std::move(forces); }
  /// Adds impulses to the atoms, such as of a kick.
  void add_momenta(const std::vector<Vec3>& momenta);
  /// A step: between the two, at() gives the places within it.
  void begin_step(double timestep);
  void end_step(std::vector<Vec3> forces);

  /// The crystal at a time of the step.
  [[nodiscard]] Crystal at(double time) const;
  /// Of the present time.
  [[nodiscard]] const std::vector<Vec3>& positions() const { return positions_; }
  [[nodiscard]] const std::vector<Vec3>& velocities() const { return velocities_; }
  [[nodiscard]] const std::vector<Vec3>& forces() const { return forces_; }
  [[nodiscard]] double kinetic_energy() const;

 private:
  void push(double timestep);  ///< by the forces

  Crystal crystal_;  ///< of the start
  std::vector<double> masses_;
  std::vector<Vec3> positions_, velocities_, forces_;
  double time_ = 0, timestep_ = 0;
};

}  // namespace wavegrid
