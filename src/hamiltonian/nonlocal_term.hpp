// The nonlocal part of the pseudopotentials, and the overlap operator where there is one, as the Hamiltonian of a
// k-point and spin uses them: projectors with couplings in between.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <wavegrid/fft/band_fft.hpp>
#include <wavegrid/hamiltonian/projectors.hpp>

namespace wavegrid {

/// V_nl and S - 1 of one k-point and spin. Members are collective over the k-point group unless they say "local".
template <class S>
class NonlocalTerm {
 public:
  using Real = RealOf<S>;

  /// The projectors, which may be shared, must outlive it. Couplings and overlaps are those of the pseudopotentials.
  explicit NonlocalTerm(Projectors<S>& projectors) : projectors_(projectors) {}

  /// Other couplings D (Ha), and overlaps q of the projectors. Local.
  void set_couplings(const AtomMatrices& d);
  [[nodiscard]] const Couplings& couplings() const { return own_ ? *own_ : projectors_.couplings(); }
  void set_overlaps(const AtomMatrices& q) { overlaps_ = couplings_for<S>(q, projectors_.atom_projectors()); }
  [[nodiscard]] bool has_overlap() const { return overlaps() != nullptr; }

  /// V_nl for bands on the grid; null where apply() adds it. Local.
  [[nodiscard]] std::unique_ptr<GridOperator<Real>> on_grid() const { return projectors_.on_grid(couplings()); }
  /// out += V_nl psi where on_grid() is null; otherwise nothing.
  void apply(const InnerProduct& product, BandView<const S> psi, BandView<S> out);
  /// out += (D - D before) psi after set_couplings() has replaced a D that was set before; otherwise nothing.
  void apply_change(const InnerProduct& product, BandView<const S> psi, BandView<S> out);
  /// out = S psi; `fft` is that of the k-point.
  void apply_overlap(BandFft<Real>& fft, const InnerProduct& product, BandView<const S> psi, BandView<S> out);
  /// Makes what solve_overlap() needs, (projectors, projectors), for bands of so many `rows`, or drops it. Only for
  /// projectors on plane waves, and one component.
  void keep_inverse(const InnerProduct& product, Index rows, bool kept);
  /// Whether it is there. Local.
  [[nodiscard]] bool has_inverse() const { return inverse_.has_value(); }
  /// x = S^-1 b = b - |p> m <p|b> by Woodbury's identity, as long as has_inverse().
  void solve_overlap(const InnerProduct& product, BandView<const S> b, BandView<S> x);
  /// Both, with the projections <p|psi> once.
  void apply_with_overlap(BandFft<Real>& fft, const InnerProduct& product, BandView<const S> psi, BandView<S> h_psi,
                          BandView<S> s_psi);
  /// <psi|V_nl|psi> of each band with the couplings of the pseudopotentials, Ha; the same on all ranks.
  [[nodiscard]] std::vector<double> energies(const InnerProduct& product, BandView<const S> psi) {
    return projectors_.expectations(product, projectors_.couplings(), psi);
  }
  /// rho += sum_b weights[b] <psi_b|p_i><p_j|psi_b> of each atom, matrices of all its projectors, of spinors
  /// with spin up, then with spin down; the same on all ranks.
  void accumulate_projections(const InnerProduct& product, BandView<const S> psi, std::span<const double> weights,
                              AtomMatrices& rho);
  /// Derivatives of the energy of bands with `occupations` in electrons, the weight of the k-point included; the same
  /// on all ranks. `eigenvalues` (Ha) are needed where there is an overlap. For double precision.
  [[nodiscard]] NonlocalDerivatives derivatives(const InnerProduct& product, BandView<const S> psi,
                                                std::span<const double> occupations, bool with_strain,
                                                std::span<const double> eigenvalues = {});

 private:
  [[nodiscard]] const Couplings* overlaps() const { return overlaps_ ? &*overlaps_ : projectors_.charges(); }
  void add(const InnerProduct& product, const Couplings& d, BandView<const S> psi, BandView<S> out);

  Projectors<S>& projectors_;
  AtomMatrices matrices_;  ///< of own_
  std::optional<Couplings> own_, change_, overlaps_;
  std::optional<Matrix<S>> inverse_;  ///< m
};

}  // namespace wavegrid
