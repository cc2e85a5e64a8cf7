#include <algorithm>

#include <wavegrid/base/component_values.hpp>
#include <wavegrid/fft/band_fft.hpp>
#include <wavegrid/layout/wave_blocks.hpp>

namespace wavegrid {

namespace {

constexpr Index bands_per_group = 32;  ///< bands of a group that are transformed together: its share of a part

/// Indices of a component of a band.
Index component_indices(const GSphere& sphere) { return Index{sphere.grid()[0]} * sphere.counts().num_sticks(); }

/// The global indices of the plane waves on `sticks`, for one component after the other.
IndexList waves_on(const GSphere& sphere, const std::vector<int>& sticks, int components) {
  const Index nx = sphere.grid()[0];
  IndexList list;
  for (int component = 0; component < components; ++component)
    for (const int stick : sticks) {
      const Index first = component * component_indices(sphere) + stick * nx;
      list.append({first, first + sphere.counts().count[static_cast<std::size_t>(stick)]});
    }
  return list;
}

}  // namespace

template <class Real>
Partition BandFft<Real>::partition_rows(const GSphere& sphere, const Partition& partition, int band_groups, int ranks,
                                        bool deterministic) {
  if (deterministic) return WaveBlocks(sphere.counts()).partition(sphere.counts(), ranks);
  if (band_groups == 1) return partition;
  return make_partition(Scheme::greedy, sphere.counts(), sphere.grid()[0], ranks);
}

template <class Real>
double BandFft<Real>::bytes(int groups, const BandGroupExchange::Rows& rows, bool searches) {
  return static_cast<double>(bands_per_group * rows.in_group + groups * rows.on_rank) * sizeof(Complex) +
         BandGroupExchange::bytes(groups, rows, bands_per_group, sizeof(Complex), searches);
}

template <class Real>
BandFft<Real>::BandFft(const ProcessGroups& groups, const ProcessGrid& ranks, const GSphere& sphere,
                       const Partition& partition, const FftOptions& options)
    : comm_(groups.kpoint_group()),
      groups_(groups.counts().band_groups),
      components_(options.components),
      fft_(ranks, partition, sphere, options),
      rows_(sphere, partition_rows(sphere, partition, groups_, comm_.size(), options.deterministic), comm_.rank()) {
  if (options.deterministic) {
    const WaveBlocks blocks(sphere.counts());
    block_starts_ = blocks.starts(comm_.size());
    const auto me = static_cast<std::size_t>(comm_.rank());
    const auto first = blocks.waves.begin() + block_starts_[me], last = blocks.waves.begin() + block_starts_[me + 1];
    for (auto begin = first; begin <= last; ++begin) block_begins_.push_back(*begin - *first);
  }
  if (options.laplacians)
    laplacian_.emplace(fft_, PlaneWaves(sphere, partition, fft_.layout().part), options.workspace);
  if (groups_ == 1 && (!options.deterministic || comm_.size() == 1)) return;
  bands_.emplace(groups, waves_on(sphere, rows_.sticks(), components_),
                 waves_on(sphere, fft_.layout().my_sticks, components_), components_ * component_indices(sphere),
                 options.transport, sizeof(Complex), options.threads);
  workspace_ = options.workspace ? options.workspace : std::make_shared<FftWorkspace>();
  workspace_->reserve<Complex>(FftWorkspace::Array::bands, bands_per_group * components_ * fft_.size());
  workspace_->reserve<Complex>(FftWorkspace::Array::incomplete, groups_ * band_size());
  bands_->plan().record(options.profile, TrafficKind::bands, groups.world());
}

template <class Real>
template <class Work>
void BandFft<Real>::in_parts(const Complex* psi, Index bands, Work work) {
  const Index part = bands_per_group * groups_;
  for (Index first = 0; first < bands; first += part) {
    const Index count = std::min(part, bands - first);
    bands_->fetch(psi + first * band_size(), count, mine(), incomplete());
    work(first, count);
  }
}

template <class Real>
template <class Work>
Index BandFft<Real>::in_tuning_steps(const Complex* psi, Index bands, Work work) {
  // Groups of different sizes may measure different transports inside: all of them must have decided.
  if (!is_tuning() || comm_.max(fft_.is_tuning() ? 1 : 0) == 1) return 0;
  const Index step = BandGroupExchange::search_share * groups_;
  Index done = 0;
  for (; is_tuning() && done + step <= bands; done += step)
    bands_->plan().step([&] {
      bands_->fetch(psi + done * band_size(), step, mine(), incomplete());
      work(done, step);
    });
  return done;
}

template <class Real>
template <class Apply>
void BandFft<Real>::apply(const Complex* psi, Complex* out, Index bands, const Apply& action) {
  transforms_ += 2 * bands * components_;
  if (!bands_) return action(psi, out, {0, 1, bands}, bands);
  const auto part = [&](Index first, Index count) {
    action(mine(), mine(), {first + bands_->my_group(), groups_, first + count}, bands_->share(count));
    bands_->put_back(mine(), count, out + first * band_size(), incomplete());
  };
  const Index done = in_tuning_steps(psi, bands, part);
  in_parts(psi + done * band_size(), bands - done, [&](Index first, Index count) { part(done + first, count); });
}

template <class Real>
void BandFft<Real>::apply_local(const Complex* psi, const Real* potential, Complex* out, Index bands) {
  apply(psi, out, bands, [&](const Complex* from, Complex* to, const BandNumbers&, Index count) {
    fft_.apply_local(from, potential, to, count * components_);
  });
}

template <class Real>
void BandFft<Real>::apply_on_grid(const Complex* psi, const GridOperators<Real>& operators, Complex* out, Index bands) {
  if (!operators.has_tau)
    return apply(psi, out, bands, [&](const Complex* from, Complex* to, const BandNumbers& numbers, Index count) {
      fft_.apply_on_grid(from, operators, to, numbers, count * components_);
    });
  transforms_ += 2 * bands;  // in addition to those of apply()
  apply(psi, out, bands, [&](const Complex* from, Complex* to, const BandNumbers& numbers, Index count) {
    laplacian_->apply(from, operators, to, numbers, count);
  });
}

template <class Real>
void BandFft<Real>::visit_on_grid(const Complex* psi, GridVisitor<Real>& visitor, Index bands) {
  transforms_ += bands;
  if (!bands_) return fft_.visit_on_grid(psi, visitor, {0, 1, bands}, bands);
  in_parts(psi, bands, [&](Index first, Index count) {
    fft_.visit_on_grid(mine(), visitor, {first + bands_->my_group(), groups_, first + count}, bands_->share(count));
  });
}

template <class Real>
template <class Accumulate>
void BandFft<Real>::accumulate(const Complex* psi, std::span<const double> weights, Index bands,
                               const Accumulate& action) {
  if (!bands_) return action(psi, weights, bands);
  in_parts(psi, bands, [&](Index first, Index count) {
    const auto part_weights = weights.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    action(mine(), std::span<const double>(bands_->group_share(part_weights)), bands_->share(count));
  });
}

template <class Real>
void BandFft<Real>::accumulate_density(const Complex* psi, std::span<const double> weights, double* density,
                                       Index bands) {
  transforms_ += bands * components_;
  accumulate(psi, weights, bands, [&](const Complex* from, std::span<const double> band_weights, Index count) {
    if (components_ == 1) return fft_.accumulate_density(from, band_weights, density, count);
    fft_.accumulate_density(from, repeated_for_components(band_weights, components_), density, count * components_);
  });
}

template <class Real>
void BandFft<Real>::accumulate_densities(const Complex* psi, std::span<const double> weights, double* density,
                                         double* kinetic, Index bands) {
  transforms_ += 2 * bands;
  accumulate(psi, weights, bands, [&](const Complex* from, std::span<const double> band_weights, Index count) {
    laplacian_->accumulate(from, band_weights, density, kinetic, count);
  });
}

template <class Real>
void BandFft<Real>::apply_to_spinors(const Complex* psi, const Real* fields, Complex* out, Index spinors) {
  apply(psi, out, spinors, [&](const Complex* from, Complex* to, const BandNumbers&, Index count) {
    fft_.apply_to_spinors(from, fields, to, count);
  });
}

template <class Real>
void BandFft<Real>::accumulate_vector_density(const Complex* psi, std::span<const double> weights, double* density,
                                              Index spinors) {
  transforms_ += spinors * components_;
  accumulate(psi, weights, spinors, [&](const Complex* from, std::span<const double> spinor_weights, Index count) {
    fft_.accumulate_vector_density(from, spinor_weights, density, count);
  });
}

template class BandFft<float>;
template class BandFft<double>;

}  // namespace wavegrid
