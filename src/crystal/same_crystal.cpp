#include <cmath>

#include <wavegrid/crystal/same_crystal.hpp>

namespace wavegrid {

namespace {

constexpr double position_tolerance = 1e-9;  ///< tolerance: bohr for lattice vectors, fractional coordinates for atoms

}  // namespace

bool same_elements(const Crystal& a, const Crystal& b) {
  if (a.num_atoms() != b.num_atoms()) return false;
  for (int i = 0; i < a.num_atoms(); ++i)
    if (a.element(i) != b.element(i)) return false;
  return true;
}

bool same_cell(const Lattice& a, const Lattice& b) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (std::abs(a.vectors()[i][j] - b.vectors()[i][j]) > position_tolerance) return false;
  return true;
}

bool same_positions(const Crystal& a, const Crystal& b) {
  for (std::size_t i = 0; i < a.atoms.size(); ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double apart = a.atoms[i].position[j] - b.atoms[i].position[j];
      if (std::abs(apart - std::round(apart)) > position_tolerance) return false;
    }
  return true;
}

}  // namespace wavegrid
