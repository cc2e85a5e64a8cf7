// Blocks of bands m, which travel to all ranks, and what they contribute.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include <wavegrid/base/scope_timer.hpp>
#include <wavegrid/fock/fock_operator.hpp>
#include <wavegrid/fock/symmetric_exchange.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/wavefunctions/spinor_rotation.hpp>

namespace wavegrid {

namespace {

/// Occupations below it are left out: each changes the energy by less than its own size in Ha.
constexpr double least_occupation = 1e-12;

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

/// Real bands between plane waves and the points of a box, as SymmetricExchange wants them.
class WavePoints {
 public:
  WavePoints(const BandBox<double>& box, BoxFft::Workspace& work) : box_(box), work_(work) {}
  void to_points(const std::complex<double>* bands, Index count, double* values) {
    box_.to_points(bands, count, values, work_);
  }
  void to_bands(const double* values, Index count, std::complex<double>* bands) {
    box_.to_waves(values, count, bands, work_);
  }

 private:
  const BandBox<double>& box_;
  BoxFft::Workspace& work_;
};

}  // namespace

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
std::vector<double> FockOperator<S>::occupations(const ExchangeStates<S>& states, int k, int spin) const {
  const double points = static_cast<double>(setting_.mesh[0]) * setting_.mesh[1] * setting_.mesh[2];
  const double full = setting_.k_weights[static_cast<std::size_t>(k)] * setting_.full();
  const auto first = states.occupations.begin() + (k * setting_.spins + spin) * states.bands;
  std::vector<double> o(first, first + states.bands);
  for (double& one : o) one = std::abs(one) < least_occupation * full ? 0.0 : one / (full * points);
  return o;
}

template <class S>
std::vector<typename FockOperator<S>::Owners> FockOperator<S>::owners(const ExchangeStates<S>& states) const {
  const auto sets = setting_.k_points.size() * static_cast<std::size_t>(setting_.spins);
  std::vector<Index> numbers(3 * sets, 0);
  const Comm& group = groups_.kpoint_group();
  for (const FockBands<S>& one : states.mine) {
    const auto set = static_cast<std::size_t>(one.number * setting_.spins + one.spin);
    numbers[3 * set] = groups_.world().rank() - group.rank();
    numbers[3 * set + 1] = group.size();
    numbers[3 * set + 2] = one.psi.count;
  }
  groups_.world().max(std::span<Index>(numbers));
  std::vector<Owners> all;
  for (std::size_t set = 0; set < sets; ++set)
    all.push_back({static_cast<int>(numbers[3 * set]), static_cast<int>(numbers[3 * set + 1]), numbers[3 * set + 2]});
  return all;
}

template <class S>
std::vector<typename FockOperator<S>::Block> FockOperator<S>::blocks(const ExchangeStates<S>& states) const {
  const std::vector<Owners> ranks = owners(states);
  const Index most = bands_of_block();
  std::vector<Block> all;
  for (int k = 0; k < static_cast<int>(setting_.k_points.size()); ++k)
    for (int spin = 0; spin < setting_.spins; ++spin) {
      const std::vector<double> o = occupations(states, k, spin);
      const auto last = std::find_if(o.rbegin(), o.rend(), [](double one) { return one != 0; });
      const auto occupied = static_cast<Index>(o.rend() - last);
      const Owners& of = ranks[static_cast<std::size_t>(k * setting_.spins + spin)];
      for (int owner = 0; owner < of.count; ++owner) {
        const Range share = BlockLayout(of.bands, of.count).range(owner);
        const Index end = std::min(share.end, occupied);
        for (Index first = share.begin; first < end; first += most)
          all.push_back({k, spin, {first, std::min(first + most, end)}, of.first + owner, first - share.begin});
      }
    }
  return all;
}

template <class S>
typename FockOperator<S>::Arrival FockOperator<S>::start(const std::vector<Share>& sources, const Block& block) {
  const ScopeTimer timer(communication_seconds_);
  const Comm& world = groups_.world();
  const auto waves = static_cast<Index>(sphere(setting_.k_points[static_cast<std::size_t>(block.k)]).size());
  const Index band = waves * setting_.components;
  Arrival arrival{block, AlignedVector<Complex>(static_cast<std::size_t>(block.bands.size() * band)), {}};
  if (world.rank() == block.owner) {
    const auto share = std::find_if(sources.begin(), sources.end(), [&](const Share& one) {
      return one.of->number == block.k && one.of->spin == block.spin;
    });
    std::copy_n(share->psi.data() + block.first * band, arrival.waves.size(), arrival.waves.data());
  }
  if (world.size() > 1)
    MPI_Ibcast(arrival.waves.data(), static_cast<int>(arrival.waves.size()), mpi_type<Complex>(), block.owner,
               world.handle(), arrival.request.receive_handle());
  return arrival;
}

template <class S>
const typename FockOperator<S>::ZoneWaves& FockOperator<S>::zone_waves(std::size_t point) {
  if (const auto known = zone_waves_.find(point); known != zone_waves_.end()) return known->second;
  const ZonePoint& at = setting_.zone[point];
  const std::vector<Int3> g = sphere(at.k), origin = sphere(setting_.k_points[static_cast<std::size_t>(at.origin)]);
  ZoneWaves waves{{}, {}, {}, BandBox<S>(fft_, g)};
  if (!at.map.is_identity()) {
    std::map<Int3, Index> places;
    for (std::size_t i = 0; i < origin.size(); ++i) places[origin[i]] = static_cast<Index>(i);
    for (const Int3& one : g) {
      const WaveOrigin from = find_origin(at.map, setting_.mode, one);
      waves.from.push_back(places.at(from.g));
      waves.factors.push_back(from.factor);
      waves.conjugated.push_back(from.conjugated);
    }
  }
  return zone_waves_.emplace(point, std::move(waves)).first->second;
}

template <class S>
void FockOperator<S>::add_block(const ExchangeStates<S>& states, const Arrival& arrival, std::vector<Part>& parts,
                                const FockRun& run, Request* next) {
  const Profile::Guard guard(groups_.world().profile(), Phase::fft);
  const Block& block = arrival.block;
  const Index bands = block.bands.size();
  const int c = setting_.components;
  const std::vector<double> all = occupations(states, block.k, block.spin);
  const std::span<const double> o(all.data() + block.bands.begin, static_cast<std::size_t>(bands));
  AlignedVector<Complex> turned;
  AlignedVector<S> values;
  for (std::size_t point = 0; point < setting_.zone.size(); ++point) {
    const ZonePoint& at = setting_.zone[point];
    const bool needed = at.origin == block.k && std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
                          return part.share->of->spin == block.spin && interacts(part.share->of->k, at.k);
                        });
    if (!needed) continue;
    const ZoneWaves& waves = zone_waves(point);
    const Complex* coefficients = arrival.waves.data();
    if (!waves.from.empty()) {
      const auto size = static_cast<std::size_t>(waves.box.size());
      turned.resize(arrival.waves.size());
      for (std::size_t b = 0; b < static_cast<std::size_t>(c * bands); ++b)
        for (std::size_t i = 0; i < size; ++i) {
          const Complex value = coefficients[b * size + static_cast<std::size_t>(waves.from[i])];
          turned[b * size + i] = waves.factors[i] * (waves.conjugated[i] ? std::conj(value) : value);
        }
      coefficients = turned.data();
      if (c == 2)
        rotate_components<Complex>(spinor_rotation(at.map, setting_.lattice.vectors()),
                                   BandView<Complex>{turned.data(), 2 * waves.box.size(), bands});
    }
    values.resize(static_cast<std::size_t>(bands * band_points()));
    waves.box.to_points(coefficients, c * bands, values.data(), work_);
    if (run.in_single)
      add_pairs<float>(at, block.spin, values.data(), o, parts, nullptr, next);
    else
      add_pairs<double>(at, block.spin, values.data(), o, parts, run.strain, next);
  }
}

