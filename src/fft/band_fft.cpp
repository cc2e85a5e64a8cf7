#include "fft/band_fft.hpp"

#include <algorithm>

#include "exchange/directory.hpp"
#include "layout/wave_blocks.hpp"

namespace wavegrid {

namespace {

constexpr Index piece_per_group = 32;  ///< bands of a group that are transformed together

/// Global numbers of the plane waves on `sticks`, those of band `band` of a set apart from the others'.
void append_waves(IndexList& list, const GSphere& sphere, const std::vector<int>& sticks, int band) {
  const Index nx = sphere.grid()[0], all = nx * sphere.counts().num_sticks();
  for (const int stick : sticks) {
    const Index first = band * all + stick * nx;
    list.append({first, first + sphere.counts().count[static_cast<std::size_t>(stick)]});
  }
}

/// From the rows of one band per group to the bands that the groups transform. Collective over the k-group.
ExchangePlan make_plan(const ProcessGroups& levels, const GSphere& sphere, const PlaneWaves& rows,
                       const std::vector<int>& sticks, const FftOptions& options) {
  IndexList source, target;
  for (int band = 0; band < levels.counts().bandgroups; ++band) append_waves(source, sphere, rows.sticks(), band);
  append_waves(target, sphere, sticks, levels.my_bandgroup());
  MatchedRuns runs = match_layouts(levels.kgroup(), source, target);
  return {levels.kgroup(), std::move(runs.sends), std::move(runs.receives),
          options.transport.value_or(Transport::alltoallv), options.threads};
}

}  // namespace

template <class Real>
Partition BandFft<Real>::rows_of(const GSphere& sphere, const Partition& partition, int bandgroups, int ranks,
                                 bool deterministic) {
  if (deterministic) return WaveBlocks(sphere.counts()).partition(sphere.counts(), ranks);
  if (bandgroups == 1) return partition;
  return make_partition(Scheme::greedy, sphere.counts(), sphere.grid()[0], ranks);
}

template <class Real>
double BandFft<Real>::bytes(int groups, Index rows, Index waves) {
  if (groups == 1) return 0;
  const Index piece = piece_per_group * (waves + 2 * (waves + groups * rows));
  return static_cast<double>(piece + groups * rows) * sizeof(Complex);
}

template <class Real>
BandFft<Real>::BandFft(const ProcessGroups& levels, const ProcessGrid& ranks, const GSphere& sphere,
                       const Partition& partition, const FftOptions& options)
    : comm_(levels.kgroup()),
      groups_(levels.counts().bandgroups),
      my_group_(levels.my_bandgroup()),
      fft_(ranks, partition, sphere, options),
      rows_(sphere, rows_of(sphere, partition, groups_, comm_.size(), options.deterministic), comm_.rank()),
      profile_(options.profile) {
  if (options.deterministic) {
    const WaveBlocks blocks(sphere.counts());
    block_starts_ = blocks.starts(comm_.size());
    const auto me = static_cast<std::size_t>(comm_.rank());
    const auto first = blocks.waves.begin() + block_starts_[me], last = blocks.waves.begin() + block_starts_[me + 1];
    for (auto begin = first; begin <= last; ++begin) block_begins_.push_back(*begin - *first);
  }
  if (groups_ == 1 && (!options.deterministic || comm_.size() == 1)) return;
  plan_.emplace(make_plan(levels, sphere, rows_, fft_.layout().my_sticks, options));
  if (profile_ && profile_->trace()) plan_->write_to(profile_->trace(), "bands", levels.world());
}

template <class Real>
void BandFft<Real>::fetch(const Complex* psi, Index bands) {
  const Profile::Guard guard(profile_, Phase::exchange);
  const Index whole = bands / groups_, rest = bands % groups_, set = groups_ * rows_.size();
  mine_.resize(static_cast<std::size_t>(shares(bands) * fft_.size()));
  plan_->forward(psi, mine_.data(), {whole, set, fft_.size()});
  if (rest == 0) return;
  rest_.assign(static_cast<std::size_t>(set), Complex(0));
  std::copy_n(psi + whole * set, rest * rows_.size(), rest_.data());
  plan_->forward(rest_.data(), mine_.data() + whole * fft_.size(), {1, set, fft_.size()});
}

template <class Real>
void BandFft<Real>::put_back(Complex* psi, Index bands) {
  const Profile::Guard guard(profile_, Phase::exchange);
  const Index whole = bands / groups_, rest = bands % groups_, set = groups_ * rows_.size();
  plan_->backward(mine_.data(), psi, {whole, set, fft_.size()});
  if (rest == 0) return;
  plan_->backward(mine_.data() + whole * fft_.size(), rest_.data(), {1, set, fft_.size()});
  std::copy_n(rest_.data(), rest * rows_.size(), psi + whole * set);
}

template <class Real>
template <class Work>
void BandFft<Real>::in_pieces(const Complex* psi, Index bands, Work work) {
  const Index piece = piece_per_group * groups_;
  for (Index first = 0; first < bands; first += piece) {
    const Index count = std::min(piece, bands - first);
    fetch(psi + first * rows_.size(), count);
    work(first, count);
  }
}

template <class Real>
void BandFft<Real>::apply_local(const Complex* psi, const Real* potential, Complex* out, Index bands) {
  transforms_ += 2 * bands;
  if (!plan_) return fft_.apply_local(psi, potential, out, bands);
  in_pieces(psi, bands, [&](Index first, Index count) {
    fft_.apply_local(mine_.data(), potential, mine_.data(), shares(count));
    put_back(out + first * rows_.size(), count);
  });
}

template <class Real>
void BandFft<Real>::accumulate_density(const Complex* psi, std::span<const double> weights, double* density,
                                       Index bands) {
  transforms_ += bands;
  if (!plan_) return fft_.accumulate_density(psi, weights, density, bands);
  std::vector<double> my_weights;
  in_pieces(psi, bands, [&](Index first, Index count) {
    my_weights.assign(static_cast<std::size_t>(shares(count)), 0.0);
    for (Index b = my_group_; b < count; b += groups_)
      my_weights[static_cast<std::size_t>(b / groups_)] = weights[static_cast<std::size_t>(first + b)];
    fft_.accumulate_density(mine_.data(), my_weights, density, shares(count));
  });
}

template class BandFft<float>;
template class BandFft<double>;

}  // namespace wavegrid
