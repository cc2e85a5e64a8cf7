#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/exchange/candidates.hpp>
#include <wavegrid/wavefunctions/wave_transfer.hpp>

namespace wavegrid {

namespace {

/// Global indices of plane waves: every G of all ranks is in a box around 0; gx varies fastest, as along sticks.
class Keys {
 public:
  /// Collective.
  Keys(const Comm& comm, std::span<const Int3> first, std::span<const Int3> second) {
    for (const auto& waves : {first, second})
      for (const Int3& g : waves)
        for (std::size_t i = 0; i < 3; ++i) reach_[i] = std::max<Index>(reach_[i], std::abs(g[i]));
    for (Index& reach : reach_) reach = comm.max(reach);
  }
  [[nodiscard]] Index of(const Int3& g) const {
    return ((g[2] + reach_[2]) * width(1) + g[1] + reach_[1]) * width(0) + g[0] + reach_[0];
  }
  [[nodiscard]] Index count() const { return width(0) * width(1) * width(2); }

 private:
  [[nodiscard]] Index width(std::size_t i) const { return 2 * reach_[i] + 1; }
  std::array<Index, 3> reach_{};
};

IndexList list_of(const Keys& keys, std::span<const Int3> waves, const Range& bands) {
  IndexList list;
  for (Index band = bands.begin; band < bands.end; ++band)
    for (const Int3& g : waves) {
      const Index key = band * keys.count() + keys.of(g);
      list.append({key, key + 1});
    }
  return list;
}

void require_fitting_modes(const Comm& comm, Mode source, Mode target) {
  comm.collectively([&] {
    if (target == Mode::gamma && source != Mode::gamma)
      throw bad_input("complex wave functions cannot be transferred to half of a sphere, which stores real ones");
  });
}

Index elements(const std::vector<PartnerRuns>& entries) {
  Index sum = 0;
  for (const PartnerRuns& entry : entries) sum += total_length(entry.runs);
  return sum;
}

/// The number of coefficients of a source in the mode of the target.
Index count_in_mode(const WaveList& source, Mode target) {
  if (source.mode == target) return source.size();
  const bool has_zero = std::find(source.g.begin(), source.g.end(), Int3{0, 0, 0}) != source.g.end();
  return 2 * source.size() - (has_zero ? source.bands.size() : 0);
}

/// Which plane waves of the target are received, for at least one band.
std::vector<bool> arriving(const std::vector<PartnerRuns>& receives, std::size_t waves) {
  std::vector<bool> arrives(waves, false);
  for (const PartnerRuns& entry : receives)
    for_each_run(entry.runs, [&](Index start, Index length) {
      for (Index i = start; i < start + length; ++i) arrives[static_cast<std::size_t>(i) % waves] = true;
    });
  return arrives;
}

void sleep_until_done(Exchange& exchange) {
  constexpr int first_tests = 20;  // without sleeping: most messages arrive soon
  constexpr std::chrono::microseconds longest{200};
  std::chrono::microseconds pause{10};
  for (int tests = 0; !exchange.test(); ++tests) {
    if (tests < first_tests) continue;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest);
  }
}

}  // namespace

WaveTransfer::Parts WaveTransfer::match(const Comm& comm, const WaveList& source, const WaveList& target,
                                        const WaveMap& map) {
  require_fitting_modes(comm, source.mode, target.mode);
  Parts parts;
  std::vector<Int3> origins;
  origins.reserve(target.g.size());
  for (std::size_t i = 0; i < target.g.size(); ++i) {
    const WaveOrigin origin = find_origin(map, source.mode, target.g[i]);
    origins.push_back(origin.g);
    if (origin.factor != 1.0) {
      parts.factors.resize(target.g.size(), 1.0);  // allocated at the first factor: most transfers have none
      parts.factors[i] = origin.factor;
    }
    if (origin.conjugated) parts.conjugated.push_back(static_cast<Index>(i));
  }
  const Keys keys(comm, source.g, origins);
  parts.runs = match_layouts(comm, list_of(keys, source.g, source.bands), list_of(keys, origins, target.bands),
                             Unowned::leave_out);
  if (!parts.factors.empty() || !parts.conjugated.empty()) {
    // Coefficients that are not received stay unchanged: they may come from another transfer.
    const std::vector<bool> arrives = arriving(parts.runs.receives, target.g.size());
    std::erase_if(parts.conjugated, [&](Index i) { return !arrives[static_cast<std::size_t>(i)]; });
    for (std::size_t i = 0; i < parts.factors.size(); ++i)
      if (!arrives[i]) parts.factors[i] = 1.0;
  }
  parts.missing = target.size() - elements(parts.runs.receives);
  Index counts[] = {parts.missing, count_in_mode(source, target.mode), elements(parts.runs.receives)};
  comm.sum(std::span<Index>(counts));
  parts.unmatched = counts[0] + std::abs(counts[1] - counts[2]);
  return parts;
}

WaveTransfer::WaveTransfer(const Comm& comm, const WaveList& source, const WaveList& target, const WaveMap& map,
                           Transport transport)
    : WaveTransfer(comm, match(comm, source, target, map), source, target, transport) {}

WaveTransfer::WaveTransfer(const Comm& comm, Parts parts, const WaveList& source, const WaveList& target,
                           Transport transport)
    : source_size_(source.size()),
      target_size_(target.size()),
      waves_(static_cast<Index>(target.g.size())),
      factors_(std::move(parts.factors)),
      conjugated_(std::move(parts.conjugated)),
      missing_(parts.missing),
      unmatched_(parts.unmatched),
      plan_(comm, std::move(parts.runs.sends), std::move(parts.runs.receives), transport) {
  plan_.record(comm.profile(), TrafficKind::coefficients, comm);
}

template <class T>
void WaveTransfer::forward(const T* source, T* target, Index sets, WaitPolicy waiting) {
  Exchange exchange =
      plan_.start(ExchangeDirection::forward, const_cast<T*>(source), target, {sets, source_size_, target_size_});
  if (waiting == WaitPolicy::sleeping) sleep_until_done(exchange);
  exchange.wait();
  if (factors_.empty() && conjugated_.empty()) return;
  for (T* band = target; band != target + sets * target_size_; band += waves_) {
    for (const Index i : conjugated_) band[i] = std::conj(band[i]);
    for (std::size_t i = 0; i < factors_.size(); ++i) band[i] *= T(factors_[i]);
  }
}

template <class T>
void WaveTransfer::forward(const T* source, T* target, Index sets, TransportSearch& search) {
  if (plan_.comm().size() == 1 || plan_.is_identity()) return forward(source, target, sets);
  if (search.unit == 0) {
    search.messages = plan_.messages();
    search.unit = sizeof(T);
    if (!search.given)
      search.tuner.emplace(plan_.comm(), transport_candidates(plan_.comm(), {&plan_}, sets * search.unit));
  }
  const auto move = [&] { forward(source, target, sets); };
  if (search.tuner && !search.tuner->decided()) return search.tuner->step(plan_, move, static_cast<double>(sets));
  plan_.use_agreed(search.transport());
  move();
}

#define WAVEGRID_INSTANTIATE(T)                                         \
  template void WaveTransfer::forward(const T*, T*, Index, WaitPolicy); \
  template void WaveTransfer::forward(const T*, T*, Index, TransportSearch&)
WAVEGRID_INSTANTIATE(std::complex<float>);
WAVEGRID_INSTANTIATE(std::complex<double>);
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
