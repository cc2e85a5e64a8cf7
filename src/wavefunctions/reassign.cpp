#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/eigen/orthonormalise.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/wavefunctions/random_waves.hpp>
#include <wavegrid/wavefunctions/reassign.hpp>

namespace wavegrid {

namespace {

constexpr Index first_key = Index{1} << 43, keys_per_attempt = Index{1} << 32;
constexpr Index bands_per_message = 32;
constexpr Index max_attempts = 5;  ///< random vectors are independent unless the bands nearly span the basis

/// Throws if the basis has fewer dimensions than bands.
template <class S>
void require_dimension(const WaveBasis& basis, Index bands) {
  // Half a sphere of n plane waves has 2 n - 1 real dimensions: the coefficient at G = 0 is real.
  const Index waves = basis.product.comm.sum(basis.waves.size());
  const Index most = ScalarTraits<S>::is_real ? 2 * waves - 1 : basis.components * waves;
  if (bands > most)
    throw bad_input("the basis of " + std::to_string(waves) + " plane waves has " + std::to_string(most) +
                    " independent bands, but " + std::to_string(bands) +
                    " are needed; lower the number of bands or raise the cutoff");
}

/// Random vectors with <fixed|S|rest> = 0; fixed has S-orthonormal bands.
template <class S>
void make_random(const WaveBasis& basis, BandView<const S> fixed, BandView<S> rest, Index key,
                 BandOperator<S>* overlap) {
  fill_random<S>(basis.waves, key, rest, basis.components);
  Bands<S> s_product(fixed.rows, overlap ? fixed.count : 0);
  if (overlap) overlap->apply_overlap(fixed, s_product.view());
  const BandView<const S> s_fixed = overlap ? std::as_const(s_product).view() : fixed;
  for (int pass = 0; pass < 2; ++pass) {  // the second pass removes what rounding leaves
    normalise<S>(basis.product, rest);
    project_off<S>(basis.product, fixed, s_fixed, rest);
  }
}

WaveList all_of(const PlaneWaves& waves) { return {waves.g(), {0, 1}, waves.mode()}; }

}  // namespace

template <class S>
Index complete_bands(const WaveBasis& basis, BandView<S> bands, Index loaded, BandOperator<S>* overlap) {
  require_dimension<S>(basis, bands.count);
  if (overlap && !overlap->has_overlap()) overlap = nullptr;
  const auto orthonormal = [&](BandView<S> some) {
    return overlap ? orthonormalise<S>(*overlap, some) : orthonormalise<S>(basis.product, some);
  };
  Index done = orthonormal(bands.slice(0, loaded));
  const Index random = bands.count - done;
  for (Index attempt = 0; done < bands.count; ++attempt) {
    if (attempt == max_attempts) throw internal_error("no bands were found that are independent of those loaded");
    const BandView<S> rest = bands.slice(done, bands.count - done);
    make_random<S>(basis, bands.slice(0, done), rest, first_key + attempt * keys_per_attempt + done, overlap);
    done += orthonormal(rest);
  }
  return random;
}

template <class S>
ReassignReport reassign(const WaveBasis& from, BandView<const S> source, const WaveBasis& to, BandView<S> out,
                        TransportSearch* search, BandOperator<S>* overlap) {
  ReassignReport report;
  report.moved = std::min(source.count, out.count);
  const BandView<S> moved = out.slice(0, report.moved);
  std::fill_n(moved.data, moved.rows * moved.count, S(0));
  WaveTransfer transfer(to.product.comm, all_of(from.waves), all_of(to.waves));
  for (Index first = 0; first < report.moved; first += bands_per_message) {
    const Index count = std::min(bands_per_message, report.moved - first);
    auto* const from_band = coefficients(source.slice(first, count));
    auto* const to_band = coefficients(moved.slice(first, count));
    if (search)
      transfer.forward(from_band, to_band, count * to.components, *search);
    else
      transfer.forward(from_band, to_band, count * to.components);
  }
  const std::vector<double> before = squared_norms<S>(from.product, source.slice(0, report.moved));
  std::vector<double> kept = squared_norms<S>(to.product, moved);
  for (std::size_t b = 0; b < kept.size(); ++b) kept[b] = before[b] > 0 ? kept[b] / before[b] : 1.0;
  if (!kept.empty()) {
    report.least_kept = *std::min_element(kept.begin(), kept.end());
    report.mean_kept = std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
  }
  report.random = complete_bands<S>(to, out, report.moved, overlap);
  return report;
}

#define WAVEGRID_INSTANTIATE(S)                                                                           \
  template Index complete_bands<S>(const WaveBasis&, BandView<S>, Index, BandOperator<S>*);               \
  template ReassignReport reassign<S>(const WaveBasis&, BandView<const S>, const WaveBasis&, BandView<S>, \
                                      TransportSearch*, BandOperator<S>*);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
