#include "fft/band_fft.hpp"

#include <algorithm>
#include <chrono>

#include "exchange/candidates.hpp"
#include "exchange/directory.hpp"
#include "layout/wave_blocks.hpp"

namespace wavegrid {

namespace {

constexpr Index bands_per_group = 32;  ///< bands of a group that are transformed together: its share of a part
constexpr Index tuning_bands = 8;      ///< the same in a step of the search; even, for pairs of bands

/// Appends the global indices of the plane waves on `sticks` for band `band` of a set; they differ from band to band.
void append_waves(IndexList& list, const GSphere& sphere, const std::vector<int>& sticks, int band) {
  const Index nx = sphere.grid()[0], all = nx * sphere.counts().num_sticks();
  for (const int stick : sticks) {
    const Index first = band * all + stick * nx;
    list.append({first, first + sphere.counts().count[static_cast<std::size_t>(stick)]});
  }
}

/// The plan from the rows of one band per group to the whole bands that the groups transform. Collective over the
/// k-point group.
ExchangePlan make_plan(const ProcessGroups& groups, const GSphere& sphere, const PlaneWaves& rows,
                       const std::vector<int>& sticks, const FftOptions& options) {
  IndexList source, target;
  for (int band = 0; band < groups.counts().band_groups; ++band) append_waves(source, sphere, rows.sticks(), band);
  append_waves(target, sphere, sticks, groups.my_band_group());
  MatchedRuns runs = match_layouts(groups.kpoint_group(), source, target);
  return {groups.kpoint_group(), std::move(runs.sends), std::move(runs.receives),
          options.transport.value_or(Transport::alltoallv), options.threads};
}

}  // namespace

template <class Real>
Partition BandFft<Real>::rows_of(const GSphere& sphere, const Partition& partition, int band_groups, int ranks,
                                 bool deterministic) {
  if (deterministic) return WaveBlocks(sphere.counts()).partition(sphere.counts(), ranks);
  if (band_groups == 1) return partition;
  return make_partition(Scheme::greedy, sphere.counts(), sphere.grid()[0], ranks);
}

template <class Real>
double BandFft<Real>::bytes(int groups, Index rows, Index waves) {
  if (groups == 1) return 0;
  const Index arrays = bands_per_group * waves + groups * rows, messages = bands_per_group * (waves + groups * rows);
  return static_cast<double>(arrays + 2 * messages) * sizeof(Complex);  // a search: in memory and in windows
}

template <class Real>
BandFft<Real>::BandFft(const ProcessGroups& groups, const ProcessGrid& ranks, const GSphere& sphere,
                       const Partition& partition, const FftOptions& options)
    : comm_(groups.kpoint_group()),
      groups_(groups.counts().band_groups),
      my_group_(groups.my_band_group()),
      fft_(ranks, partition, sphere, options),
      rows_(sphere, rows_of(sphere, partition, groups_, comm_.size(), options.deterministic), comm_.rank()) {
  if (options.deterministic) {
    const WaveBlocks blocks(sphere.counts());
    block_starts_ = blocks.starts(comm_.size());
    const auto me = static_cast<std::size_t>(comm_.rank());
    const auto first = blocks.waves.begin() + block_starts_[me], last = blocks.waves.begin() + block_starts_[me + 1];
    for (auto begin = first; begin <= last; ++begin) block_begins_.push_back(*begin - *first);
  }
  if (groups_ == 1 && (!options.deterministic || comm_.size() == 1)) return;
  plan_.emplace(make_plan(groups, sphere, rows_, fft_.layout().my_sticks, options));
  workspace_ = options.workspace ? options.workspace : std::make_shared<FftWorkspace>();
  workspace_->reserve<Complex>(FftWorkspace::Array::bands, bands_per_group * fft_.size());
  workspace_->reserve<Complex>(FftWorkspace::Array::incomplete, groups_ * rows_.size());
  plan_->record(options.profile, TrafficKind::bands, groups.world());
  if (options.transport || plan_->is_identity()) return;
  tuner_.emplace(comm_, transport_candidates(comm_, {&*plan_}, bands_per_group * static_cast<Index>(sizeof(Complex))));
  plan_->use(tuner_->transport());
}

template <class Real>
void BandFft<Real>::fetch(const Complex* psi, Index bands) {
  const Index whole = bands / groups_, rest = bands % groups_, set = groups_ * rows_.size();
  plan_->forward(psi, mine(), {whole, set, fft_.size()});
  if (rest == 0) return;
  Complex* const end = std::copy_n(psi + whole * set, rest * rows_.size(), incomplete());
  std::fill(end, incomplete() + set, Complex(0));
  plan_->forward(incomplete(), mine() + whole * fft_.size(), {1, set, fft_.size()});
}

template <class Real>
void BandFft<Real>::put_back(Complex* psi, Index bands) {
  const Index whole = bands / groups_, rest = bands % groups_, set = groups_ * rows_.size();
  plan_->backward(mine(), psi, {whole, set, fft_.size()});
  if (rest == 0) return;
  plan_->backward(mine() + whole * fft_.size(), incomplete(), {1, set, fft_.size()});
  std::copy_n(incomplete(), rest * rows_.size(), psi + whole * set);
}

template <class Real>
void BandFft<Real>::decide(Transport transport, const std::string& reason) {
  if (!tuner_ || tuner_->decided()) return;
  tuner_->decide(transport, reason);
  plan_->use(transport);
}

template <class Real>
std::optional<TunerReport> BandFft<Real>::tuning() const {
  if (!tuner_) return std::nullopt;
  if (tuner_->decided()) return tuner_->report();
  return TunerReport{{}, plan_->transport(), "too few steps to measure every candidate"};
}

template <class Real>
template <class Work>
void BandFft<Real>::in_parts(const Complex* psi, Index bands, Work work) {
  const Index part = bands_per_group * groups_;
  for (Index first = 0; first < bands; first += part) {
    const Index count = std::min(part, bands - first);
    fetch(psi + first * rows_.size(), count);
    work(first, count);
  }
}

template <class Real>
template <class Work>
Index BandFft<Real>::in_tuning_steps(const Complex* psi, Index bands, Work work) {
  // Groups of different sizes may measure different transports inside: all of them must have decided.
  if (!tuner_ || tuner_->decided() || comm_.max(fft_.is_tuning() ? 1 : 0) == 1) return 0;
  const Index step = tuning_bands * groups_;
  Index done = 0;
  for (; !tuner_->decided() && done + step <= bands; done += step) {
    const auto began = std::chrono::steady_clock::now();
    fetch(psi + done * rows_.size(), step);
    work(done, step);
    tuner_->record(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    plan_->use(tuner_->transport());
    if (tuner_->decided()) plan_->release_other_transports();
  }
  return done;
}

template <class Real>
template <class Apply>
void BandFft<Real>::apply(const Complex* psi, Complex* out, Index bands, const Apply& of_group) {
  transforms_ += 2 * bands;
  if (!plan_) return of_group(psi, out, bands);
  const auto part = [&](Index first, Index count) {
    of_group(mine(), mine(), share(count));
    put_back(out + first * rows_.size(), count);
  };
  const Index done = in_tuning_steps(psi, bands, part);
  in_parts(psi + done * rows_.size(), bands - done, [&](Index first, Index count) { part(done + first, count); });
}

template <class Real>
void BandFft<Real>::apply_local(const Complex* psi, const Real* potential, Complex* out, Index bands) {
  apply(psi, out, bands,
        [&](const Complex* from, Complex* to, Index count) { fft_.apply_local(from, potential, to, count); });
}

template <class Real>
void BandFft<Real>::apply_on_grid(const Complex* psi, GridOperator<Real>& potential, Complex* out, Index bands) {
  apply(psi, out, bands,
        [&](const Complex* from, Complex* to, Index count) { fft_.apply_on_grid(from, potential, to, count); });
}

template <class Real>
void BandFft<Real>::show_on_grid(const Complex* psi, GridOperator<Real>& visitor, Index bands) {
  transforms_ += bands;
  if (!plan_) return fft_.show_on_grid(psi, visitor, {0, 1, bands}, bands);
  in_parts(psi, bands, [&](Index first, Index count) {
    fft_.show_on_grid(mine(), visitor, {first + my_group_, groups_, first + count}, share(count));
  });
}

template <class Real>
void BandFft<Real>::accumulate_density(const Complex* psi, std::span<const double> weights, double* density,
                                       Index bands) {
  transforms_ += bands;
  if (!plan_) return fft_.accumulate_density(psi, weights, density, bands);
  std::vector<double> my_weights;
  in_parts(psi, bands, [&](Index first, Index count) {
    my_weights.assign(static_cast<std::size_t>(share(count)), 0.0);
    for (Index b = my_group_; b < count; b += groups_)
      my_weights[static_cast<std::size_t>(b / groups_)] = weights[static_cast<std::size_t>(first + b)];
    fft_.accumulate_density(mine(), my_weights, density, share(count));
  });
}

template class BandFft<float>;
template class BandFft<double>;

}  // namespace wavegrid
