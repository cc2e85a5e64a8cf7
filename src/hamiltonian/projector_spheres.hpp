// The projectors of a crystal on the points of an FFT grid: a sphere around each atom. The same for all k-points: their
// phases are multiplied to the bands (projection.hpp).
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include <wavegrid/atom/filtered_projectors.hpp>
#include <wavegrid/base/aligned.hpp>
#include <wavegrid/basis/sphere_in_block.hpp>
#include <wavegrid/hamiltonian/interleaved_plane.hpp>
#include <wavegrid/hamiltonian/sphere_kernels.hpp>
#include <wavegrid/terms/couplings.hpp>

namespace wavegrid {

/// How projectors are filtered.
struct ProjectorFilter {
  double ecut = 0;      ///< Ha
  double accuracy = 0;  ///< Ha per atom, of the energy
  std::vector<PseudoAtom> pseudo_atoms;
};

/// The sphere of one atom: ranges of this rank's points, pieces and of projectors.
struct ProjectorSphere {
  int atom, species;
  Range points, pieces, projectors;
  Index first_value;  ///< of (points, projectors), projectors fastest
};

/// Points of one sphere that are summed together: those in one plane, or a single run.
struct SpherePiece {
  Index sphere;
  Index plane;  ///< local x
  Range runs;
  Index first_sum;  ///< its sums are those of this projector of all pieces, and the following ones
};

/// Projectors in the crystal's order of atoms; points in the same order, and those of an atom by line.
template <class Real>
class ProjectorSpheres {
 public:
  /// `pieces_are_runs`: the pieces do not depend on how the grid is divided.
  explicit ProjectorSpheres(ProjectorFilter filter, bool pieces_are_runs = false)
      : filter_(std::move(filter)), pieces_are_runs_(pieces_are_runs) {}

  /// Places the spheres for a crystal; does nothing if its geometry is the present one. In another cell the radii are
  /// kept, so that the energy depends smoothly on the cell. `block`: this rank's. Throws bad_input where the grid
  /// cannot give the accuracy. Local.
  void set(const GridBlock& block, const Crystal& crystal, const Pseudopotentials& atoms);

  [[nodiscard]] Index num_points() const { return num_points_; }  ///< of this rank
  [[nodiscard]] Index num_projectors() const { return couplings_.num_projectors(); }
  [[nodiscard]] const Couplings& couplings() const { return couplings_; }  ///< Ha, diagonal
  [[nodiscard]] const std::vector<ProjectorSphere>& spheres() const { return spheres_; }
  /// All pieces, sphere by sphere.
  [[nodiscard]] const std::vector<SpherePiece>& pieces() const { return pieces_; }
  [[nodiscard]] std::span<const SphereRun> runs(const SpherePiece& piece) const {
    return std::span(runs_).subspan(static_cast<std::size_t>(piece.runs.begin),
                                    static_cast<std::size_t>(piece.runs.size()));
  }
  /// The sums of all pieces for one column.
  [[nodiscard]] Index num_sums() const { return last_sum_; }
  /// The numbers of the pieces of a plane of the grid (local x), by atom.
  [[nodiscard]] std::span<const Index> plane_pieces(Index x) const { return part(by_plane_, plane_starts_, x); }
  /// The lines (local y) of a plane that are in a sphere, rising.
  [[nodiscard]] std::span<const Index> plane_lines(Index x) const { return part(lines_, line_starts_, x); }
  /// A piece for the kernels, with the values sqrt(Omega) beta, bohr^0; `phases`: phases() or empty.
  [[nodiscard]] SphereSlice<Real> slice(const SpherePiece& piece, std::span<const std::complex<Real>> phases) const;
  /// exp(i k.r) at each point, r from its atom; `k` in units of the reciprocal vectors.
  [[nodiscard]] std::vector<std::complex<Real>> phases(const Vec3& k) const;

  [[nodiscard]] const Crystal& crystal() const { return *crystal_; }
  [[nodiscard]] const std::vector<FilteredProjectors>& filtered() const { return filtered_; }  ///< of each species
  /// Calls action(r) for each point of a sphere in order, r from the atom, bohr.
  template <class Action>
  void for_points(const ProjectorSphere& sphere, Action action) const {
    const Atom& atom = crystal_->atoms[static_cast<std::size_t>(sphere.atom)];
    SphereInBlock(crystal_->lattice, block_, atom.position, filtered_[static_cast<std::size_t>(atom.species)].radius)
        .for_runs([](Index, Index) {}, action);
  }

  /// Work arrays of those who use the spheres, one at a time.
  struct Work {
    AlignedVector<Real> planes;   ///< of each thread (my y, nz, lanes)
    AlignedVector<Real> sums;     ///< (sums of all pieces, lanes)
    AlignedVector<Real> weights;  ///< of each group of arrays (projectors, lanes)
  };
  [[nodiscard]] Work& work() { return work_; }
  /// Bytes on a rank with `points` points of all spheres, each in as many projectors, with planes of `plane` points for
  /// each of `threads`. Pure.
  [[nodiscard]] static double bytes(double points, double projectors_per_atom, double plane, int threads) {
    return sizeof(Real) * (points * projectors_per_atom + plane * static_cast<double>(lanes<Real>) * threads);
  }

 private:
  void place();
  void place_sphere(ProjectorSphere& sphere, const Vec3& position, double radius);
  void sort_by_plane();
  void evaluate(const ProjectorSphere& sphere);
  [[nodiscard]] static std::span<const Index> part(const std::vector<Index>& all, const std::vector<Index>& starts,
                                                   Index number) {
    const auto i = static_cast<std::size_t>(number);
    return std::span(all).subspan(static_cast<std::size_t>(starts[i]),
                                  static_cast<std::size_t>(starts[i + 1] - starts[i]));
  }

  ProjectorFilter filter_;
  bool pieces_are_runs_;
  std::optional<Crystal> crystal_;
  GridBlock block_;
  std::vector<FilteredProjectors> filtered_;
  std::vector<ProjectorSphere> spheres_;
  std::vector<SphereRun> runs_;
  std::vector<SpherePiece> pieces_;
  std::vector<Index> plane_starts_, by_plane_, line_starts_, lines_;
  Couplings couplings_;
  AlignedVector<Real> values_;
  Index num_points_ = 0, last_sum_ = 0;
  Work work_;
};

}  // namespace wavegrid
