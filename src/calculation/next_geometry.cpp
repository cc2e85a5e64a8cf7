#include <algorithm>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/choose_discretisation.hpp>
#include <wavegrid/calculation/next_geometry.hpp>
#include <wavegrid/problem/choose_kpoints.hpp>

namespace wavegrid {

namespace {

/// The operations of `present` with the rotations of `earlier`, by which a list of k-points is irreducible; throws
/// bad_input if one of these is missing.
SpaceGroup with_rotations_of(const SpaceGroup& earlier, const SpaceGroup& present) {
  const auto has = [](const SpaceGroup& group, const SymmetryOperation& operation) {
    return std::any_of(group.operations().begin(), group.operations().end(), [&](const SymmetryOperation& one) {
      return one.rotation == operation.rotation && one.time_reversed == operation.time_reversed;
    });
  };
  for (const SymmetryOperation& operation : earlier.one_per_rotation())
    if (!has(present, operation))
      throw bad_input("the atoms have left the symmetry of " + earlier.symbol() +
                      ", by which the list of k-points is irreducible; valid: a mesh of k-points, or a list without "
                      "symmetry");
  return present.subgroup([&](const SymmetryOperation& operation) { return has(earlier, operation); });
}

}  // namespace

Problem at_geometry(Problem problem, Crystal crystal, const Int3& grid, const Int3& density_grid) {
  problem.crystal = std::move(crystal);
  problem.grid = grid;
  if (problem.density_grid) problem.density_grid->grid = density_grid;
  if (problem.follow_symmetry && !problem.mesh) {
    problem.symmetry = with_rotations_of(
        problem.symmetry, symmetry_on_grids(problem.crystal, problem.initial_magnetic_moments, problem.grids(),
                                            problem.initial_moment_vectors, problem.boundaries()));
  } else if (problem.follow_symmetry) {
    KPointChoice choice = choose_kpoints(problem.crystal, problem.initial_magnetic_moments, problem.grids(),
                                         *problem.mesh, true, problem.initial_moment_vectors, problem.boundaries());
    problem.kpoints = std::move(choice.points);
    problem.symmetry = std::move(choice.group);
    problem.kpoints_description = std::move(choice.sentence);
  }
  require_valid(problem);
  return problem;
}

Crystal at_positions(Crystal crystal, const std::vector<Vec3>& fractional) {
  if (fractional.size() != crystal.atoms.size())
    throw bad_input("there are " + std::to_string(fractional.size()) + " positions for " +
                    std::to_string(crystal.num_atoms()) + " atoms; give one for each");
  for (std::size_t a = 0; a < fractional.size(); ++a) crystal.atoms[a].position = fractional[a];
  return crystal;
}

}  // namespace wavegrid
