// Separable nonlocal pseudopotential on a mesh: each projector on the points of a sphere around its atom.
//
//   V_nl = sum_a sum_lm sum_n |beta_a,lm,n> D_n <beta_a,lm,n|,   beta(r) = p_n(|r - tau|) Y_lm(r - tau)
//
// p_n are the linear combinations that make the couplings of a channel diagonal, filtered
// (terms/filtered_projectors.hpp), so that sums over points are nearly those integrals of a continuous space that do
// not depend on where the atom is.
#pragma once

#include <vector>

#include "atoms/pseudopotentials.hpp"
#include "linalg/bands.hpp"
#include "linalg/inner_product.hpp"
#include "mesh/mesh.hpp"

namespace wavegrid {

/// Points of this rank near one place, with their distance vectors from it, bohr. A point that is near in several
/// periodic images is listed for each.
struct NearPoints {
  std::vector<Index> points;
  std::vector<Vec3> distances;
  std::vector<Int3> images;  ///< lattice vectors by which the near image lies from the point of the mesh
};
/// The points within `radius` of a Cartesian position. Local.
[[nodiscard]] NearPoints points_near(const Mesh& mesh, const Vec3& position, double radius);

/// What a Bloch function centred at an atom has at a point of the mesh in place of its value at the near image:
/// exp(-i k.R). Local.
template <class S>
[[nodiscard]] S image_phase(const Vec3& kpoint, const Int3& image);

/// The projectors of a crystal for one k-point.
template <class S>
class MeshProjectors {
 public:
  /// `kpoint` in units of the reciprocal vectors; `largest_g`: of the mesh, 1/bohr. Local.
  MeshProjectors(const Mesh& mesh, const Vec3& kpoint, const Crystal& crystal, const Pseudopotentials& atoms,
                 double largest_g);

  [[nodiscard]] Index count() const { return static_cast<Index>(strengths_.size()); }
  /// The strength of each projector, Ha, and the atom that it belongs to.
  [[nodiscard]] const std::vector<double>& strengths() const { return strengths_; }
  [[nodiscard]] const std::vector<int>& atoms() const { return atom_of_; }

  /// <beta|psi>, (projectors, bands), the same on all ranks. Collective.
  [[nodiscard]] Matrix<S> overlaps(const InnerProduct& product, BandView<const S> psi) const;
  /// <beta|(r - tau)_axis|psi> with the position of the atom tau, bohr, in the same form. Collective.
  [[nodiscard]] Matrix<S> moments(const InnerProduct& product, int axis, BandView<const S> psi) const;
  /// out += sum |beta> weights. Local.
  void add(const Matrix<S>& weights, BandView<S> out) const;
  /// out += V_nl psi. Collective.
  void apply(const InnerProduct& product, BandView<const S> psi, BandView<S> out) const;
  /// <psi|V_nl|psi> of each band, Ha. Collective.
  [[nodiscard]] std::vector<double> energies(const InnerProduct& product, BandView<const S> psi) const;

 private:
  /// The projectors of an atom at this rank's points: values (points, projectors).
  struct Sphere {
    NearPoints near;
    Matrix<S> values;
    Index first = 0;  ///< number of the first projector
  };
  /// Space for the values of some of the bands at the points of any one sphere.
  [[nodiscard]] std::vector<S> values_near(Index bands) const;
  /// <beta|f psi>; factor(distance from the atom).
  template <class Factor>
  [[nodiscard]] Matrix<S> overlaps_with(const InnerProduct& product, BandView<const S> psi, Factor factor) const;

  std::vector<Sphere> spheres_;
  std::vector<double> strengths_;
  std::vector<int> atom_of_;
};

}  // namespace wavegrid
