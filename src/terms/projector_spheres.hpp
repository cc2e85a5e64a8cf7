// The projectors of a crystal on the points of an FFT grid: a sphere around each atom. The same for all k-points: their
// phases are multiplied to the bands (projection.hpp).
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "linalg/bands.hpp"
#include "terms/filtered_projectors.hpp"
#include "terms/sphere_in_block.hpp"

namespace wavegrid {

/// How projectors are filtered.
struct ProjectorFilter {
  double ecut = 0;      ///< Ha
  double accuracy = 0;  ///< Ha per atom, of the energy
  std::vector<PseudoAtom> pseudo_atoms;
};

/// Consecutive points of one sphere on one line of this rank's block of the grid.
struct SphereRun {
  Index line, z, length;  ///< line: x * (my y) + y
  Index point;            ///< number of its first point among this rank's points of all spheres
};

/// The sphere of one atom: ranges of this rank's runs and points, and of projectors.
struct ProjectorSphere {
  int atom, species;
  Range runs, points, projectors;
  Index first_value;  ///< of (points, projectors), column-major
};

/// Projectors in the crystal's order of atoms; points in the same order, and those of an atom by line.
template <class Real>
class ProjectorSpheres {
 public:
  explicit ProjectorSpheres(ProjectorFilter filter) : filter_(std::move(filter)) {}

  /// Places the spheres for a crystal; does nothing if its geometry is the present one. In another cell the radii are
  /// kept, so that the energy depends smoothly on the cell. `block`: this rank's. Throws bad_input where the grid
  /// cannot give the accuracy. Local.
  void set(const GridBlock& block, const Crystal& crystal, const Pseudopotentials& atoms);

  [[nodiscard]] Index num_points() const { return num_points_; }  ///< of this rank
  [[nodiscard]] Index num_projectors() const { return static_cast<Index>(strengths_.size()); }
  [[nodiscard]] const std::vector<double>& strengths() const { return strengths_; }  ///< Ha, one per projector
  [[nodiscard]] const std::vector<ProjectorSphere>& spheres() const { return spheres_; }
  [[nodiscard]] std::span<const SphereRun> runs(const ProjectorSphere& sphere) const {
    return std::span(runs_).subspan(static_cast<std::size_t>(sphere.runs.begin),
                                    static_cast<std::size_t>(sphere.runs.size()));
  }
  /// sqrt(Omega) beta at the points of a sphere, (points, projectors), bohr^0.
  [[nodiscard]] const Real* values(const ProjectorSphere& sphere) const { return values_.data() + sphere.first_value; }
  /// The numbers of the runs of a line, by atom.
  [[nodiscard]] std::span<const Index> runs_of_line(Index line) const {
    const auto i = static_cast<std::size_t>(line);
    return std::span(by_line_).subspan(static_cast<std::size_t>(line_starts_[i]),
                                       static_cast<std::size_t>(line_starts_[i + 1] - line_starts_[i]));
  }
  [[nodiscard]] const SphereRun& run(Index number) const { return runs_[static_cast<std::size_t>(number)]; }
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
    AlignedVector<Real> points;  ///< real parts, then imaginary parts of each array at all points
    Matrix<Real> weights;        ///< (projectors, real and imaginary part of each array)
  };
  [[nodiscard]] Work& work() { return work_; }
  /// Bytes on a rank with `points` points of all spheres, each in as many projectors, for `arrays` arrays. Pure.
  [[nodiscard]] static double bytes(double points, double projectors_per_atom, double arrays) {
    return sizeof(Real) * points * (projectors_per_atom + 2 * arrays);
  }

 private:
  void place();
  void evaluate(const ProjectorSphere& sphere);

  ProjectorFilter filter_;
  std::optional<Crystal> crystal_;
  GridBlock block_;
  std::vector<FilteredProjectors> filtered_;
  std::vector<ProjectorSphere> spheres_;
  std::vector<SphereRun> runs_;
  std::vector<Index> line_starts_, by_line_;
  std::vector<double> strengths_;
  AlignedVector<Real> values_;
  Index num_points_ = 0;
  Work work_;
};

}  // namespace wavegrid
