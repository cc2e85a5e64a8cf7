// The Kohn-Sham Hamiltonian on a mesh: -1/2 Laplacian by finite differences, potential, projectors.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <wavegrid/mesh/mesh_operator.hpp>
#include <wavegrid/realspace/mesh_projectors.hpp>
#include <wavegrid/scf/kohn_sham_operator.hpp>

namespace wavegrid {

/// What the Hamiltonians of all k-points and spins share.
struct MeshSetting {
  const Mesh& mesh;
  MeshOperator& laplacian;
  Profile* profile = nullptr;
  int components = 1;  ///< of a band
};

/// Fills bands at the points of a mesh, Bloch functions of `kpoint`, as BandOperator::fill_random says. Local.
template <class S>
void fill_random_bands(const Mesh& mesh, const Vec3& kpoint, Index first_key, BandView<S> bands,
                       RandomSpectrum spectrum, int components = 1);

/// A row of a band is a point of the mesh. Bands are full Bloch functions, with their phase (docs/conventions.md). A
/// spinor is a band whose rows are those of its component up and then those of its component down (decision 0037):
/// stencils and projectors take each component as a band of its own.
template <class S>
class MeshHamiltonian final : public KohnShamOperator<S> {
 public:
  /// The parts of `setting` must outlive it. `projectors`: of the k-point, `kpoint` in units of the reciprocal vectors.
  /// Throws bad_input for real bands at a k-point whose phases are not real.
  MeshHamiltonian(const MeshSetting& setting, const Vec3& kpoint, std::shared_ptr<const MeshProjectors<S>> projectors);

  [[nodiscard]] const Mesh& mesh() const { return setting_.mesh; }
  [[nodiscard]] const Vec3& kpoint() const { return kpoint_; }
  /// Components of a band: 2 for spinors. Local.
  [[nodiscard]] int components() const { return setting_.components; }
  [[nodiscard]] const MeshProjectors<S>& projectors() const { return *projectors_; }
  /// Gives bands another Bloch vector, with its projectors. Local.
  void set_kpoint(const Vec3& kpoint, std::shared_ptr<const MeshProjectors<S>> projectors) {
    kpoint_ = kpoint;
    phases_ = BlochPhases(setting_.mesh, kpoint);
    phases_or_none_ = phases_.empty() ? nullptr : &phases_;
    projectors_ = std::move(projectors);
  }
  /// Replaces them, for other positions of the atoms. Local.
  void set_projectors(std::shared_ptr<const MeshProjectors<S>> projectors) { projectors_ = std::move(projectors); }

  void set_potential(const OperatorPotential<double>& potential) override {
    potential_ = potential;
    if (potential.couplings != nullptr) set_couplings(*potential.couplings);
  }
  [[nodiscard]] const OperatorPotential<double>& potential() const { return potential_; }
  void set_couplings(const AtomMatrices& d) override;
  void set_overlaps(const AtomMatrices& q) override { overlaps_ = couplings_for<S>(q, projectors_->atom_projectors()); }
  void set_exchange(std::shared_ptr<const CompressedExchange<S>> exchange) override { exchange_ = std::move(exchange); }
  [[nodiscard]] std::vector<double> exchange_energies(BandView<const S> psi) override {
    return exchange_ ? exchange_->expectations(this->product(), psi) : KohnShamOperator<S>::exchange_energies(psi);
  }
  /// What derivatives of the energy of bands need of the couplings; refers to this object.
  [[nodiscard]] BandCouplings band_couplings(std::span<const double> occupations,
                                             std::span<const double> eigenvalues) const {
    return {couplings(), overlaps_ ? &*overlaps_ : nullptr, occupations, eigenvalues};
  }
  void apply(BandView<const S> bands, BandView<S> images) override;
  [[nodiscard]] bool has_overlap() const override { return overlaps_.has_value(); }
  void apply_overlap(BandView<const S> bands, BandView<S> images) override;
  /// Bands stay in the order of the stencils from the first step to the last.
  void apply_polynomial(const ThreeTermRecurrence& p, BandView<S> bands, BandView<S> images) override;
  void apply_change(std::span<const double> change, BandView<const S> bands, BandView<S> images) override;
  /// None are needed: zeros.
  [[nodiscard]] std::vector<double> preconditioner_energies(BandView<const S> psi) override {
    return std::vector<double>(static_cast<std::size_t>(psi.count), 0.0);
  }
  /// An approximate inverse of -1/2 Laplacian + 1 Ha: a polynomial, as multiplying is all that a mesh can do fast.
  void precondition(std::span<const double> energies, BandView<S> bands) override;
  /// Smooth ones are interpolated between random numbers at distances of about 2 bohr.
  void fill_random(Index first_key, BandView<S> bands, RandomSpectrum spectrum) override {
    fill_random_bands(setting_.mesh, kpoint_, first_key, bands, spectrum, components());
  }
  void accumulate_density(BandView<const S> psi, std::span<const double> weights, std::span<double> density) override;
  void accumulate_vector_density(BandView<const S> psi, std::span<const double> weights,
                                 std::span<double> density) override;
  void accumulate_densities(BandView<const S> bands, std::span<const double> weights, std::span<double> density,
                            std::span<double> kinetic) override;
  void accumulate_projections(BandView<const S> psi, std::span<const double> weights, AtomMatrices& rho) override;
  [[nodiscard]] std::vector<double> kinetic_energies(BandView<const S> bands) const override;
  [[nodiscard]] std::vector<double> nonlocal_energies(BandView<const S> psi) override;
  /// By the gradients of the bands (mesh_derivatives.hpp).
  void add_derivatives(BandView<const S> psi, std::span<const double> occupations, std::span<const double> eigenvalues,
                       bool with_strain, BandDerivatives& sum) override;
  [[nodiscard]] Index applications() const override { return applications_; }

