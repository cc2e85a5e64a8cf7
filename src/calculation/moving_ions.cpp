#include <utility>

#include <wavegrid/base/units.hpp>
#include <wavegrid/calculation/moving_ions.hpp>

namespace wavegrid {

MovingIons::MovingIons(const Crystal& crystal, const MovingAtoms& atoms)
    : crystal_(crystal), masses_(atoms.masses), velocities_(atoms.velocities) {
  for (int atom = 0; atom < crystal.num_atoms(); ++atom) positions_.push_back(crystal.cartesian(atom));
  forces_.assign(positions_.size(), Vec3{0, 0, 0});
}

void MovingIons::resume(double time, std::vector<Vec3> positions, std::vector<Vec3> velocities) {
  time_ = time;
  positions_ = std::move(positions);
  velocities_ = std::move(velocities);
}

void MovingIons::add_momenta(const std::vector<Vec3>& momenta) {
  for (std::size_t i = 0; i < momenta.size(); ++i) velocities_[i] = velocities_[i] + (1 / masses_[i]) * momenta[i];
}

void MovingIons::push(double timestep) {
  for (std::size_t i = 0; i < forces_.size(); ++i)
    velocities_[i] = velocities_[i] + (timestep / masses_[i]) * forces_[i];
}

void MovingIons::begin_step(double timestep) {
  timestep_ = timestep;
  push(0.5 * timestep);
}

void MovingIons::end_step(std::vector<Vec3> forces) {
  for (std::size_t i = 0; i < positions_.size(); ++i) positions_[i] = positions_[i] + timestep_ * velocities_[i];
  time_ += timestep_;
  set_forces(std::move(forces));
  push(0.5 * timestep_);
}

Crystal MovingIons::at(double time) const {
  Crystal crystal = crystal_;
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const Vec3 moved = positions_[i] + (time - time_) * velocities_[i] - crystal_.cartesian(static_cast<int>(i));
    const Mat3& b = crystal.lattice.reciprocal();
    crystal.atoms[i].position =
        crystal.atoms[i].position + 0.5 / units::pi * Vec3{dot(b[0], moved), dot(b[1], moved), dot(b[2], moved)};
  }
  return crystal;
}

double MovingIons::kinetic_energy() const {
  double sum = 0;
  for (std::size_t i = 0; i < masses_.size(); ++i) sum += 0.5 * masses_[i] * norm2(velocities_[i]);
  return sum;
}

}  // namespace wavegrid
