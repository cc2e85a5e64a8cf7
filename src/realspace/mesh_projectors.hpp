// Projectors on a mesh: each on the points of a sphere around its atom, coupled as terms/couplings.hpp says.
//
//   beta_a,lm,n(r) = p_n(|r - tau_a|) Y_lm(r - tau_a)
//
// p_n are the linear combinations that make the couplings of a channel diagonal, or with spin-orbit terms
// (terms/spinor_couplings.hpp) those of the file, filtered
// (atom/filtered_projectors.hpp), so that sums over points are nearly those integrals of a continuous space that do
// not depend on where the atom is.
//
// The projectors of DFT+U's shells are orbitals of the file, or combinations h = phi W of all orbitals, orthonormal in
// sums over the points (terms/orbital_combination.hpp). These are never formed: the functions on spheres are then the
// projectors of the file and phi, of which <h|psi> = W^+ <phi|psi> is made.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/inner_product.hpp>
#include <wavegrid/mesh/mesh.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>
#include <wavegrid/realspace/mesh_blocks.hpp>
#include <wavegrid/realspace/shell_functions.hpp>
#include <wavegrid/terms/couplings.hpp>
#include <wavegrid/terms/orbital_combination.hpp>

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

/// Where the orbitals of combinations are among the functions, and the combinations among the projectors.
template <class S>
struct MeshOrbitals {
  OrbitalCombination<S> combination;
  Matrix<S> columns;                            ///< those of W that belong to shells, (orbitals, shells)
  std::vector<Index> functions;                 ///< of each orbital
  std::vector<Index> shells;                    ///< the projector of each shell function
  std::vector<std::pair<Index, Index>> others;  ///< a function and the projector that it is
};

/// The projectors of a crystal for one k-point.
template <class S>
class MeshProjectors {
 public:
  /// `kpoint` in units of the reciprocal vectors; `largest_g`: of the mesh, 1/bohr. Local, but collective over the
  /// ranks of the mesh where shells have orthonormal orbitals.
  MeshProjectors(const Mesh& mesh, const Vec3& kpoint, const Crystal& crystal, const Pseudopotentials& atoms,
                 double largest_g);

  [[nodiscard]] Index count() const { return num_projectors_; }
  /// The couplings that the pseudopotentials give, Ha: diagonal without spin-orbit terms and shells.
  [[nodiscard]] const Couplings& couplings() const { return couplings_; }
  /// The projectors of each atom.
  [[nodiscard]] const std::vector<Range>& atom_projectors() const { return atom_projectors_; }

  /// <beta|psi>, (projectors, bands), the same on all ranks. Collective.
  [[nodiscard]] Matrix<S> overlaps(const InnerProduct& product, BandView<const S> psi) const {
    return of_projectors(function_overlaps(product, psi));
  }
  /// <beta|psi> of bands in blocks. Collective.
  [[nodiscard]] Matrix<S> overlaps(const InnerProduct& product, const MeshBlocks<S>& psi) const;
  /// Adds sum |beta> weights for the bands [first, first + width) to a block of them with states fastest,
  /// out[point width + band]. Local.
  void add(const Matrix<S>& weights, Index first, Index width, S* out) const;

  // The functions f on spheres: the projectors, but for combinations of orbitals.

  /// The atom of each function.
  [[nodiscard]] const std::vector<int>& function_atoms() const { return atom_of_; }
  /// Null where no projector is a combination.
  [[nodiscard]] const MeshOrbitals<S>* orbitals() const { return orbitals_ ? &*orbitals_ : nullptr; }
  /// <f|psi>, (functions, bands), the same on all ranks. Collective.
  [[nodiscard]] Matrix<S> function_overlaps(const InnerProduct& product, BandView<const S> psi) const;
  /// <f|(r - tau)_axis|psi> with the position of the atom tau, bohr, in the same form. Collective.
  [[nodiscard]] Matrix<S> function_moments(const InnerProduct& product, int axis, BandView<const S> psi) const;
  /// <beta|psi> from <f|psi>. Pure.
  [[nodiscard]] Matrix<S> of_projectors(Matrix<S> functions) const;
  /// The weights w of sum |f> w = sum |beta> weights for the bands [first, first + width). Pure.
  [[nodiscard]] Matrix<S> of_functions(const Matrix<S>& weights, Index first, Index width) const;
  /// The orbitals of combinations at the points, and functions 0 up to `count`. Local.
  [[nodiscard]] Bands<S> orbital_bands(Index count) const;

 private:
  /// Functions of an atom at this rank's points.
  struct Sphere {
    NearPoints near;
    std::vector<double> values;  ///< (functions, points): the real parts of all functions, then the imaginary ones
    Index first;                 ///< number of the first function
    Index count;                 ///< of functions
    std::array<std::vector<double>, 3> moments;  ///< times x, y, z from the atom, where images were added up
  };
  static constexpr Index parts = ScalarTraits<S>::is_real ? 1 : 2;  ///< real functions of a complex one

  /// Adds functions of an atom, and returns their number.
  Index add_atom(const Mesh& mesh, const Vec3& kpoint, const Crystal& crystal, int atom,
                 const MeshFunctions& functions);
  /// Adds up the values of a point that is near in several images, where that saves memory: of orbitals in small cells.
  static void fold_images(Sphere& sphere);
  /// Sets O^(-1/2). Collective over the ranks of the mesh.
  void orthogonalise_orbitals(const Mesh& mesh);
  /// The values of functions of a species at the points near one atom.
  static std::vector<double> values_at(const NearPoints& near, const MeshFunctions& functions, Index count,
                                       const Vec3& kpoint);
  /// <f|(r - tau)_axis psi>, or <f|psi> without an axis; block_at(first, width): a block, states fastest.
  template <class BlockAt>
  [[nodiscard]] Matrix<S> overlaps_of(const InnerProduct& product, std::optional<int> axis, Index bands,
                                      const BlockAt& block_at) const;
  [[nodiscard]] Matrix<S> overlaps_with(const InnerProduct& product, std::optional<int> axis,
                                        BandView<const S> psi) const;
  /// Those of one atom with a block of bands, states fastest, in the columns of `result` from `first` on.
  void add_overlaps(const Sphere& sphere, std::optional<int> axis, const S* psi, Index first, Index width,
                    Matrix<S>& result) const;

  void add_functions(const Matrix<S>& weights, Index first, Index width, S* out) const;

  Index num_points_ = 0;  ///< of the mesh on this rank
  Index num_projectors_ = 0;
  std::vector<Sphere> spheres_;
  Couplings couplings_;
  std::vector<int> atom_of_;  ///< of each function
  std::optional<MeshOrbitals<S>> orbitals_;
  std::vector<Range> atom_projectors_;
};

}  // namespace wavegrid
