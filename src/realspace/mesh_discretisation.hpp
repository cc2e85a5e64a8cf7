// A mesh in real space as the discretisation of a calculation (discretisation/discretisation.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <wavegrid/discretisation/detached_bands.hpp>
#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/mesh/mesh_transfer.hpp>
#include <wavegrid/realspace/mesh_bands.hpp>
#include <wavegrid/realspace/mesh_checkpoint.hpp>
#include <wavegrid/realspace/mesh_density.hpp>
#include <wavegrid/realspace/mesh_fock.hpp>

namespace wavegrid {

/// Members as the concept says. Must not be moved.
class MeshDiscretisation {
 public:
  using Space = MeshFields;
  using Grid = MeshSpace;
  using Restart = MeshRestart;
  struct Rows {};  ///< all k-points have the points of the mesh
  template <class S>
  using KPointBands = MeshKPointBands<S>;
  static constexpr bool has_single_precision = false, has_file_orbitals = false, has_complex_rows = false;
  static constexpr bool has_local_orbitals = false;
  template <class S>
  using Fock = MeshFock<S>;
  static constexpr const char* partition_reason = "of the points of a mesh";

  MeshDiscretisation(Setting& setting, const Comm& comm, const Problem& problem);

  // Fields.

  [[nodiscard]] MeshFields& space() { return grid_->fields; }
  [[nodiscard]] MeshSpace& grid() { return *grid_; }
  void make_space(const Problem& problem);
  /// To another cell, but not to other numbers of points.
  [[nodiscard]] static bool can_follow(const SolvedGeometry& before, const Problem& problem) {
    return before.has_same_counts(problem);
  }
  /// Where the points follow the atoms or the cell.
  [[nodiscard]] std::unique_ptr<MeshSpace> replace_space(const SolvedGeometry& before, const Problem& problem);
  /// The values at a point become those at the point of the same number; the number of electrons stays.
  [[nodiscard]] SpinFields moved_density(const MeshSpace& from, SpinFields change) const;
  void clear() { grid_.reset(); }
  [[nodiscard]] PreconditionerChoice choose_preconditioner(const Problem& problem, const SpinFields& density);
  [[nodiscard]] static bool may_change_preconditioner(const Problem& problem) {
    return problem.mesh_basis->num_periodic() > 0;
  }
  void gather(const SpinFields& density, GatheredFields& result);

  // Bands.

  [[nodiscard]] static bool begins_in_single(const Problem& /*problem*/) { return false; }
  template <class S>
  [[nodiscard]] MeshBands<S> make_bands(const Problem& problem,
                                        const std::function<void(MeshKPointBands<S>&)>& prepare);
  template <class S>
  [[nodiscard]] std::unique_ptr<MeshKPointBands<S>> make_path_bands(const Problem& problem, int k, int spin);
  template <class S>
  void move_atoms(MeshBands<S>& bands, const Problem& problem);
  template <class S>
  [[nodiscard]] static Rows band_rows(const MeshKPointBands<S>& /*bands*/) {
    return {};
  }
  /// Bands as exact exchange takes them; without occupations.
  template <class S>
  [[nodiscard]] static FockBands<S> fock_bands(const MeshKPointBands<S>& bands) {
    return {.number = bands.k, .spin = bands.spin, .psi = bands.state.x.view()};
  }
  [[nodiscard]] MeshFockSetting exchange_setting(const Problem& problem) { return mesh_fock_setting(problem, *grid_); }
  template <class S>
  [[nodiscard]] std::vector<Int3> row_indices(const MeshKPointBands<S>& /*bands*/) const {
    return grid_->band_mesh().points();
  }
  template <class S>
  [[nodiscard]] std::vector<double> row_weights(const MeshKPointBands<S>& bands) const {
    return std::vector<double>(row_indices<S>(bands).size(), grid_->band_mesh().grid().point_volume());
  }
  template <class S>
  void rotate(std::vector<DetachedBands<S, Rows>>& bands, const Problem& problem, const SolvedGeometry& before,
              const MeshSpace* old) const;
  /// By the numbers of the points onto another mesh.
  template <class S>
  class BandTransfer {
   public:
    BandTransfer(const Mesh& from, const Mesh& to);
    [[nodiscard]] Bands<S> operator()(const Rows& rows, const Bands<S>& x, MeshKPointBands<S>& to);

   private:
    MeshTransfer transfer_;
    double scale_;  ///< norms stay
  };
  template <class S>
  [[nodiscard]] BandTransfer<S> band_transfer(const MeshSpace& old, const Problem& /*problem*/) {
    return {old.band_mesh(), grid_->band_mesh()};
  }
  /// x = exp(i change.r) x: on a mesh A is a part of the Bloch vector.
  template <class S>
  void change_gauge(BandView<S> x, const Vec3& change) const;
  template <class S>
  void set_vector_potential(MeshBands<S>& bands, const Problem& problem, const Vec3& change);
  [[nodiscard]] BandVelocity make_velocity(MeshKPointBands<std::complex<double>>& bands, const Problem& problem);
  template <class S>
  static void complete(MeshKPointBands<S>& to, Bands<S>& x);
  template <class S>
  [[nodiscard]] EigenState<S> initial_bands(MeshKPointBands<S>& bands, const Problem& problem, Index count) const;
  template <class S>
  [[nodiscard]] Bands<S> atomic_orbitals(const MeshKPointBands<S>& bands, const Problem& problem,
                                         const std::vector<PseudoAtom>& atoms, Index count) const;
  template <class S>
  [[nodiscard]] WriteState writing(const Problem& problem, const EnergyTerms<MeshFields>& potential,
                                   const MeshBands<S>& bands, const Density<MeshFields>& density);

  // Exchanges and reports.

  template <class S>
  [[nodiscard]] TunedExchanges exchanges(const MeshBands<S>& /*bands*/) {
    return exchanges_of(*grid_);
  }
  template <class S>
  void remember(const MeshBands<S>& /*bands*/) {}
  void save_plans() {}
  void report(DiscretisationReport& report);

 private:
  [[nodiscard]] static TunedExchanges exchanges_of(MeshSpace& grid);
  template <class S>
  [[nodiscard]] std::shared_ptr<const MeshProjectors<S>> make_projectors(const Problem& problem, const Vec3& k);

  Setting& setting_;
  const char* partition_;       ///< name of the method
  HaloOptions halo_;            ///< of the operators of the next mesh
  std::string overlap_reason_;  ///< of the first one
  std::unique_ptr<MeshSpace> grid_;
};

}  // namespace wavegrid