  /// int v_tau tau of bands with `occupations`, Ha. Collective.
  [[nodiscard]] double tau_energy(BandView<const S> psi, std::span<const double> occupations);
  /// <beta|psi> in a matrix (projectors, components of bands). Local.
  [[nodiscard]] ProjectionsView<S> projections(Matrix<S>& overlaps) const {
    const Index n = overlaps.rows();
    return {overlaps.data(), overlaps.columns() / components(), 1, n * components(), false, components(), n};
  }
  void momentum(int axis, BandView<const S> psi, BandView<S> out) const override;
  /// out = derivative of the bands along the Cartesian direction `axis`, 1/bohr. Collective.
  void gradient(int axis, BandView<const S> psi, BandView<S> out) const;

 private:
  // Bands of the following members are components of bands.

  /// Calls work(in, out, width) for blocks of bands in the order of the stencils, (points and ghosts, width).
  template <class Work>
  void in_blocks(BandView<const S> psi, BandView<S> out, const Work& work) const;
  /// Space for blocks of bands; number 0 and 1 are those of in_blocks().
  [[nodiscard]] MeshBlocks<S> work_blocks(std::size_t which, Index bands) const;
  [[nodiscard]] const Couplings& couplings() const { return own_ ? *own_ : projectors_->couplings(); }
  /// D <beta|psi>.
  [[nodiscard]] Matrix<S> projector_weights(const MeshBlocks<S>& psi, const Couplings& d) const;
  /// out = factor H psi + constant psi + kept out, for the block of bands from number `first` on; `weights`: of the
  /// projectors, times factor.
  struct Combination {
    double factor = 1, constant = 0, kept = 0;
  };
  void apply_block(const MeshBlocks<S>& psi, const Matrix<S>& weights, Index first, const Combination& combination,
                   S* out) const;
  /// out += (D - D before) psi after set_couplings() has replaced a D that was set before; otherwise nothing.
  void add_change_of_couplings(BandView<const S> psi, BandView<S> out) const;
  /// out += factor B.sigma psi of a potential with a vector, for `width` components of spinors, states fastest.
  void add_field(const OperatorPotential<double>& potential, const S* psi, Index width, double factor, S* out) const;
  /// out = factor (V - 1/2 div((kinetic + v_tau) grad) + 1/2 (a.p + p.a)) psi + constant psi + kept out, for `width`
  /// bands.
  void apply_with_tau(const OperatorPotential<double>& potential, double kinetic, S* psi, Index width,
                      const Combination& combination, S* out) const;
  /// out += factor/2 (a.p + p.a) psi.
  void add_current_term(const OperatorPotential<double>& potential, double factor, S* psi, Index width, S* out) const;
  /// Calls action(first band, images) for parts of the bands, after work(in, image, width) as for in_blocks().
  template <class Work, class Action>
  void for_images(BandView<const S> psi, const Work& work, const Action& action) const;
  /// The same with the Laplacians of the bands.
  template <class Action>
  void for_laplacians(BandView<const S> psi, const Action& action) const;

  MeshSetting setting_;
  Vec3 kpoint_;
  BlochPhases phases_;
  const BlochPhases* phases_or_none_;  ///< null at Gamma
  std::shared_ptr<const MeshProjectors<S>> projectors_;
  std::shared_ptr<const CompressedExchange<S>> exchange_;
  std::optional<Couplings> own_, overlaps_;  ///< D and q; none: those of the projectors, and S = 1
  std::optional<Couplings> change_;          ///< D - D before
  AtomMatrices matrices_;                    ///< D
  OperatorPotential<double> potential_;
  Index applications_ = 0;
};

}  // namespace wavegrid
