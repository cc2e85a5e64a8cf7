#include <algorithm>
#include <utility>

#include <wavegrid/realspace/grouped_hamiltonian.hpp>
#include <wavegrid/terms/rank_sums.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

namespace {

constexpr Index bands_per_exchange = 32;  ///< of a group

/// Bands of a group in the longest exchange: of a filter's block, or of a part of the bands.
Index largest_share(Index block, int groups) { return std::max((block + groups - 1) / groups, bands_per_exchange); }

}  // namespace

template <class S>
GroupedHamiltonian<S>::GroupedHamiltonian(const Mesh& rows, BandGroupExchange& exchange,
                                          MeshHamiltonian<S>& group_hamiltonian, Profile* profile)
    : KohnShamOperator<S>({.comm = rows.comm(), .weight = rows.grid().point_volume()},
                          rows.num_points() * group_hamiltonian.components(), profile),
      rows_(rows),
      exchange_(exchange),
      group_hamiltonian_(group_hamiltonian) {}

template <class S>
Bands<S> GroupedHamiltonian<S>::group_share(BandView<const S> psi) const {
  Bands<S> mine(group_hamiltonian_.rows(), exchange_.share(psi.count)), incomplete(psi.rows, exchange_.groups());
  exchange_.fetch_in_steps(psi.data, psi.count, mine.view().data, incomplete.view().data);
  return mine;
}

template <class S>
void GroupedHamiltonian<S>::put_back(const Bands<S>& mine, BandView<S> psi) const {
  Bands<S> incomplete(psi.rows, exchange_.groups());
  exchange_.put_back(mine.view().data, psi.count, psi.data, incomplete.view().data);
}

template <class S>
void GroupedHamiltonian<S>::map_bands(std::span<const BandView<S>> blocks,
                                      const typename BandOperator<S>::BandWork& work) {
  if (exact_exchange_) return BandOperator<S>::map_bands(blocks, work);
  std::vector<Bands<S>> mine;
  std::vector<BandView<S>> views;
  mine.reserve(blocks.size());
  for (const BandView<S>& block : blocks) views.push_back(mine.emplace_back(group_share(block)).view());
  const Index before = group_hamiltonian_.applications();
  work(group_hamiltonian_, views);
  const Index bands = blocks.front().count;
  applications_ += (group_hamiltonian_.applications() - before) / std::max<Index>(1, exchange_.share(bands)) * bands;
  for (std::size_t i = 0; i < blocks.size(); ++i) put_back(mine[i], blocks[i]);
}

template <class S>
template <class Work>
void GroupedHamiltonian<S>::in_parts(BandView<const S> psi, const Work& work) const {
  const Index part = bands_per_exchange * exchange_.groups();
  for (Index first = 0; first < psi.count; first += part) {
    const Index count = std::min(part, psi.count - first);
    work(group_share(psi.slice(first, count)), first, count);
  }
}

template <class S>
template <class Work>
std::vector<double> GroupedHamiltonian<S>::values_by_groups(BandView<const S> psi, const Work& share_values) const {
  std::vector<double> all(static_cast<std::size_t>(psi.count), 0.0);
  in_parts(psi, [&](const Bands<S>& mine, Index first, Index count) {
    const std::vector<double> values = share_values(mine.view());
    if (group_hamiltonian_.product().comm.rank() != 0) return;
    for (Index b = exchange_.my_group(); b < count; b += exchange_.groups())
      all[static_cast<std::size_t>(first + b)] = values[static_cast<std::size_t>(b / exchange_.groups())];
  });
  rows_.comm().merge(std::span<double>(all));
  return all;
}

template <class S>
template <class Act>
void GroupedHamiltonian<S>::apply_by_groups(BandView<const S> psi, BandView<S> out, const Act& act) const {
  in_parts(psi, [&](const Bands<S>& mine, Index first, Index count) {
    Bands<S> image(mine.rows(), mine.count());
    act(mine.view(), image.view());
    put_back(image, out.slice(first, count));
  });
}

template <class S>
void GroupedHamiltonian<S>::apply(BandView<const S> psi, BandView<S> hpsi) {
  apply_by_groups(psi, hpsi, [&](BandView<const S> mine, BandView<S> image) { group_hamiltonian_.apply(mine, image); });
  if (exact_exchange_) exact_exchange_->add(this->product(), psi, hpsi);
  applications_ += psi.count;
}

template <class S>
void GroupedHamiltonian<S>::apply_overlap(BandView<const S> psi, BandView<S> spsi) {
  apply_by_groups(psi, spsi,
                  [&](BandView<const S> mine, BandView<S> image) { group_hamiltonian_.apply_overlap(mine, image); });
}

template <class S>
void GroupedHamiltonian<S>::momentum(int axis, BandView<const S> psi, BandView<S> out) const {
  apply_by_groups(psi, out,
                  [&](BandView<const S> mine, BandView<S> image) { group_hamiltonian_.momentum(axis, mine, image); });
}

template <class S>
void GroupedHamiltonian<S>::apply_change(std::span<const double> change, BandView<const S> psi, BandView<S> hpsi) {
  in_parts(psi, [&](const Bands<S>& mine, Index first, Index count) {
    Bands<S> image(mine.rows(), mine.count()), row_bands(psi.rows, count);
    std::fill_n(image.view().data, image.rows() * image.count(), S(0));
    group_hamiltonian_.apply_change(change, mine.view(), image.view());
    put_back(image, row_bands.view());
    const BandView<S> to = hpsi.slice(first, count);
    for (Index i = 0; i < to.rows * to.count; ++i) to.data[i] += row_bands.view().data[i];
  });
}

