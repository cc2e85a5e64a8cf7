// The Kohn-Sham Hamiltonian of one k-point: H = -1/2 grad^2 + V(r) + V_nl.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <wavegrid/fft/band_fft.hpp>
#include <wavegrid/hamiltonian/nonlocal_term.hpp>
#include <wavegrid/scf/kohn_sham_operator.hpp>
#include <wavegrid/wavefunctions/reassign.hpp>

namespace wavegrid {

/// H of one k-point in the current potential. All members are collective over the k-point group. V(r) and changes of it
/// are values on this rank's block of the grid of its band group (my x, my y, nz), Ha. A spinor is a band whose rows
/// are those of its component up and then those of its component down (decision 0037): a block of spinors is one of
/// twice as many bands, in the same memory.
template <class S>
class Hamiltonian final : public KohnShamOperator<S> {
 public:
  using Real = RealOf<S>;

  /// `fft` and `projectors`, which say how many components bands have, must outlive this object; `profile` may be null.
  Hamiltonian(BandFft<Real>& fft, Projectors<S>& projectors, Profile* profile);

  /// Bytes of the work array of apply_change; `rows` of all components. Pure.
  [[nodiscard]] static double bytes(Index rows) { return Bands<S>::bytes(rows, change_block); }

  /// Replaces V(r), which must outlive its use; k-points share it.
  void set_potential(const OperatorPotential<Real>& potential) override {
    potential_ = potential;
    if (potential.couplings != nullptr) nonlocal_.set_couplings(*potential.couplings);
  }
  void set_couplings(const AtomMatrices& d) override { nonlocal_.set_couplings(d); }
  /// D of the projectors, as set or of the pseudopotentials. Local.
  [[nodiscard]] const Couplings& couplings() const { return nonlocal_.couplings(); }
  void set_overlaps(const AtomMatrices& q) override { nonlocal_.set_overlaps(q); }
  void keep_overlap_inverse(bool kept) override { nonlocal_.keep_inverse(this->product(), waves().size(), kept); }
  void solve_overlap(BandView<const S> b, BandView<S> x) override;
  void set_exchange(std::shared_ptr<const CompressedExchange<S>> exchange) override { exchange_ = std::move(exchange); }
  [[nodiscard]] std::vector<double> exchange_energies(BandView<const S> psi) override;
  /// From the next round on, uses the transports that the tuner of another k-point's transform has chosen. `leader`
  /// must outlive this object.
  void follow(const BandFft<Real>& leader) { leader_ = &leader; }

  void apply(BandView<const S> psi, BandView<S> out) override;
  [[nodiscard]] bool has_overlap() const override { return nonlocal_.has_overlap(); }
  void apply_with_overlap(BandView<const S> psi, BandView<S> h_psi, BandView<S> s_psi) override;
  void apply_overlap(BandView<const S> psi, BandView<S> out) override;
  /// Updates H psi after a change of the potential; needs projectors only if their couplings have changed.
  void apply_change(std::span<const Real> change, BandView<const S> psi, BandView<S> out) override;
  /// Kinetic energies.
  [[nodiscard]] std::vector<double> preconditioner_energies(BandView<const S> psi) override {
    return kinetic_energies(psi);
  }
  /// The preconditioner of Teter, Payne and Allan (kinetic.hpp).
  void precondition(std::span<const double> energies, BandView<S> residuals) override;
  void precondition_step(double time, std::span<const double> energies, BandView<S> residuals) override;
  [[nodiscard]] std::vector<double> value_errors(BandView<const S> residuals,
                                                 const std::vector<double>& squares) override;
  void fill_random(Index first_key, BandView<S> bands, RandomSpectrum spectrum = RandomSpectrum::smooth) override;

  [[nodiscard]] const PlaneWaves& waves() const { return fft_.rows(); }
  /// Components of a band: 2 for spinors. Local.
  [[nodiscard]] int components() const { return components_; }
  /// Plane waves and inner product, for transfers of bands. Refers to this object. Local.
  [[nodiscard]] WaveBasis wave_basis() const { return {waves(), this->product(), components_}; }
  /// sum_G |k+G|^2/2 |psi|^2 per band, Ha.
  [[nodiscard]] std::vector<double> kinetic_energies(BandView<const S> psi) const override;
  [[nodiscard]] std::vector<double> nonlocal_energies(BandView<const S> psi) override;
  void accumulate_density(BandView<const S> psi, std::span<const double> weights, std::span<double> density) override;
  void accumulate_vector_density(BandView<const S> psi, std::span<const double> weights,
                                 std::span<double> density) override;
  void accumulate_densities(BandView<const S> psi, std::span<const double> weights, std::span<double> density,
                            std::span<double> kinetic) override;
  void momentum(int axis, BandView<const S> psi, BandView<S> out) const override;
  void accumulate_projections(BandView<const S> psi, std::span<const double> weights, AtomMatrices& rho) override {
    nonlocal_.accumulate_projections(this->product(), psi, weights, rho);
  }
  void add_derivatives(BandView<const S> psi, std::span<const double> occupations, std::span<const double> eigenvalues,
                       bool with_strain, BandDerivatives& sum) override;
  void prepare_round() override;

  /// Bands to which H was applied, including updates by a change of the potential (one backward and one forward
  /// transform each), and those with projectors.
  [[nodiscard]] Index applications() const override { return applications_; }
  [[nodiscard]] Index nonlocal_applications() const { return nonlocal_applications_; }

 private:
  static constexpr Index change_block = 32;  ///< bands per block of apply_change
  /// All but what projectors on plane waves add.
  void apply_local(BandView<const S> psi, BandView<S> out);
  /// out += 1/2 (a.p + p.a) psi.
  void add_current_term(const OperatorPotential<Real>& potential, BandView<const S> psi, BandView<S> out);
  [[nodiscard]] std::vector<double> per_volume(std::span<const double> weights) const;

  int components_;
  BandFft<Real>& fft_;
  NonlocalTerm<S> nonlocal_;
  OperatorPotential<Real> potential_;
  std::shared_ptr<const CompressedExchange<S>> exchange_;
  const BandFft<Real>* leader_ = nullptr;
  AlignedVector<S> scratch_;
  Index applications_ = 0;
  Index nonlocal_applications_ = 0;
};

}  // namespace wavegrid
