#include "scf/choose_kpoints.hpp"

#include "atoms/find_space_group.hpp"
#include "atoms/irreducible_kpoints.hpp"
#include "atoms/symmetric_grid.hpp"

namespace wavegrid {

KPointChoice choose_kpoints(const Crystal& crystal, const std::vector<double>& moments, const Int3& grid,
                            const KMesh& mesh, bool use_symmetry) {
  SpaceGroup group;
  std::string dropped;
  if (use_symmetry) {
    const SpaceGroup whole = find_space_group(crystal, moments);
    group = whole.subgroup([&](const SymmetryOperation& operation) { return grid_carries(grid, operation); });
    if (group.size() < whole.size())
      dropped = "; the grid carries " + std::to_string(group.size()) + " of the crystal's " +
                std::to_string(whole.size()) + " operations";
  }
  IrreducibleKPoints reduced = irreducible(mesh, group, true);
  return {std::move(reduced.kpoints), std::move(reduced.group), reduced.sentence + dropped};
}

Int3 grid_for_symmetry(const Crystal& crystal, const std::vector<double>& moments, const Int3& least) {
  return symmetric_grid(least, find_space_group(crystal, moments));
}

}  // namespace wavegrid
