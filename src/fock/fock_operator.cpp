#include <algorithm>
#include <cmath>
#include <utility>

#include <wavegrid/fock/fock_operator.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/wavefunctions/spinor_rotation.hpp>

namespace wavegrid {

namespace {

constexpr double target_bytes = 256e6, source_bytes = 64e6;  ///< of bands at points, at most
constexpr Index most_source_bands = 64;                      ///< in a block
constexpr double least_occupation = 1e-14;

/// Bands at points that fit into so many bytes, at least 2.
Index bands_in(double bytes, double bytes_per_band) {
  return std::max<Index>(2, static_cast<Index>(bytes / bytes_per_band));
}

/// Q = k - q + G of a place in the box: the G nearest to q - k of those that have this place.
Vec3 momentum(const Int3& place, const Int3& grid, const Vec3& k_minus_q) {
  Vec3 q{};
  for (std::size_t i = 0; i < 3; ++i)
    q[i] = k_minus_q[i] + place[i] - grid[i] * std::round((k_minus_q[i] + place[i]) / grid[i]);
  return q;
}

/// Calls action(place, Q) for all places of a box.
template <class Action>
void for_momenta(const Int3& grid, const Vec3& k_minus_q, const Action& action) {
  Index place = 0;
  for (int x = 0; x < grid[0]; ++x)
    for (int y = 0; y < grid[1]; ++y)
      for (int z = 0; z < grid[2]; ++z) action(place++, momentum({x, y, z}, grid, k_minus_q));
}

}  // namespace

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
bool FockOperator<S>::interacts(const Vec3& k, const Vec3& q) const {
  const auto points = static_cast<double>(setting_.mesh[0]) * setting_.mesh[1] * setting_.mesh[2];
  if (points == static_cast<double>(setting_.zone.size())) return true;
  for (std::size_t i = 0; i < 3; ++i) {
    const double steps = (k[i] - q[i]) * setting_.mesh[i];
    if (std::abs(steps - std::round(steps)) > 1e-6) return false;
  }
  return true;
}

template <class S>
std::vector<typename FockOperator<S>::Share> FockOperator<S>::distribute(const std::vector<FockBands<S>>& targets) {
  const Comm& group = groups_.kpoint_group();
  std::vector<Share> shares;
  for (const FockBands<S>& target : targets) {
    const Range mine = BlockLayout(target.psi.count, group.size()).range(group.rank());
    std::vector<Int3> g = sphere(target.k);
    BandBox<S> box(fft_, g);
    const int c = setting_.components;
    const Range all{0, target.psi.count * c}, part{mine.begin * c, mine.end * c};
    const auto size = static_cast<std::size_t>(part.size() * box.size());
    Share share{
        &target, mine, std::move(g), std::move(box), AlignedVector<Complex>(size), AlignedVector<Complex>(size)};
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
                                             Mat3* strain) {
  std::vector<Share> shares = distribute(targets);
  std::vector<std::vector<Part>> mine = chunks(shares);
  const Index rounds = groups_.world().max(static_cast<Index>(mine.size()));
  mine.resize(static_cast<std::size_t>(rounds));
  Mat3 sum{};
  for (std::vector<Part>& parts : mine) {
    for (Part& part : parts) {
      const Share& share = *part.share;
      part.u.resize(static_cast<std::size_t>(part.bands.size() * band_points()));
      part.w.resize(part.u.size());
      std::fill(part.w.begin(), part.w.end(), S(0));
      const int c = setting_.components;
      share.box.to_points(share.psi.data() + c * part.bands.begin * share.box.size(), c * part.bands.size(),
                          part.u.data(), work_);
    }
    for (std::size_t point = 0; point < setting_.zone.size(); ++point)
      for (int spin = 0; spin < setting_.spins; ++spin)
        add_sources(states, point, spin, parts, strain != nullptr ? &sum : nullptr);
    for (Part& part : parts) {
      const int c = setting_.components;
      part.share->box.to_waves(part.w.data(), c * part.bands.size(),
                               part.share->w.data() + c * part.bands.begin * part.share->box.size(), work_);
    }
    parts.clear();
  }
  if (strain != nullptr) {
    for (Vec3& row : sum) groups_.world().sum(std::span<double>(row));
    for (std::size_t i = 0; i < 3; ++i) (*strain)[i] = (*strain)[i] + sum[i];
  }
  return collect(shares);
}

template <class S>
std::vector<double> FockOperator<S>::occupations(const ExchangeStates<S>& states, const ZonePoint& point,
                                                 int spin) const {
  const double points = static_cast<double>(setting_.mesh[0]) * setting_.mesh[1] * setting_.mesh[2];
  const double full = setting_.k_weights[static_cast<std::size_t>(point.origin)] * setting_.full();
  const auto first = states.occupations.begin() + (point.origin * setting_.spins + spin) * states.bands;
  std::vector<double> o(first, first + states.bands);
  for (double& one : o) one /= full * points;
  while (!o.empty() && std::abs(o.back()) < least_occupation) o.pop_back();
  return o;
}

template <class S>
void FockOperator<S>::add_sources(const ExchangeStates<S>& states, std::size_t point, int spin,
                                  std::vector<Part>& parts, Mat3* strain) {
  const ZonePoint& at = setting_.zone[point];
  const std::vector<double> o = occupations(states, at, spin);
  if (o.empty()) return;
  const auto found = std::find_if(states.mine.begin(), states.mine.end(),
                                  [&](const FockBands<S>& one) { return one.number == at.origin && one.spin == spin; });
  const FockBands<S>* const source = found == states.mine.end() ? nullptr : &*found;
  const std::vector<Int3> g = sphere(at.k);
  WaveTransfer& moves = transfer(source, point, spin, g);
  const bool needed = std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
    return part.share->of->spin == spin && interacts(part.share->of->k, at.k);
  });
  const BandBox<S> box(fft_, g);
  const auto count = static_cast<Index>(o.size());
  const Index most =
      std::min({count, most_source_bands, bands_in(source_bytes, static_cast<double>(band_points()) * 2 * sizeof(S))});
  const int c = setting_.components;
  AlignedVector<Complex> waves(static_cast<std::size_t>(c * most * box.size()), Complex(0));
  AlignedVector<S> values(needed ? static_cast<std::size_t>(most * band_points()) : 0);
  for (Index first = 0; first < count; first += most) {
    const Index bands = std::min(most, count - first);
    moves.forward(source != nullptr ? coefficients(source->psi.slice(first, bands)) : nullptr, waves.data(), c * bands);
    if (!needed) continue;
    if (c == 2 && !at.map.is_identity())
      rotate_components<Complex>(spinor_rotation(at.map, setting_.lattice.vectors()),
                                 BandView<Complex>{waves.data(), 2 * box.size(), bands});
    const Profile::Guard guard(groups_.world().profile(), Phase::fft);
    box.to_points(waves.data(), c * bands, values.data(), work_);
    const auto weights = std::span(o).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(bands));
    const ExchangeSources<S> sources(values.data(), weights, band_points());
    for (Part& part : parts)
      if (part.share->of->spin == spin && interacts(part.share->of->k, at.k)) add_pairs(at, sources, part, strain);
  }
}

