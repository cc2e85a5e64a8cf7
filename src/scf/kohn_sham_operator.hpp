// The Kohn-Sham Hamiltonian of one k-point and spin, as used by the self-consistency loop.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/vec3.hpp>
#include <wavegrid/eigen/band_operator.hpp>
#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/scf/compressed_exchange.hpp>
#include <wavegrid/scf/operator_potential.hpp>

namespace wavegrid {

/// Derivatives of the energies of bands, with their occupations.
struct BandDerivatives {
  std::vector<Vec3> forces;                  ///< of the projectors on all atoms, Ha/bohr, Cartesian
  Mat3 nonlocal_strain{}, kinetic_strain{};  ///< dE/d eps_ab, Ha, symmetric
  Mat3 tau_strain{};                         ///< the same of the terms that depend on tau, by the change of tau
};

/// H = T + V(r) + V_nl with a potential that changes from step to step, and for a meta-GGA the operator
///
///   -1/2 div(v_tau grad) = 1/4 (Lap v_tau) - 1/4 (v_tau Lap + Lap v_tau)
///
/// as the derivative of E_xc by the bands, with the kinetic-energy density as accumulate_densities() defines it; in
/// time with 1/2 (a.p + p.a), the derivative of an energy of the current as accumulate_current() defines it. Members
/// are collective over the ranks of the inner product unless they say "local".
template <class S>
class KohnShamOperator : public BandOperator<S> {
 public:
  using Real = RealOf<S>;