template <class S>
template <class Real>
AlignedVector<Real> FockOperator<S>::kernel_values(const Vec3& k_minus_q) const {
  const double scale = 1.0 / (static_cast<double>(fft_.points()) * setting_.lattice.volume());
  AlignedVector<Real> kernel(static_cast<std::size_t>(fft_.points()));
  for_momenta(fft_.grid(), k_minus_q, [&](Index place, const Vec3& q) {
    kernel[static_cast<std::size_t>(place)] = static_cast<Real>(scale * kernel_(q));
  });
  return kernel;
}

template <class S>
template <class Real>
const PairFft<Real>& FockOperator<S>::transform() {
  const auto made = [&](auto& fft) -> const PairFft<Real>& {
    if (!fft) fft.emplace(fft_.grid(), fft_.grid(), PlanEffort::measure);
    return *fft;
  };
  if constexpr (std::is_same_v<Real, float>)
    return made(single_fft_);
  else
    return made(pair_fft_);
}

template <class S>
template <class Real>
void FockOperator<S>::add_symmetric(const ExchangeStates<S>& states, std::vector<Share>& shares) {
  if constexpr (ScalarTraits<S>::is_real) {
    const Profile::Guard guard(groups_.world().profile(), Phase::fft);
    const AlignedVector<Real> kernel = kernel_values<Real>({0, 0, 0});
    for (Share& share : shares) {
      const std::vector<double> o = occupations(states, share.of->number, share.of->spin);
      WavePoints points(share.box, work_);
      SymmetricExchange<Complex, WavePoints, Real> exchange(groups_.kpoint_group(), points, transform<Real>(),
                                                            kernel.data(), setting_.threads);
      exchange.add({o, share.box.size(), share.psi.data(), share.w.data()},
                   bands_in(target_bytes / 2, 2.0 * static_cast<double>(band_points()) * sizeof(S)));
      communication_seconds_ += exchange.communication_seconds();
    }
  }
}