template <class S>
void FockOperator<S>::add_pairs(const ZonePoint& point, const ExchangeSources<S>& sources, Part& part, Mat3* strain) {
  const Profile::Guard guard(groups_.world().profile(), Phase::fft);
  const FockBands<S>& target = *part.share->of;
  const Vec3 k_minus_q = target.k - point.k;
  const auto points = static_cast<std::size_t>(fft_.points());
  const double scale = 1.0 / (static_cast<double>(points) * setting_.lattice.volume());
  AlignedVector<double> kernel(points), spectrum(strain != nullptr ? points : 0, 0.0);
  for_momenta(fft_.grid(), k_minus_q,
              [&](Index place, const Vec3& q) { kernel[static_cast<std::size_t>(place)] = scale * kernel_(q); });
  ExchangeTargets<S> targets{part.u.data(), part.bands.size(), part.w.data(), setting_.components};
  if (strain != nullptr) {
    targets.occupations = target.occupations.data() + part.share->bands.begin + part.bands.begin;
    targets.spectrum = spectrum.data();
  }
  add_pair_exchange<S>(fft_, kernel.data(), sources, targets, setting_.threads);
  if (strain == nullptr) return;
  for_momenta(fft_.grid(), k_minus_q, [&](Index place, const Vec3& q) {
    const double weight = -0.5 * scale / static_cast<double>(points) * spectrum[static_cast<std::size_t>(place)];
    if (weight == 0) return;
    Mat3 one = kernel_.strain(q);
    const double v = kernel_(q);
    for (std::size_t i = 0; i < 3; ++i) one[i][i] -= v;  // the volume in the denominator
    for (std::size_t i = 0; i < 3; ++i) (*strain)[i] = (*strain)[i] + weight * one[i];
  });
}

template <class S>
WaveTransfer& FockOperator<S>::transfer(const FockBands<S>* source, std::size_t point, int spin,
                                        const std::vector<Int3>& g) {
  auto& known = transfers_[{point, spin}];
  if (!known) {
    const std::span<const Int3> rows =
        source != nullptr ? std::span<const Int3>(source->rows->g()) : std::span<const Int3>{};
    known = std::make_unique<WaveTransfer>(groups_.world(), WaveList{rows, {0, 1}, setting_.mode},
                                           WaveList{g, {0, 1}, setting_.mode}, setting_.zone[point].map);
  }
  return *known;
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
         sources * (band + 2 * points * sizeof(S)) + 4 * BoxFft::bytes(grid) +
         (setting.options.singularity == Singularity::wigner_seitz
              ? WignerSeitzCell::bytes(setting.lattice, setting.mesh, grid)
              : 0);
}

#define WAVEGRID_INSTANTIATE(S) template class FockOperator<S>;
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
