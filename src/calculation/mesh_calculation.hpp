// A calculation on a mesh in real space: mesh, fields, operators, and the loop over them.
#pragma once

#include <memory>
#include <vector>

#include "calculation/activity.hpp"
#include "calculation/result.hpp"
#include "realspace/atom_fields.hpp"
#include "realspace/mesh_hamiltonian.hpp"

namespace wavegrid {

/// One geometry. The points are divided over all ranks; all k-points and spins are computed by all of them. Members are
/// collective.
template <class S>
class MeshCalculation {
 public:
  /// The problem is valid and has a mesh_basis. It must outlive this object.
  MeshCalculation(const Comm& comm, const Problem& problem, Trace* trace);

  [[nodiscard]] CalculationResult solve(const ScfObserver& observer, const ActivityObserver& activity);

 private:
  struct KPointBands;

  void make_bands();
  [[nodiscard]] SpinComponents<MeshFields> initial_density();
  [[nodiscard]] ScfOptions choose_mixing(const FieldValues& density);
  [[nodiscard]] Derivatives forces_at(const ScfEnd<MeshFields>& end, Index bands);
  [[nodiscard]] std::vector<Vec3> ion_forces() const;
  [[nodiscard]] ScfResult run(SpinComponents<MeshFields>& density, Index& bands, const ScfOptions& options,
                              const ScfListeners<MeshFields>& listeners);
  void finish(CalculationResult& result);

  const Problem& problem_;
  Profile profile_;
  ProcessGroups groups_;
  std::vector<PseudoAtom> pseudo_atoms_;
  double electrons_;
  Mesh mesh_;
  MeshOperator laplacian_;
  MeshFields fields_;
  MeshPotential potential_;
  EigensolverChoice eigensolver_;
  std::vector<std::unique_ptr<KPointBands>> bands_;
};

}  // namespace wavegrid
