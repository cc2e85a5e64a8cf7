// The Hamiltonian of a mesh with band groups: each applies that of its own ranks to its share of the bands.
#pragma once

#include <memory>
#include <vector>

#include <wavegrid/exchange/band_group_exchange.hpp>
#include <wavegrid/realspace/mesh_hamiltonian.hpp>

namespace wavegrid {

/// Rows are the points that this rank has where the k-point group divides them. Bands are exchanged before and after
/// what a group does with them; a filter is applied whole between the two exchanges (BandOperator::map_bands).
template <class S>
class GroupedHamiltonian final : public KohnShamOperator<S> {
 public:
  /// `rows`: the mesh over the k-point group, `group_hamiltonian`: the Hamiltonian on that over the band group,
  /// `exchange`: between both. All must outlive it.
  GroupedHamiltonian(const Mesh& rows, BandGroupExchange& exchange, MeshHamiltonian<S>& group_hamiltonian,
                     Profile* profile);

  void set_potential(const OperatorPotential<double>& potential) override {
    group_hamiltonian_.set_potential(potential);
  }
  void set_couplings(const AtomMatrices& d) override { group_hamiltonian_.set_couplings(d); }
  void set_overlaps(const AtomMatrices& q) override { group_hamiltonian_.set_overlaps(q); }
  /// Exact exchange acts on the rows of the k-point group.
  void set_exchange(std::shared_ptr<const CompressedExchange<S>> exchange) override {
    exact_exchange_ = std::move(exchange);
  }
  [[nodiscard]] std::vector<double> exchange_energies(BandView<const S> psi) override {
    return exact_exchange_ ? exact_exchange_->expectations(this->product(), psi)
                           : KohnShamOperator<S>::exchange_energies(psi);
  }
  void apply(BandView<const S> psi, BandView<S> hpsi) override;
  [[nodiscard]] bool has_overlap() const override { return group_hamiltonian_.has_overlap(); }
  void apply_overlap(BandView<const S> psi, BandView<S> spsi) override;
  void map_bands(std::span<const BandView<S>> blocks, const typename BandOperator<S>::BandWork& work) override;
  void apply_change(std::span<const double> change, BandView<const S> psi, BandView<S> hpsi) override;
  [[nodiscard]] std::vector<double> preconditioner_energies(BandView<const S> psi) override {
    return std::vector<double>(static_cast<std::size_t>(psi.count), 0.0);
  }
  void precondition(std::span<const double> energies, BandView<S> residuals) override;
  void fill_random(Index first_key, BandView<S> bands, RandomSpectrum spectrum) override;
  void accumulate_density(BandView<const S> psi, std::span<const double> weights, std::span<double> density) override;
  void accumulate_vector_density(BandView<const S> psi, std::span<const double> weights,
                                 std::span<double> density) override;
  void accumulate_densities(BandView<const S> psi, std::span<const double> weights, std::span<double> density,
                            std::span<double> kinetic) override;
  void accumulate_projections(BandView<const S> psi, std::span<const double> weights, AtomMatrices& rho) override;
  void momentum(int axis, BandView<const S> psi, BandView<S> out) const override;
  [[nodiscard]] std::vector<double> kinetic_energies(BandView<const S> psi) const override;
  [[nodiscard]] std::vector<double> nonlocal_energies(BandView<const S> psi) override;
  void add_derivatives(BandView<const S> psi, std::span<const double> occupations, std::span<const double> eigenvalues,
                       bool with_strain, BandDerivatives& sum) override;
  [[nodiscard]] Index applications() const override { return applications_; }

  /// This band group's share of the bands, (share, points of its mesh). Collective over the k-point group.
  [[nodiscard]] Bands<S> group_share(BandView<const S> psi) const;
  /// The most memory that a rank needs for a while: the blocks of a filter that map_bands() was given, and a part of
  /// the bands in all else. `block`: bands of a filter's block.
  [[nodiscard]] static double passing_bytes(const BandGroupExchange::Rows& rows, Index block, int groups);
  /// Message buffers, which stay. `searches`: for the fastest transport.
  [[nodiscard]] static double exchange_bytes(const BandGroupExchange::Rows& rows, Index block, int groups,
                                             bool searches);

 private:
  void put_back(const Bands<S>& mine, BandView<S> psi) const;
  /// out = act(psi) by the group of each band, from block to block.
  template <class Act>
  void apply_by_groups(BandView<const S> psi, BandView<S> out, const Act& act) const;
  /// Calls work(share of the part, first band, bands) for parts of the bands.
  template <class Work>
  void in_parts(BandView<const S> psi, const Work& work) const;
  /// One value per band: share_values() of the groups' shares, which all ranks of a group have.
  template <class Work>
  [[nodiscard]] std::vector<double> values_by_groups(BandView<const S> psi, const Work& share_values) const;

  const Mesh& rows_;
  BandGroupExchange& exchange_;
  MeshHamiltonian<S>& group_hamiltonian_;
  std::shared_ptr<const CompressedExchange<S>> exact_exchange_;
  Index applications_ = 0;
};

}  // namespace wavegrid
