// The bands of a session on a mesh, kept between solves and transferred to other geometries.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "calculation/extrapolation.hpp"
#include "calculation/mesh_space.hpp"
#include "calculation/solved_geometry.hpp"
#include "mesh/mesh_transfer.hpp"
#include "mpi/process_groups.hpp"
#include "realspace/grouped_hamiltonian.hpp"
#include "scf/kohn_sham_bands.hpp"

namespace wavegrid {

using MeshHistory = GeometryHistory<FieldValues>;

/// The Hamiltonian of one k-point on the points of a band group, and with several groups that of all of them.
template <class S>
struct MeshOperators {
  MeshOperators(MeshSpace& space, Profile* profile, const Vec3& point,
                std::shared_ptr<const MeshProjectors<S>> projectors)
      : h({space.of_operators(), space.laplacian, profile}, point, std::move(projectors)) {
    if (space.exchange) grouped.emplace(space.of_bands(), *space.exchange, h, profile);
  }
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
                  std::shared_ptr<const MeshProjectors<S>> projectors, int number, int of_spin, Eigensolver eigensolver)
      : MeshOperators<S>(space, profile, point, std::move(projectors)),
        KohnShamBands<S>(number, of_spin, this->all(), eigensolver) {}

  /// Sets X alone. Local.
  void set(Bands<S> x) {
    this->state = EigenState<S>(x.rows(), x.count(), this->op.has_overlap());
    this->state.x = std::move(x);
  }

  BandHistory<S> history;
};

/// The bands of the k-points and spins of this rank's k-point group. Members are collective over the world unless they
/// say "local".
template <class S>
class MeshBands {
 public:
  explicit MeshBands(const ProcessGroups& groups) : groups_(groups) {}

  /// Makes the Hamiltonians of a geometry. Bands of an earlier one, with the same k-points or after rotate(), are kept;
  /// there are none at first. The space must outlive the bands, or be replaced by another call.
  void set_geometry(MeshSpace& space, const Problem& problem, Profile* profile, Eigensolver eigensolver);
  /// Replaces the bands by those of the problem's k-points, from equivalent ones of `before`, whose mesh of the k-point
  /// group is given: one without a region of its own. A k-point without equivalent one gets none: the loop makes them.
  /// To be followed by set_geometry().
  void rotate(const Problem& problem, const SolvedGeometry& before, const Mesh& mesh);
  /// Moves the bands of all geometries to another mesh of the k-point group (MeshTransfer); to be followed by
  /// set_geometry().
  void transfer(const Mesh& from, const Mesh& to);
  /// Extrapolates the bands to the problem's geometry, as `history` weighs the last ones. Where the result is linearly
  /// dependent there are fewer bands afterwards: the loop completes them.
  void extrapolate(const Crystal& now, const MeshHistory& history);
  /// Replaces the bands by orthonormal ones, of(bands), which may be fewer than needed: the loop completes them.
  template <class Of>
  void replace(const Of& of) {
    groups_.world().together([&] {
      for (auto& one : bands_) one->set(of(*one));
    });
  }
  void clear();  ///< Local.

  [[nodiscard]] const std::vector<std::unique_ptr<MeshKPointBands<S>>>& all() const { return bands_; }
  [[nodiscard]] BandList<S> list() const;  ///< Local.
  /// Bands of this k-point group to which H was applied since the object was made. Local.
  [[nodiscard]] Index applications() const;
  /// Adds those of a Hamiltonian that is not one of these. Local.
  void count_applications(Index more) { earlier_applications_ += more; }

 private:
  /// Of one k-point and spin without their Hamiltonian.
  struct DetachedBands {
    Bands<S> x;
    BandHistory<S> history{};
  };
  /// Frees the Hamiltonians and keeps the bands. Local.
  void detach();
  /// This k-point group's range of all k-points times spins.
  [[nodiscard]] Range my_share(const Problem& problem) const;

  const ProcessGroups& groups_;
  std::vector<std::unique_ptr<MeshKPointBands<S>>> bands_;
  std::vector<DetachedBands> detached_;  ///< those of the next set_geometry(), in this order
  Index earlier_applications_ = 0;       ///< by Hamiltonians of earlier geometries
};

}  // namespace wavegrid
