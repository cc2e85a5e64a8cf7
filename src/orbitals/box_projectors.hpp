// Projectors of pseudopotentials at the points of boxes around their atoms: sums of the waves of the box.
//
//   p(r) = 1/Omega_box sum_q (-i)^l F(q) Y_lm(q) exp(iq.(r - tau))
//
// q: the single waves of BoxWaves. Where the box is the cell these are the projectors of plane waves, of all waves of
// the grid.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/fock/box_fft.hpp>
#include <wavegrid/orbitals/box_orbitals.hpp>
#include <wavegrid/orbitals/box_waves.hpp>
#include <wavegrid/orbitals/orbital_matrices.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// The size of the boxes of all atoms: projectors are negligible outside. Pure.
[[nodiscard]] Int3 projector_box(const Lattice& lattice, const Int3& grid, const Pseudopotentials& potentials);

/// A number for each projector and each function near it: of each atom with functions the blocks (projectors,
/// functions) of the atoms with projectors near it, rising; empty where this rank does not need them.
template <class S>
using ProjectorBlocks = std::vector<AlignedVector<S>>;

/// Of norm-conserving potentials of one component. S: real for Gamma. Members are local unless they say otherwise.
template <class S>
class BoxProjectors {
 public:
  /// Samples those whose boxes have points in common with a box of this rank's atoms. `crystal`: its atoms are those of
  /// the layout. `k` in units of the reciprocal vectors. The layout must outlive this object. Collective.
  BoxProjectors(const Comm& comm, const OrbitalLayout& layout, const Crystal& crystal,
                const Pseudopotentials& potentials, const Vec3& k, bool deterministic);

  [[nodiscard]] Index num_projectors() const { return first_.back(); }
  [[nodiscard]] Range of_atom(Index atom) const {
    return {first_[static_cast<std::size_t>(atom)], first_[static_cast<std::size_t>(atom) + 1]};
  }
  /// dV sum conj(p) u, of this rank's functions and of those that share a projector with them. Collective.
  [[nodiscard]] ProjectorBlocks<S> overlaps(const BoxOrbitals<S>& orbitals, double volume_element);
  /// dV sum conj(d p / d tau) u along each axis, of this rank's functions.
  [[nodiscard]] std::array<ProjectorBlocks<S>, 3> slopes(const BoxOrbitals<S>& orbitals, double volume_element) const;
  /// P^H D P of overlaps(), Ha: blocks of atoms that share a projector.
  [[nodiscard]] BlockSparse<S> energies(const ProjectorBlocks<S>& projections) const;
  /// D P K of this rank's functions, Ha, for combine(); K is Hermitian.
  [[nodiscard]] ProjectorBlocks<S> weights(const ProjectorBlocks<S>& projections, const BlockSparse<S>& k) const;
  /// sums_i += sum_p p w_pi at the points of this rank's functions, as BoxOrbitals::combine().
  void combine(const ProjectorBlocks<S>& w, const BoxOrbitals<S>& orbitals, std::span<S> sums) const;
  /// Calls visit(atom of the projectors, block) for the blocks of an atom with functions.
  template <class Visit>
  void for_blocks(Index atom, const ProjectorBlocks<S>& all, Visit visit) const {
    const S* at = all[static_cast<std::size_t>(atom)].data();
    for (const Index b : projectors_near_[static_cast<std::size_t>(atom)]) {
      const auto size = static_cast<std::size_t>(of_atom(b).size() * layout_.functions(atom).size());
      visit(b, std::span<const S>(at, size));
      at += size;
    }
  }

 private:
  using Complex = std::complex<double>;
  struct Species {
    std::vector<std::vector<Complex>> functions;  ///< of each projector at each place of a transform, without phase
    std::vector<double> strengths;                ///< Ha
  };
  [[nodiscard]] Species species(const Pseudopotential& potential) const;
  /// The values (projectors, points) of an atom; along `axis` their derivatives by its position.
  void sample(Index atom, int axis, std::span<S> values) const;
  [[nodiscard]] Range mine() const { return layout_.atoms(comm_.rank()); }
  [[nodiscard]] const std::vector<Index>& functions_near(Index b) const {
    return functions_near_[static_cast<std::size_t>(b)];
  }
  /// Of all blocks of an atom with functions.
  [[nodiscard]] Index values_of(Index atom) const;
  /// Where the block of the projectors of `b` begins among those of an atom with functions.
  [[nodiscard]] Index offset(Index b, Index atom) const;
  /// Zeros for this rank's functions.
  [[nodiscard]] ProjectorBlocks<S> zeros() const;
  /// Gets the blocks of functions that share a projector with this rank's. Collective.
  void share(ProjectorBlocks<S>& blocks);
  /// D P of the projectors of an atom and all functions near them.
  [[nodiscard]] AlignedVector<S> scaled(Index b, const ProjectorBlocks<S>& projections) const;
  /// Adds the products of the projectors of an atom at their points and the functions of this rank.
  void add_overlaps(Index atom, std::span<const S> values, const BoxOrbitals<S>& orbitals, double volume_element,
                    ProjectorBlocks<S>& sum) const;

  Comm comm_;
  const OrbitalLayout& layout_;
  Crystal crystal_;
  BoxWaves waves_;
  BoxFft fft_;
  std::vector<Species> species_;
  std::vector<Index> first_;                                          ///< projector of each atom, and their number
  std::vector<Box> boxes_;                                            ///< of each atom
  std::vector<double> strengths_;                                     ///< of all projectors, Ha
  std::vector<std::vector<Index>> functions_near_, projectors_near_;  ///< of each atom with the other, rising
  std::vector<AlignedVector<S>> values_;                              ///< of each atom; empty where they are not needed
  std::vector<Index> wanted_;  ///< atoms with functions that share a projector with this rank's
  std::optional<FunctionStore<S>> store_;
};

}  // namespace wavegrid
