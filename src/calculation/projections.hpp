// Projections of bands onto the orbitals of the atoms, orthonormalised symmetrically:
//
//   p_{a,l}(nk) = sum_m |<phi'_{a,lm}|psi_nk>|^2,   phi'_i = sum_j phi_j (S^(-1/2))_ji,   S_ij = <phi_i|phi_j>
//
// so that the projections of a band add up to at most 1. P.-O. Löwdin, J. Chem. Phys. 18, 365 (1950),
// 10.1063/1.1747632. The orbitals are those that come with the pseudopotential (of UPF files the ones with an
// occupation that is not negative, as in projwfc.x); without any the levels of the pseudo-atom from which calculations
// start, of H and He the occupied one only. On meshes these levels are used for all pseudopotentials.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/problem/problem.hpp>
#include <wavegrid/scf/kohn_sham_bands.hpp>
#include <wavegrid/wavefunctions/spinor_rotation.hpp>

namespace wavegrid {

/// All orbitals of an atom with one angular momentum, or of these one real harmonic; of spinors those of a total
/// angular momentum j, or one component m_j of these along z.
struct OrbitalChannel {
  int atom = 0;  ///< in the crystal's order, from 0
  int l = 0;
  int m = -1;       ///< index of the harmonic (spherical_harmonics.hpp), or j + m_j, from 0; -1: all of them
  int twice_j = 0;  ///< 0: both j
};

/// The same on all ranks.
struct Projections {
  std::vector<OrbitalChannel> channels;  ///< by atom, then by l, then by j, then by m
  /// Ordered k-point, spin, band, channel. Each state stands for all that symmetry makes of it: averages over them.
  std::vector<double> weights;
  std::vector<bool> from_file;  ///< for each species: whether the orbitals came with its pseudopotential
};

/// Projects bands, k-point by k-point. Refers to the problem.
class BandProjector {
 public:
  /// `from_files`: whether the orbitals that come with a pseudopotential are used where there are any.
  BandProjector(const Problem& problem, std::vector<PseudoAtom> atoms, bool from_files);

  /// The number of orbitals, for all m. Local.
  [[nodiscard]] Index num_orbitals() const { return static_cast<Index>(function_channel_.size()); }
  /// The levels of each species that are used where there are no orbitals from a file. Local.
  [[nodiscard]] const std::vector<PseudoAtom>& atoms() const { return atoms_; }
  /// Computes the weights of the problem's bands of one k-point and spin, on the first rank of the k-point group.
  /// `orbitals`: of all atoms, species by species, on the rows of the bands. Collective over the k-point group.
  template <class S>
  void add(KohnShamBands<S>& of, BandView<const S> orbitals);
  /// The weights of all states of a table. Collective over the world.
  [[nodiscard]] Projections gather(const ProcessGroups& groups, const StateTable& table) const;

 private:
  void make_channels();
  [[nodiscard]] bool takes_file_of(int species) const;
  /// Adds a function's weights to its channel, for each band.
  template <class D>
  [[nodiscard]] std::vector<double> channel_weights(const Matrix<D>& overlaps) const;
  /// The average over the operations of the group, of one band.
  [[nodiscard]] std::vector<double> star_average(const std::vector<double>& weights) const;
  /// The same of each harmonic: rotated amplitudes of one band.
  template <class D>
  [[nodiscard]] std::vector<double> star_average(const Matrix<D>& overlaps, Index band) const;
  void make_rotations();
  /// The first channel of an atom and an angular momentum.
  [[nodiscard]] std::size_t first_channel(std::size_t atom, int l) const;
  /// By j and m_j, of one band: averages over the operations, of nonmagnetic groups with time reversal.
  template <class D>
  [[nodiscard]] std::vector<double> momentum_weights(const Matrix<D>& overlaps, Index band) const;

  /// The orbitals of an atom with one radial function.
  struct Shell {
    int atom, l;
    Index first;  ///< of its functions
  };
  /// What an operation makes of orbitals.
  struct Image {
    std::vector<std::size_t> atoms;           ///< the image of each atom
    std::vector<Matrix<double>> rotations{};  ///< of the harmonics of each l
    SpinorMatrix spin{1.0, 0.0, 0.0, 1.0};    ///< of the components of spinors
    bool time_reversed = false;
  };
  struct Projected {
    int k, spin;
    std::vector<double> weights;  ///< band, channel
  };
  const Problem& problem_;
  bool from_files_;
  std::vector<PseudoAtom> atoms_;  ///< with the levels that are used
  std::vector<OrbitalChannel> channels_;
  std::vector<std::size_t> function_channel_;     ///< in the order of place_on_atoms
  std::vector<std::vector<std::size_t>> images_;  ///< of each operation: the channel to which it maps a channel
  std::vector<Projected> found_;
  std::vector<Matrix<std::complex<double>>> momentum_states_{};  ///< of each l (total_momentum.hpp), where j counts
  std::vector<Shell> shells_;                                    ///< in the order of place_on_atoms
  std::vector<Image> rotated_images_;  ///< of each operation, where each harmonic or j counts for itself
};

}  // namespace wavegrid
