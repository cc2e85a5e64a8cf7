#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/orbitals/box_neighbours.hpp>
#include <wavegrid/orbitals/orbital_layout.hpp>

namespace wavegrid {

Box orbital_box(const Lattice& lattice, const Int3& grid, const Vec3& position, double radius, Index number) {
  Box box;
  box.number = number;
  for (std::size_t d = 0; d < 3; ++d) {
    const double extent = radius * norm(lattice.reciprocal()[d]) / (2 * units::pi);  // fractional
    const int begin = static_cast<int>(std::ceil((position[d] - extent) * grid[d]));
    const int end = static_cast<int>(std::floor((position[d] + extent) * grid[d])) + 1;
    const bool is_whole = 2 * extent >= 1 || end - begin >= grid[d];
    box.begin[d] = is_whole ? 0 : begin;
    box.size[d] = is_whole ? grid[d] : end - begin;
  }
  return box;
}

OrbitalLayout::OrbitalLayout(const Crystal& crystal, const Int3& grid, const std::vector<Index>& functions,
                             const std::vector<double>& radii, int ranks)
    : grid_(grid), first_{0} {
  double all = 0;
  for (const Atom& atom : crystal.atoms) {
    const auto species = static_cast<std::size_t>(atom.species);
    boxes_.push_back(orbital_box(crystal.lattice, grid, atom.position, radii[species], std::ssize(boxes_)));
    first_.push_back(first_.back() + functions[species]);
    all += static_cast<double>(values(std::ssize(boxes_) - 1));
  }
  double before = 0;
  begins_.push_back(0);
  for (Index a = 0; a < num_atoms(); ++a) {
    // The middle of an atom's values decides whose it is.
    const double middle = before + 0.5 * static_cast<double>(values(a));
    while (std::ssize(begins_) <= static_cast<Index>(middle / all * ranks)) begins_.push_back(a);
    before += static_cast<double>(values(a));
  }
  begins_.resize(static_cast<std::size_t>(ranks) + 1, num_atoms());
  neighbours_ = box_neighbours(boxes_, boxes_, grid_);
}

}  // namespace wavegrid