  /// Replaces the potential, whose values must live as long as they are used; couplings are copied. apply_change()
  /// takes changes of the same number of fields, and adds the change of the couplings by this call. Local.
  virtual void set_potential(const OperatorPotential<Real>& potential) = 0;
  /// Replaces the couplings D of the projectors, Ha, which are those of the pseudopotentials at first. The default
  /// throws internal_error: no projectors. Local.
  virtual void set_couplings(const AtomMatrices& d);
  /// Gives the projectors overlaps q: S = 1 + sum |p> q <p|, which must be positive definite; without, S = 1. Bands
  /// made before have to be orthonormalised again. The default throws internal_error. Local.
  virtual void set_overlaps(const AtomMatrices& q);
  /// Whether solve_overlap() is exact and direct from now on, as long as neither projectors nor overlaps change: by
  /// a matrix over all projectors. The default: it stays what it is.
  virtual void keep_overlap_inverse(bool /*kept*/) {}
  /// Adds exact exchange to H, or removes it (null). The default throws internal_error: no exact exchange. Local.
  virtual void set_exchange(std::shared_ptr<const CompressedExchange<S>> exchange);
  /// <psi|V_x|psi> of each band with that, Ha; zeros where there is none.
  [[nodiscard]] virtual std::vector<double> exchange_energies(BandView<const S> psi);
  /// density += sum_b weights[b] |psi_b(r)|^2, electrons/bohr^3 for weights in electrons: this rank's part, to be
  /// summed by FieldSpace::sum_over_operators.
  virtual void accumulate_density(BandView<const S> psi, std::span<const double> weights,
                                  std::span<double> density) = 0;
  /// The same, and kinetic -= 1/2 sum_b weights[b] Re(conj(psi_b) Lap psi_b), Ha/bohr^3: 1/4 Lap of the density has to
  /// be added to give the kinetic-energy density 1/2 sum_b weights[b] |grad psi_b|^2. The default throws
  /// internal_error, for operators without a meta-GGA.
  virtual void accumulate_densities(BandView<const S> psi, std::span<const double> weights, std::span<double> density,
                                    std::span<double> kinetic);
  /// p psi = -i d psi/dr along a Cartesian axis, 1/bohr, the vector potential included. The default throws
  /// internal_error, for real bands.
  virtual void momentum(int axis, BandView<const S> psi, BandView<S> out) const;
  /// current += sum_b weights[b] Re(conj(psi_b) p psi_b) for p along a Cartesian axis, electrons/(bohr^2 hbar/Ha), as
  /// accumulate_density, by whose polarisation it is found: |psi + p psi|^2 - |psi - p psi|^2.
  void accumulate_current(int axis, BandView<const S> psi, std::span<const double> weights, std::span<double> current);
  /// Of spinors: density += sum_b weights[b] psi_b^+(r) (1, sigma_x, sigma_y, sigma_z) psi_b(r), four fields one after
  /// the other, as accumulate_density. The default throws internal_error, for operators without spinors.
  virtual void accumulate_vector_density(BandView<const S> psi, std::span<const double> weights,
                                         std::span<double> density);
  /// rho += sum_b weights[b] <psi_b|p_i><p_j|psi_b> of each atom; the same on all ranks. The default throws
  /// internal_error: no projectors.
  virtual void accumulate_projections(BandView<const S> psi, std::span<const double> weights, AtomMatrices& rho);
  /// <psi|T|psi> of each band, Ha.
  [[nodiscard]] virtual std::vector<double> kinetic_energies(BandView<const S> psi) const = 0;
  /// <psi|V_nl|psi> of each band with the couplings of the pseudopotentials, Ha; zeros where there is no such part.
  [[nodiscard]] virtual std::vector<double> nonlocal_energies(BandView<const S> psi);
  /// Adds the derivatives for bands with `occupations` in electrons, the weight of the k-point included, and
  /// `eigenvalues` in Ha; `sum` has a force for each atom. The same on all ranks. In double precision.
  virtual void add_derivatives(BandView<const S> /*psi*/, std::span<const double> /*occupations*/,
                               std::span<const double> /*eigenvalues*/, bool /*with_strain*/,
                               BandDerivatives& /*sum*/) {
    throw internal_error("an operator without derivatives");
  }
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
void KohnShamOperator<S>::set_exchange(std::shared_ptr<const CompressedExchange<S>>) {
  throw internal_error("an operator without exact exchange");
}

template <class S>
std::vector<double> KohnShamOperator<S>::exchange_energies(BandView<const S> psi) {
  return std::vector<double>(static_cast<std::size_t>(psi.count), 0.0);
}

template <class S>
void KohnShamOperator<S>::accumulate_densities(BandView<const S>, std::span<const double>, std::span<double>,
                                               std::span<double>) {
  throw internal_error("an operator without a kinetic-energy density");
}

template <class S>
void KohnShamOperator<S>::momentum(int, BandView<const S>, BandView<S>) const {
  throw internal_error("an operator without a momentum");
}

template <class S>
void KohnShamOperator<S>::accumulate_current(int axis, BandView<const S> psi, std::span<const double> weights,
                                             std::span<double> current) {
  constexpr Index block = 16;
  Bands<S> momenta(psi.rows, std::min(block, psi.count)), sums(psi.rows, std::min(block, psi.count));
  for (Index first = 0; first < psi.count; first += block) {
    const BandView<const S> part = psi.slice(first, std::min(block, psi.count - first));
    const BandView<S> p = momenta.view().slice(0, part.count), sum = sums.view().slice(0, part.count);
    momentum(axis, part, p);
    for (const Real sign : {Real(1), Real(-1)}) {
      for (Index i = 0; i < part.rows * part.count; ++i) sum.data[i] = part.data[i] + sign * p.data[i];
      std::vector<double> quarters;
      for (Index b = 0; b < part.count; ++b)
        quarters.push_back(0.25 * static_cast<double>(sign) * weights[static_cast<std::size_t>(first + b)]);
      accumulate_density(BandView<const S>(sum), quarters, current);
    }
  }
}

template <class S>
void KohnShamOperator<S>::accumulate_vector_density(BandView<const S>, std::span<const double>, std::span<double>) {
  throw internal_error("an operator without spinors");
}

template <class S>
void KohnShamOperator<S>::accumulate_projections(BandView<const S>, std::span<const double>, AtomMatrices&) {
  throw internal_error("this operator has no projectors");
}

template <class S>
std::vector<double> KohnShamOperator<S>::nonlocal_energies(BandView<const S> psi) {
  return std::vector<double>(static_cast<std::size_t>(psi.count), 0.0);
}

}  // namespace wavegrid
