// A uniform electric field that depends on time: as a potential E(t).r of the electrons, or as a vector potential
// A(t) in (p + A)^2/2 with dA/dt = -E.
#pragma once

#include <array>
#include <functional>
#include <utility>

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/fields/density.hpp>
#include <wavegrid/propagation/step_scheme.hpp>

namespace wavegrid {

/// E is the force on a positive charge, Ha/bohr.
class DrivingField {
 public:
  /// `positions`: x, y and z at this rank's points, bohr; `couplings`: their integrals over augmentation charges, empty
  /// without; `field`: E at a time, hbar/Ha; `most`: bound of |E.r|, Ha.
  DrivingField(std::array<FieldValues, 3> positions, std::array<AtomMatrices, 3> couplings,
               std::function<Vec3(double)> field, double most)
      : positions_(std::move(positions)), couplings_(std::move(couplings)), field_(std::move(field)), most_(most) {}
  /// Besides: `move` gives operators and bands the vector potential of a time; `most`: bound of |A|, 1/bohr.
  void set_vector_potential(std::function<void(double)> move, double most) {
    move_ = std::move(move);
    most_vector_potential_ = most;
  }

  /// Gives the terms of the energy the positions of the atoms at a time, and the bands' projectors with the call of
  /// `move` for a time; before it for each step, with the time of its end.
  void set_atoms(std::function<void(double)> move_terms, std::function<void(double)> move) {
    move_terms_ = std::move(move_terms);
    move_atoms_ = std::move(move);
  }

  /// None.
  DrivingField() = default;

  /// Of the potential, Ha, and of the vector potential, 1/bohr. Local.
  [[nodiscard]] double bound() const { return most_; }
  [[nodiscard]] double vector_bound() const { return most_vector_potential_; }
  /// Gives the bands the vector potential and the atoms of a time. Collective over the world.
  void move_to(double time) const {
    if (move_) move_(time);
    if (move_atoms_) move_atoms_(time);
  }
  /// Gives the terms of the energy the atoms of the end of a step. Collective over the world.
  void move_terms_to(double time) const {
    if (move_terms_) move_terms_(time);
  }
  /// The potential of all electrons at this rank's points with E.r of half a step that begins at `time`. Local.
  [[nodiscard]] Potential added_to(Potential potential, const HalfStep& half, double time, double timestep) const {
    Vec3 e{0, 0, 0};
    if (field_)
      for (const HalfStep::Part& part : half.fields) e = e + part.weight * field_(time + part.time * timestep);
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (e[axis] != 0) {
        for (std::size_t s = 0; s < (has_vector(potential.v) ? 1 : potential.v.size()); ++s)
          for (std::size_t i = 0; i < potential.v[s].size(); ++i) potential.v[s][i] += e[axis] * positions_[axis][i];
        for (AtomMatrices& d : potential.couplings) add(e[axis], couplings_[axis], d);
      }
    return potential;
  }

 private:
  std::array<FieldValues, 3> positions_;
  std::array<AtomMatrices, 3> couplings_;
  std::function<Vec3(double)> field_;
  std::function<void(double)> move_, move_terms_, move_atoms_;
  double most_ = 0, most_vector_potential_ = 0;
};

}  // namespace wavegrid
