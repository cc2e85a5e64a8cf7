// The Kohn-Sham Hamiltonian of one k-point and spin, as used by the self-consistency loop.
#pragma once

#include <span>
#include <vector>

#include "base/error.hpp"
#include "eigen/band_operator.hpp"
#include "scf/atom_matrices.hpp"

namespace wavegrid {

/// H = T + V(r) + V_nl with a potential V that changes from step to step. Potentials and densities are real functions
/// at the points on which this rank's operators work (FieldSpace::to_operators). Members are collective over the ranks
/// of the inner product unless they say "local".
template <class S>
class KohnShamOperator : public BandOperator<S> {
 public:
  using Real = RealOf<S>;

  /// Replaces V, Ha, which must live as long as it is used. Local.
  virtual void set_potential(std::span<const Real> potential) = 0;
  /// Replaces the couplings D of the projectors, Ha, which are those of the pseudopotentials at first. The default
  /// throws internal_error: no projectors. Local.
  virtual void set_couplings(const AtomMatrices& d);
  /// Gives the projectors overlaps q: S = 1 + sum |p> q <p|, which must be positive definite; without, S = 1. Bands
  /// made before have to be orthonormalised again. The default throws internal_error. Local.
  virtual void set_overlaps(const AtomMatrices& q);
  /// density += sum_b weights[b] |psi_b(r)|^2, electrons/bohr^3 for weights in electrons: this rank's part, to be
  /// summed by FieldSpace::sum_of_operators.
  virtual void accumulate_density(BandView<const S> psi, std::span<const double> weights,
                                  std::span<double> density) = 0;
  /// <psi|T|psi> of each band, Ha.
  [[nodiscard]] virtual std::vector<double> kinetic_energies(BandView<const S> psi) const = 0;
  /// <psi|V_nl|psi> of each band, Ha; zeros where there is no such part.
  [[nodiscard]] virtual std::vector<double> nonlocal_energies(BandView<const S> psi);
  /// Called before each round of the eigensolver. Local.
  virtual void prepare_round() {}
  /// Bands to which H was applied so far, and changes of its potential where these cost about as much: a pair of
  /// transforms in plane waves. On a mesh a change is a product at each point and is not counted. Local.
  [[nodiscard]] virtual Index applications() const = 0;

 protected:
  using BandOperator<S>::BandOperator;
};

template <class S>
void KohnShamOperator<S>::set_couplings(const AtomMatrices&) {
  throw internal_error("this operator has no projectors");
}

template <class S>
void KohnShamOperator<S>::set_overlaps(const AtomMatrices&) {
  throw internal_error("this operator has no projectors");
}

template <class S>
std::vector<double> KohnShamOperator<S>::nonlocal_energies(BandView<const S> psi) {
  return std::vector<double>(static_cast<std::size_t>(psi.count), 0.0);
}

}  // namespace wavegrid