template <class S>
template <class Real>
void FockOperator<S>::add_pairs(const ZonePoint& point, int spin, const S* values, std::span<const double> o,
                                std::vector<Part>& parts, Mat3* strain, Request* next) {
  const Index at_once = 4 * setting_.threads;  // bands between two looks at the messages
  const ExchangeSources<ScalarOf<S, Real>> sources(values, o, band_points());
  for (Part& part : parts) {
    const FockBands<S>& target = *part.share->of;
    if (target.spin != spin || !interacts(target.k, point.k)) continue;
    const AlignedVector<Real> kernel = kernel_values<Real>(target.k - point.k);
    AlignedVector<double> spectrum(strain != nullptr ? kernel.size() : 0, 0.0);
    for (Index first = 0; first < part.bands.size(); first += at_once) {
      ExchangeTargets<S> targets{part.u.data() + first * band_points(), std::min(at_once, part.bands.size() - first),
                                 part.w.data() + first * band_points(), setting_.components};
      if (strain != nullptr) {
        targets.occupations = target.occupations.data() + part.share->bands.begin + part.bands.begin + first;
        targets.spectrum = spectrum.data();
      }
      add_pair_exchange<S, Real>(transform<Real>(), kernel.data(), sources, targets, setting_.threads);
      if (next != nullptr) static_cast<void>(next->test());
    }
    if (strain != nullptr) add_strain(target.k - point.k, spectrum, *strain);
  }
}

template <class S>
void FockOperator<S>::add_strain(const Vec3& k_minus_q, const AlignedVector<double>& spectrum, Mat3& strain) const {
  const auto points = static_cast<double>(fft_.points());
  const double scale = 1.0 / (points * setting_.lattice.volume());
  for_momenta(fft_.grid(), k_minus_q, [&](Index place, const Vec3& q) {
    const double weight = -0.5 * scale / points * spectrum[static_cast<std::size_t>(place)];
    if (weight == 0) return;
    Mat3 one = kernel_.strain(q);
    const double v = kernel_(q);
    for (std::size_t i = 0; i < 3; ++i) one[i][i] -= v;  // the volume in the denominator
    for (std::size_t i = 0; i < 3; ++i) strain[i] = strain[i] + weight * one[i];
  });
}

#define WAVEGRID_INSTANTIATE(S) template class FockOperator<S>;
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE
template void FockOperator<double>::add_symmetric<float>(const ExchangeStates<double>&, std::vector<Share>&);
template void FockOperator<double>::add_symmetric<double>(const ExchangeStates<double>&, std::vector<Share>&);

}  // namespace wavegrid
