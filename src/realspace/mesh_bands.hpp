// The bands of one k-point and spin on a mesh, with all that their Hamiltonian needs.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <wavegrid/discretisation/work.hpp>
#include <wavegrid/mpi/process_groups.hpp>
#include <wavegrid/realspace/grouped_hamiltonian.hpp>
#include <wavegrid/realspace/mesh_space.hpp>
#include <wavegrid/scf/kohn_sham_bands.hpp>

namespace wavegrid {

/// The Hamiltonian of one k-point on the points of a band group, and with several groups that of all of them.
template <class S>
struct MeshOperators {
  MeshOperators(MeshSpace& space, Profile* profile, const Vec3& point,
                std::shared_ptr<const MeshProjectors<S>> projectors, int components)
      : h({space.operator_mesh(), space.laplacian, profile, components}, point, std::move(projectors)) {
    if (space.exchange) grouped.emplace(space.band_mesh(), *space.exchange, h, profile);
  }
  /// Components of a band. Local.
  [[nodiscard]] int components() const { return h.components(); }
  [[nodiscard]] KohnShamOperator<S>& all() {
    if (grouped) return *grouped;
    return h;
  }

  MeshHamiltonian<S> h;
  std::optional<GroupedHamiltonian<S>> grouped;
};

/// The bands of one k-point and spin with their Hamiltonian. Must not be moved.
template <class S>
struct MeshKPointBands : MeshOperators<S>, KohnShamBands<S> {
  MeshKPointBands(MeshSpace& space, Profile* profile, const Vec3& point,
                  std::shared_ptr<const MeshProjectors<S>> projectors, int components, int number, int spin_index,
                  Eigensolver eigensolver)
      : MeshOperators<S>(space, profile, point, std::move(projectors), components),
        KohnShamBands<S>(number, spin_index, this->all(), eigensolver) {}
};

/// The bands of the k-points and spins of this rank's k-point group; may be empty.
template <class S>
using MeshBands = std::vector<std::unique_ptr<MeshKPointBands<S>>>;

/// Operation counts of one k-point and spin since its bands were made, on one rank of the k-point group, 0 on the
/// others. Local.
template <class S>
[[nodiscard]] Work operation_counts(const ProcessGroups& groups, const MeshKPointBands<S>& bands) {
  if (groups.kpoint_group().rank() != 0) return {};
  return {bands.op.applications(), bands.op.applications(), 0};
}
/// Of all bands of this rank's k-point group. Local.
template <class S>
[[nodiscard]] Work operation_counts(const ProcessGroups& groups, const MeshBands<S>& bands) {
  Work sum;
  for (const auto& one : bands) sum += operation_counts(groups, *one);
  return sum;
}

}  // namespace wavegrid
