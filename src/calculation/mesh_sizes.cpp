#include "calculation/mesh_sizes.hpp"

#include <cmath>
#include <complex>

#include "atoms/pseudopotential.hpp"
#include "realspace/mesh_box.hpp"

namespace wavegrid {

MeshSizes mesh_sizes(const Problem& problem, int ranks) {
  const MeshGrid grid = mesh_grid_of(*problem.mesh_basis, problem.crystal, problem.grid);
  const Star star(grid.steps(), problem.mesh_basis->order);
  MeshSizes sizes;
  for (const MeshLine& line : grid.lines()) sizes.points += line.k.size();
  const double share = 1.0 / ranks, points = share * static_cast<double>(sizes.points);
  const double scalar = problem.mode == Mode::gamma ? sizeof(double) : sizeof(std::complex<double>);
  const double states =
      static_cast<double>(problem.bands) * static_cast<double>(problem.kpoints.size()) * problem.spins;
  const Int3 box = MeshBox::counts_of(grid);
  const double box_points = share * box[0] * box[1] * box[2];
  double projectors = 0;
  for (const Atom& atom : problem.crystal.atoms)
    projectors += num_projectors_per_atom(*problem.pseudopotentials[static_cast<std::size_t>(atom.species)]);
  constexpr double sphere = 4.0 * 4.0 * 4.0 * 4.19;  // bohr^3 around an atom
  const double in_sphere = std::min(sphere / grid.point_volume(), static_cast<double>(sizes.points));
  constexpr double bands_held = 5, fields_held = 24, box_fields = 6;  // arrays of each kind at the same time
  sizes.memory.parts = {
      {"bands", (2 * states + bands_held * static_cast<double>(problem.bands)) * points * scalar},
      {"projectors", share * projectors * in_sphere * static_cast<double>(problem.kpoints.size()) * scalar},
      {"density and potential",
       (fields_held + 2 * problem.scf.mixer.history) * problem.spins * points * sizeof(double)},
      {"grid of Poisson's equation", box_fields * box_points * sizeof(std::complex<double>)},
      {"stencils", points * static_cast<double>(star.num_arms()) * 0.5 * sizeof(double)}};
  return sizes;
}

}  // namespace wavegrid