template <class S>
void GroupedHamiltonian<S>::precondition(std::span<const double> energies, BandView<S> residuals) {
  Bands<S> mine = group_share(residuals);
  group_hamiltonian_.precondition(exchange_.group_share(energies), mine.view());
  put_back(mine, residuals);
}

template <class S>
void GroupedHamiltonian<S>::fill_random(Index first_key, BandView<S> bands, RandomSpectrum spectrum) {
  fill_random_bands(rows_, group_hamiltonian_.kpoint(), first_key, bands, spectrum, group_hamiltonian_.components());
}

template <class S>
void GroupedHamiltonian<S>::accumulate_density(BandView<const S> psi, std::span<const double> weights,
                                               std::span<double> density) {
  in_parts(psi, [&](const Bands<S>& mine, Index first, Index count) {
    const auto part_weights = weights.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    group_hamiltonian_.accumulate_density(mine.view(), exchange_.group_share(part_weights), density);
  });
}

template <class S>
void GroupedHamiltonian<S>::accumulate_vector_density(BandView<const S> psi, std::span<const double> weights,
                                                      std::span<double> density) {
  in_parts(psi, [&](const Bands<S>& mine, Index first, Index count) {
    const auto part_weights = weights.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    group_hamiltonian_.accumulate_vector_density(mine.view(), exchange_.group_share(part_weights), density);
  });
}

template <class S>
void GroupedHamiltonian<S>::accumulate_densities(BandView<const S> psi, std::span<const double> weights,
                                                 std::span<double> density, std::span<double> kinetic) {
  in_parts(psi, [&](const Bands<S>& mine, Index first, Index count) {
    const auto part_weights = weights.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    group_hamiltonian_.accumulate_densities(mine.view(), exchange_.group_share(part_weights), density, kinetic);
  });
}

template <class S>
void GroupedHamiltonian<S>::accumulate_projections(BandView<const S> psi, std::span<const double> weights,
                                                   AtomMatrices& rho) {
  AtomMatrices found = zeros_like(rho);
  in_parts(psi, [&](const Bands<S>& mine, Index first, Index count) {
    const auto part_weights = weights.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    group_hamiltonian_.accumulate_projections(mine.view(), exchange_.group_share(part_weights), found);
  });
  std::vector<double> numbers = numbers_of(found);
  if (group_hamiltonian_.product().comm.rank() != 0) std::ranges::fill(numbers, 0.0);  // all of a group have the same
  rows_.comm().sum(std::span<double>(numbers));
  set_numbers(numbers, found);
  add(1.0, found, rho);
}

template <class S>
std::vector<double> GroupedHamiltonian<S>::kinetic_energies(BandView<const S> psi) const {
  return values_by_groups(psi, [&](BandView<const S> mine) { return group_hamiltonian_.kinetic_energies(mine); });
}

template <class S>
std::vector<double> GroupedHamiltonian<S>::nonlocal_energies(BandView<const S> psi) {
  return values_by_groups(psi, [&](BandView<const S> mine) { return group_hamiltonian_.nonlocal_energies(mine); });
}

template <class S>
void GroupedHamiltonian<S>::add_derivatives(BandView<const S> psi, std::span<const double> occupations,
                                            std::span<const double> eigenvalues, bool with_strain,
                                            BandDerivatives& sum) {
  const BandDerivatives none{.forces = std::vector<Vec3>(sum.forces.size(), Vec3{0, 0, 0})};
  BandDerivatives found = none;
  const Bands<S> mine = group_share(psi);
  group_hamiltonian_.add_derivatives(mine.view(), exchange_.group_share(occupations),
                                     exchange_.group_share(eigenvalues), with_strain, found);
  if (group_hamiltonian_.product().comm.rank() != 0) found = none;  // all ranks of a band group have the same
  sum_over_ranks(rows_.comm(), found.forces, found.nonlocal_strain, found.kinetic_strain, found.tau_strain);
  sum.forces = sum_forces(std::move(sum.forces), found.forces);
  sum.nonlocal_strain = sum.nonlocal_strain + found.nonlocal_strain;
  sum.kinetic_strain = sum.kinetic_strain + found.kinetic_strain;
  sum.tau_strain = sum.tau_strain + found.tau_strain;
}

template <class S>
double GroupedHamiltonian<S>::passing_bytes(const BandGroupExchange::Rows& rows, Index block, int groups) {
  // The bands and their images; the filter's own block is as large and counted with the solver.
  return 2 * Bands<S>::bytes(rows.in_group, largest_share(block, groups)) + Bands<S>::bytes(rows.on_rank, groups);
}

template <class S>
double GroupedHamiltonian<S>::exchange_bytes(const BandGroupExchange::Rows& rows, Index block, int groups,
                                             bool searches) {
  return BandGroupExchange::bytes(groups, rows, largest_share(block, groups), sizeof(S), searches);
}

template class GroupedHamiltonian<double>;
template class GroupedHamiltonian<std::complex<double>>;

}  // namespace wavegrid
