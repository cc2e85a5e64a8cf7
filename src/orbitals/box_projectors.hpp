// Projectors of pseudopotentials at the points of boxes around their atoms: sums of the waves of the box.
//
//   p(r) = 1/Omega_box sum_q (-i)^l F(q) Y_lm(q) exp(iq.(r - tau))
//
// q: the single waves of BoxWaves. Where the box is the cell these are the projectors of plane waves, of all waves of
// the grid.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/fock/box_fft.hpp>
#include <wavegrid/orbitals/box_orbitals.hpp>
#include <wavegrid/orbitals/box_waves.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// The size of the boxes of all atoms: projectors are negligible outside. Pure.
[[nodiscard]] Int3 projector_box(const Lattice& lattice, const Int3& grid, const Pseudopotentials& potentials);

/// Of norm-conserving potentials of one component. S: real for Gamma.
template <class S>
class BoxProjectors {
 public:
  /// Samples those whose boxes have points in common with a box of this rank's atoms. `k` in units of the reciprocal
  /// vectors. The layout must outlive this object. Local.
  BoxProjectors(const Comm& comm, const OrbitalLayout& layout, const Crystal& crystal,
                const Pseudopotentials& potentials, const Vec3& k, bool deterministic);

  [[nodiscard]] Index num_projectors() const { return first_.back(); }
  [[nodiscard]] Range of_atom(Index atom) const {
    return {first_[static_cast<std::size_t>(atom)], first_[static_cast<std::size_t>(atom) + 1]};
  }
  /// dV sum conj(p) u, (projectors, functions), whole on all ranks. Collective.
  [[nodiscard]] Matrix<S> overlaps(const BoxOrbitals<S>& orbitals, double volume_element) const;
  /// dV sum conj(d p / d tau) u along each axis, (projectors, functions) of this rank's functions, the others 0. Local.
  [[nodiscard]] std::array<Matrix<S>, 3> slopes(const BoxOrbitals<S>& orbitals, double volume_element) const;
  /// Adds P^H D P of overlaps(), Ha. Local.
  void add_energies(const Matrix<S>& projections, Matrix<S>& h) const;
  /// D P K at the functions near each projector, Ha, for combine(); the others 0. Local.
  [[nodiscard]] Matrix<S> weights(const Matrix<S>& projections, const Matrix<S>& k) const;
  /// sums_i += sum_p p w_pi at the points of the boxes of this rank's atoms, as BoxOrbitals::combine(). Local.
  void combine(const Matrix<S>& w, std::span<S> sums) const;

 private:
  using Complex = std::complex<double>;
  struct Species {
    std::vector<std::vector<Complex>> functions;  ///< of each projector at each place of a transform, without phase
    std::vector<double> strengths;                ///< Ha
  };
  [[nodiscard]] Species species(const Pseudopotential& potential) const;
  /// The values (projectors, points) of an atom; along `axis` their derivatives by its position.
  void sample(Index atom, int axis, std::span<S> values) const;
  /// Calls work(projectors, functions near them, P, D P) for each atom, with their part of P.
  template <class Work>
  void for_atoms(const Matrix<S>& projections, Work work) const;
  /// Adds the products of the projectors of an atom at their points and the functions of this rank.
  void add_overlaps(Index atom, std::span<const S> values, const BoxOrbitals<S>& orbitals, double volume_element,
                    Matrix<S>& sum) const;

  Comm comm_;
  const OrbitalLayout& layout_;
  Crystal crystal_;
  BoxWaves waves_;
  BoxFft fft_;
  std::vector<Species> species_;
  std::vector<Index> first_;              ///< projector of each atom, and their number
  std::vector<Box> boxes_;                ///< of each atom
  std::vector<double> strengths_;         ///< of all projectors, Ha
  std::vector<AlignedVector<S>> values_;  ///< of each atom; empty where they are not needed
};

}  // namespace wavegrid
