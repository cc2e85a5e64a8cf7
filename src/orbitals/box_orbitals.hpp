// Local orbitals of one k-point in boxes: matrices of potentials, and the density of a density matrix.
//
//   V_ij = dV sum_r conj(u_i(r)) V(r) u_j(r),   n(r) = sum_ij K_ij u_i(r) conj(u_j(r))
//
// Each rank has the functions of its atoms and the potential at the points of their boxes. A block of a matrix needs
// the functions of two atoms: those of another rank come through a FunctionStore, and of the two ranks one computes the
// block. A density is computed at the points of the boxes of one of both atoms and deposited by the caller.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include <wavegrid/boxes/block_sparse.hpp>
#include <wavegrid/boxes/function_store.hpp>
#include <wavegrid/orbitals/orbital_layout.hpp>
#include <wavegrid/orbitals/run_products.hpp>
#include <wavegrid/orbitals/sphere_rows.hpp>

namespace wavegrid {

/// A linear operator on the functions of an atom; its result is in another box, which has all of the layout's boxes
/// with points in common with the atom's.
template <class S>
struct OrbitalOperator {
  /// With the rows where results can be other than 0; they are valid until the next call.
  std::function<BoxPart(Index atom)> box;
  /// Values (functions, points of its box) of those in the atom's box.
  std::function<void(Index atom, std::span<const S> from, std::span<S> to)> apply;
};

/// S: double or complex. Members are collective over the communicator unless they say "local". Results do not depend
/// on the number of ranks, bit for bit, as far as those of BLAS depend on sizes only.
template <class S>
class BoxOrbitals {
 public:
  /// Writes the values (functions, points of the box) of an atom of this rank.
  using Fill = std::function<void(Index atom, std::span<S> values)>;

  /// The atoms are those of `layout` over the ranks of `comm`. `spheres`: functions are 0 outside of them; null: boxes.
  /// Layout and spheres must outlive this object.
  BoxOrbitals(const Comm& comm, const OrbitalLayout& layout, const Fill& fill, const SphereRows* spheres = nullptr);

  /// Replaces the functions.
  void set(const Fill& fill) {
    store_.set([&](Index atom, std::span<S> values) { fill(atom, values); });
  }
  /// Values of a field in the boxes of this rank's atoms, box after box. Local.
  [[nodiscard]] Index box_values() const { return offsets_.back(); }

  /// dV sum conj(u_i) v u_j of a field v in the boxes, Hermitian, with blocks of boxes with common points; an empty
  /// field is 1.
  [[nodiscard]] BlockSparse<S> matrix(std::span<const double> field, double volume_element);
  /// dV sum conj(u_i) A u_j of a Hermitian operator, the sum of these; 0 for boxes without common points.
  [[nodiscard]] BlockSparse<S> matrix(std::span<const OrbitalOperator<S>> a, double volume_element);
  /// sums_i += sum_j (A u_j) w_ji at the points of the boxes (or spheres) of this rank's atoms, of the functions of
  /// atoms whose boxes have points in common with them: (functions, points), atom after atom. None: A = 1. w is
  /// Hermitian.
  void combine(std::span<const OrbitalOperator<S>> a, const BlockSparse<S>& w, std::span<S> sums);
  /// The functions of an atom of this rank: (functions, points of the box). Local.
  [[nodiscard]] std::span<const S> own(Index atom) const { return store_.own(atom); }
  /// The points of an atom's functions. Local.
  [[nodiscard]] BoxPart part(Index atom) const {
    return {layout_.box(atom), spheres_ != nullptr ? spheres_->of(atom) : std::span<const RowPart>()};
  }
  /// values += this rank's part of the density of a Hermitian matrix, in its boxes.
  void add_density(const BlockSparse<S>& k, std::span<double> values);

  [[nodiscard]] FunctionTraffic traffic() const { return store_.traffic(); }

 private:
  /// Whether the block of two atoms, one of which is of this rank, is computed with the boxes of `a`.
  [[nodiscard]] static bool is_of_first(Index a, Index b) { return a == b || (((a + b) % 2 == 0) == (a < b)); }
  /// Atoms with which this rank's atoms have common points, rising; or only those with blocks to compute.
  [[nodiscard]] std::vector<Index> neighbours(bool with_blocks) const;
  /// Calls visit(a) for the atoms of this rank with which an atom has common points.
  template <class Visit>
  void for_mine(Index atom, Visit visit) const {
    const Range mine = layout_.atoms(comm_.rank());
    const std::vector<Index>& near = layout_.neighbours(atom);
    for (auto a = std::lower_bound(near.begin(), near.end(), mine.begin); a != near.end() && *a < mine.end; ++a)
      visit(*a);
  }
  /// A Hermitian matrix whose blocks of pairs that are this rank's work(block_of) sets; block_of(a, b).
  template <class Work>
  [[nodiscard]] BlockSparse<S> hermitian(Work work) const;
  /// Calls work(a, b, functions) for each pair that is this rank's.
  template <class Work>
  void for_pairs(Work work);

  Comm comm_;
  const OrbitalLayout& layout_;
  const SphereRows* spheres_;
  FunctionStore<S> store_;
  std::vector<Index> offsets_;          ///< values in the boxes before each of this rank's atoms
  std::vector<Index> function_values_;  ///< of the functions before each of them
  std::vector<Index> partners_, neighbours_;
  std::vector<CommonRun> runs_;  ///< of the present pair
  RunProducts<S> products_;
};

}  // namespace wavegrid
