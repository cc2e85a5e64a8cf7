#include <algorithm>
#include <cmath>
#include <utility>

#include <wavegrid/base/scope_timer.hpp>
#include <wavegrid/fock/fock_operator.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/wavefunctions/wave_transfer.hpp>

namespace wavegrid {

Int3 FockSetting::grid() const {
  Int3 points{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double length = norm(lattice.vectors()[i]) / (2 * M_PI);
    const double waves = std::sqrt(2 * ecut) * length, pairs = std::sqrt(2 * pair_ecut()) * length;
    points[i] = smooth_size_from(static_cast<int>(std::floor(2 * waves + std::min(pairs, 2 * waves) + 1e-6)) + 1);
  }
  return points;
}

template <class S>
FockOperator<S>::FockOperator(const ProcessGroups& groups, FockSetting setting)
    : groups_(groups),
      setting_(std::move(setting)),
      fft_(setting_.grid(), PlanEffort::measure),
      kernel_(setting_.lattice, setting_.interaction, setting_.mesh, setting_.options, setting_.ecut,
              setting_.pair_ecut(), fft_.grid()),
      work_(fft_.workspace()) {}

template <class S>
std::vector<Int3> FockOperator<S>::sphere(const Vec3& k) const {
  const GSphere sphere(setting_.lattice, setting_.ecut, fft_.grid(), setting_.mode, k);
  return PlaneWaves(sphere, make_partition(Scheme::greedy, sphere.counts(), fft_.grid()[0], 1), 0).g();
}

template <class S>
std::vector<typename FockOperator<S>::Share> FockOperator<S>::distribute(const std::vector<FockBands<S>>& targets,
                                                                         bool for_w) {
  const Comm& group = groups_.kpoint_group();
  std::vector<Share> shares;
  for (const FockBands<S>& target : targets) {
    const Range mine = BlockLayout(target.psi.count, group.size()).range(group.rank());
    std::vector<Int3> g = sphere(target.k);
    BandBox<S> box(fft_, g);
    const int c = setting_.components;
    const Range all{0, target.psi.count * c}, part{mine.begin * c, mine.end * c};
    const auto size = static_cast<std::size_t>(part.size() * box.size());
    Share share{&target,
                mine,
                std::move(g),
                std::move(box),
                AlignedVector<Complex>(size),
                AlignedVector<Complex>(for_w ? size : 0)};
    std::fill(share.w.begin(), share.w.end(), Complex(0));
    const auto* const psi = coefficients(target.psi);
    if (group.size() == 1)
      WaveTransfer(group, {target.rows->g(), {0, 1}, setting_.mode}, {share.g, {0, 1}, setting_.mode})
          .forward(psi, share.psi.data(), all.end);
    else
      WaveTransfer(group, {target.rows->g(), all, setting_.mode}, {share.g, part, setting_.mode})
          .forward(psi, share.psi.data());
    shares.push_back(std::move(share));
  }
  return shares;
}

template <class S>
std::vector<Bands<S>> FockOperator<S>::collect(std::vector<Share>& shares) {
  const Comm& group = groups_.kpoint_group();
  std::vector<Bands<S>> all;
  for (Share& share : shares) {
    const FockBands<S>& target = *share.of;
    Bands<S>& w = all.emplace_back(target.psi.rows, target.psi.count);
    auto* const rows = coefficients(w.view());
    const int c = setting_.components;
    const Range bands{0, target.psi.count * c}, part{share.bands.begin * c, share.bands.end * c};
    if (group.size() == 1)
      WaveTransfer(group, {share.g, {0, 1}, setting_.mode}, {target.rows->g(), {0, 1}, setting_.mode})
          .forward(share.w.data(), rows, bands.end);
    else
      WaveTransfer(group, {share.g, part, setting_.mode}, {target.rows->g(), bands, setting_.mode})
          .forward(share.w.data(), rows);
    if (target.off_mesh.empty()) continue;
    const double correction = kernel_.correction(target.k);
    for (Index b = 0; b < w.count(); ++b) {
      const double factor = correction * target.off_mesh[static_cast<std::size_t>(b)];
      for (Index i = 0; i < w.rows(); ++i) w.view().band(b)[i] -= factor * target.psi.band(b)[i];
    }
  }
  return all;
}

template <class S>
std::vector<std::vector<typename FockOperator<S>::Part>> FockOperator<S>::chunks(std::vector<Share>& shares) const {
  const Index most = bands_in(target_bytes, 2.0 * static_cast<double>(band_points()) * sizeof(S));
  std::vector<std::vector<Part>> all;
  Index left = 0;
  for (Share& share : shares)
    for (Index first = 0; first < share.bands.size();) {
      if (left == 0) {
        all.emplace_back();
        left = most;
      }
      const Index count = std::min(left, share.bands.size() - first);
      all.back().push_back({&share, {first, first + count}, {}, {}});
      first += count;
      left -= count;
    }
  return all;
}

template <class S>
std::vector<Bands<S>> FockOperator<S>::apply(const ExchangeStates<S>& states, const std::vector<FockBands<S>>& targets,
                                             const FockRun& run) {
  std::vector<Share> shares = distribute(targets, true);
  const bool on_themselves = &targets == &states.mine;
  if constexpr (ScalarTraits<S>::is_real) {
    // The derivative by the strain takes the pairs in another order.
    if (on_themselves && setting_.zone.size() == 1 && run.strain == nullptr) {
      if (run.in_single)
        add_symmetric<float>(states, shares);
      else
        add_symmetric<double>(states, shares);
      return collect(shares);
    }
  }
  std::vector<Share> others;
  if (!on_themselves) others = distribute(states.mine, false);
  const std::vector<Share>& sources = on_themselves ? shares : others;
  std::vector<std::vector<Part>> mine = chunks(shares);
  const Index rounds = groups_.world().max(static_cast<Index>(mine.size()));
  mine.resize(static_cast<std::size_t>(rounds));
  const std::vector<Block> all = blocks(states);
  Mat3 sum{};
  for (std::vector<Part>& parts : mine) {
    add_parts(states, sources, all, parts, {run.in_single, run.strain != nullptr ? &sum : nullptr});
    parts.clear();
  }
  if (run.strain != nullptr) {
    for (Vec3& row : sum) groups_.world().sum(std::span<double>(row));
    for (std::size_t i = 0; i < 3; ++i) (*run.strain)[i] = (*run.strain)[i] + sum[i];
  }
  return collect(shares);
}

template <class S>
void FockOperator<S>::add_parts(const ExchangeStates<S>& states, const std::vector<Share>& sources,
                                const std::vector<Block>& blocks, std::vector<Part>& parts, const FockRun& run) {
  const int c = setting_.components;
  for (Part& part : parts) {
    const Share& share = *part.share;
    part.u.resize(static_cast<std::size_t>(part.bands.size() * band_points()));
    part.w.resize(part.u.size());
    std::fill(part.w.begin(), part.w.end(), S(0));
    share.box.to_points(share.psi.data() + c * part.bands.begin * share.box.size(), c * part.bands.size(),
                        part.u.data(), work_);
  }
  std::optional<Arrival> next;
  if (!blocks.empty()) next.emplace(start(sources, blocks.front()));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Arrival arrival = std::move(*next);
    {
      const ScopeTimer timer(communication_seconds_);
      arrival.request.reset();
    }
    next.reset();
    if (i + 1 < blocks.size()) next.emplace(start(sources, blocks[i + 1]));
    add_block(states, arrival, parts, run, next ? &next->request : nullptr);
  }
  for (Part& part : parts)
    part.share->box.to_waves(part.w.data(), c * part.bands.size(),
                             part.share->w.data() + c * part.bands.begin * part.share->box.size(), work_);
}

template <class S>
double FockOperator<S>::bytes(const FockSetting& setting, Index waves, Index bands, Index sets, int ranks) {
  const Int3 grid = setting.grid();
  const double points = static_cast<double>(grid[0]) * grid[1] * grid[2] * setting.components;
  const double share = static_cast<double>(ceil_div(bands, ranks));
  const double targets =
      std::min(static_cast<double>(sets) * share, static_cast<double>(bands_in(target_bytes, 2 * points * sizeof(S))));
  const double sources = std::min({static_cast<double>(bands), static_cast<double>(most_source_bands),
                                   static_cast<double>(bands_in(source_bytes, points * 2 * sizeof(S)))});
  const double band = static_cast<double>(waves) * sizeof(Complex) * setting.components;
  return 2 * share * static_cast<double>(sets) * band + 2 * targets * points * sizeof(S) +
         sources * (2 * band + 3 * points * sizeof(S)) + 4 * BoxFft::bytes(grid) +
         (setting.options.singularity == Singularity::wigner_seitz
              ? WignerSeitzCell::bytes(setting.lattice, setting.mesh, grid)
              : 0);
}

#define WAVEGRID_INSTANTIATE(S) template class FockOperator<S>;
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
