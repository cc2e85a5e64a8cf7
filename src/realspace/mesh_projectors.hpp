// Projectors on a mesh: each on the points of a sphere around its atom, coupled as terms/couplings.hpp says.
//
//   beta_a,lm,n(r) = p_n(|r - tau_a|) Y_lm(r - tau_a)
//
// p_n are the linear combinations that make the couplings of a channel diagonal, or with spin-orbit terms
// (terms/spinor_couplings.hpp) those of the file, filtered
// (atom/filtered_projectors.hpp), so that sums over points are nearly those integrals of a continuous space that do
// not depend on where the atom is.
#pragma once

#include <optional>
#include <vector>

#include <wavegrid/atom/filtered_projectors.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/inner_product.hpp>
#include <wavegrid/mesh/mesh.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>
#include <wavegrid/realspace/mesh_blocks.hpp>
#include <wavegrid/terms/couplings.hpp>

namespace wavegrid {

/// Points of this rank near one place, with their distance vectors from it, bohr. A point that is near in several
/// periodic images is listed for each. In ascending order of the points.
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

  [[nodiscard]] Index count() const { return std::ssize(atom_of_); }
  /// The couplings that the pseudopotentials give, Ha: diagonal without spin-orbit terms.
  [[nodiscard]] const Couplings& couplings() const { return couplings_; }
  /// The atom of each projector, and the projectors of each atom.
  [[nodiscard]] const std::vector<int>& atoms() const { return atom_of_; }
  [[nodiscard]] const std::vector<Range>& atom_projectors() const { return atom_projectors_; }

  /// <beta|psi>, (projectors, bands), the same on all ranks. Collective.
  [[nodiscard]] Matrix<S> overlaps(const InnerProduct& product, BandView<const S> psi) const;
  /// <beta|(r - tau)_axis|psi> with the position of the atom tau, bohr, in the same form. Collective.
  [[nodiscard]] Matrix<S> moments(const InnerProduct& product, int axis, BandView<const S> psi) const;
  /// <beta|psi> of bands in blocks. Collective.
  [[nodiscard]] Matrix<S> overlaps(const InnerProduct& product, const MeshBlocks<S>& psi) const;
  /// Adds sum |beta> weights for the bands [first, first + width) to a block of them with states fastest,
  /// out[point width + band]. Local.
  void add(const Matrix<S>& weights, Index first, Index width, S* out) const;

 private:
  /// The projectors of an atom at this rank's points.
  struct Sphere {
    NearPoints near;
    std::vector<double> values;  ///< (functions, points): the real parts of all projectors, then the imaginary ones
    Index first;                 ///< number of the first projector
    Index count;                 ///< of projectors
  };
  static constexpr Index parts = ScalarTraits<S>::is_real ? 1 : 2;  ///< real functions of a projector

  /// The values of all projectors of a species at the points near one atom.
  static std::vector<double> values_at(const NearPoints& near, const FilteredProjectors& projectors, Index count,
                                       const Vec3& kpoint);
  /// <beta|(r - tau)_axis psi>, or <beta|psi> without an axis; block_at(first, width): a block, states fastest.
  template <class BlockAt>
  [[nodiscard]] Matrix<S> overlaps_of(const InnerProduct& product, std::optional<int> axis, Index bands,
                                      const BlockAt& block_at) const;
  [[nodiscard]] Matrix<S> overlaps_with(const InnerProduct& product, std::optional<int> axis,
                                        BandView<const S> psi) const;
  /// Those of one atom with a block of bands, states fastest, in the columns of `result` from `first` on.
  void add_overlaps(const Sphere& sphere, std::optional<int> axis, const S* psi, Index first, Index width,
                    Matrix<S>& result) const;

  Index num_points_ = 0;  ///< of the mesh on this rank
  std::vector<Sphere> spheres_;
  Couplings couplings_;
  std::vector<int> atom_of_;
  std::vector<Range> atom_projectors_;
};

}  // namespace wavegrid
