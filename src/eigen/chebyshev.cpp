#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <wavegrid/eigen/chebyshev.hpp>
#include <wavegrid/eigen/random_complement.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>

namespace wavegrid {

namespace {

constexpr int lanczos_steps = 10;
constexpr int least_degree = 8, most_degree = 20;
constexpr Index guard_key = Index{1} << 41;    ///< seeds of the guards' random coefficients
constexpr Index lanczos_key = Index{1} << 42;  ///< seed of the first Lanczos vector

/// The bands and their guard bands, where the space is large enough.
Index with_most_guards(Index bands) { return bands + std::clamp<Index>(bands / 12, 3, 8); }

/// The number of guard bands for `bands` bands in a space of `dimension`: 0 if the bands nearly fill it.
Index count_guards(Index bands, Index dimension) {
  return std::clamp<Index>((dimension - 1 - bands) / 4, 0, with_most_guards(bands) - bands);
}

/// The highest eigenvalue of the tridiagonal matrix.
double highest_of(const std::vector<double>& diagonal, const std::vector<double>& off_diagonal) {
  const auto n = static_cast<Index>(diagonal.size());
  Matrix<double> t(n, n), vectors(n, n);
  std::vector<double> values(diagonal.size());
  for (Index i = 0; i < n; ++i) {
    t(i, i) = diagonal[static_cast<std::size_t>(i)];
    if (i > 0) t(i - 1, i) = t(i, i - 1) = off_diagonal[static_cast<std::size_t>(i - 1)];
  }
  lapack::eigen<double>(n, t.data(), n, n, values.data(), vectors.data(), n);
  return values.back();
}

/// Whether the last remainder is rounding, compared with what the steps have found of the spectrum's width.
bool is_invariant(const std::vector<double>& diagonal, const std::vector<double>& off_diagonal) {
  constexpr double rounding = 1e-5;
  const auto [low, high] = std::minmax_element(diagonal.begin(), diagonal.end());
  const double largest = *std::max_element(off_diagonal.begin(), off_diagonal.end());
  return off_diagonal.back() <= rounding * std::max(*high - *low, largest);
}

/// The degree at which the filter grows by about e^4 over the energies of the bands; a wide spectrum needs a higher
/// one.
int degree_for(double window, double rest) {
  if (!(window > 0)) return most_degree;
  const double wanted = std::ceil(2.0 * std::sqrt(rest / window));
  return static_cast<int>(std::clamp(wanted, static_cast<double>(least_degree), static_cast<double>(most_degree)));
}

/// image = S^-1 image.
template <class S>
void divide_by_overlap(BandOperator<S>& op, BandView<S> image) {
  if (!op.has_overlap()) return;
  Bands<S> b(image.rows, image.count);
  std::copy_n(image.data, image.rows * image.count, b.view().data);
  op.solve_overlap(std::as_const(b).view(), image);
}

/// The scaled recurrence of the paper's algorithm 4.3, divided by its value at the lowest eigenvalue to prevent
/// overflow.
ThreeTermRecurrence filter_of(const DampedInterval& damped) {
  const double half = 0.5 * (damped.upper - damped.edge), centre = 0.5 * (damped.upper + damped.edge);
  double sigma = half / (damped.lowest - centre);
  const double sigma_1 = sigma;
  ThreeTermRecurrence filter{centre, {{sigma_1 / half, 0.0}}};
  for (int d = 2; d <= damped.degree; ++d) {
    const double next = 1.0 / (2.0 / sigma_1 - sigma);
    filter.steps.push_back({2.0 * next / half, -sigma * next});
    sigma = next;
  }
  return filter;
}

/// Bands with HX become their filtered and normalised images.
template <class S>
void filter_block(BandOperator<S>& op, const ThreeTermRecurrence& filter, const HsView<S>& bands) {
  op.apply_polynomial(filter, bands.x, bands.hx);
  apply_s(op, bands);
  normalise(op.product(), bands, false);
  op.apply(bands.x, bands.hx);
}

}  // namespace

template <class S>
double spectrum_upper_bound(BandOperator<S>& op) {
  // Lanczos with S^-1 H, which is Hermitian in the inner product of S.
  const Index rows = op.rows();
  HsBands<S> v(rows, 1, op.has_overlap()), image(rows, 1, op.has_overlap());
  Bands<S> before(rows, 1);
  // A smooth vector would miss the top of a wide spectrum in so few steps, and the filter diverges beyond its bound.
  op.fill_random(lanczos_key, v.view().x, RandomSpectrum::flat);
  apply_s(op, v.view());
  normalise(op.product(), v.view(), false);
  std::fill_n(before.view().data, rows, S(0));
  std::vector<double> diagonal, off_diagonal;
  for (int step = 0; step < lanczos_steps; ++step) {
    const BandView<S> next = image.view().x;
    op.apply(std::as_const(v.x).view(), next);
    diagonal.push_back(diagonal_overlaps<S>(op.product(), v.view().x, next).front());
    divide_by_overlap(op, next);
    const double back = off_diagonal.empty() ? 0.0 : off_diagonal.back();
    for (Index i = 0; i < rows; ++i)
      next.data[i] -= static_cast<RealOf<S>>(diagonal.back()) * v.view().x.data[i] +
                      static_cast<RealOf<S>>(back) * before.view().data[i];
    apply_s(op, image.view());
    off_diagonal.push_back(std::sqrt(diagonal_overlaps<S>(op.product(), next, image.view().sx).front()));
    if (is_invariant(diagonal, off_diagonal)) break;  // its highest eigenvalue is exact
    std::swap(before, v.x);
    std::swap(v, image);
    normalise(op.product(), v.view(), false);
  }
  return highest_of(diagonal, off_diagonal) + off_diagonal.back();
}

template <class S>
void Chebyshev<S>::extend(BandOperator<S>& op, const EigenState<S>& state) {
  const Index bands = state.x.count();
  const Index guards = count_guards(bands, op.dimension());
  extended_.emplace(state.x.rows(), bands + guards, state.has_overlap);
  const HsView<S> wide = extended_->view();
  copy_bands<S>(state.view(), wide.slice(0, bands));
  if (guards > 0) fill_complement<S>(op, guard_key, state.view(), wide.slice(bands, guards));
  rayleigh_ritz(op, *extended_);
  ritz_is_stale_ = false;
  upper_ = spectrum_upper_bound(op);
}

template <class S>
void Chebyshev<S>::copy_bands_to(EigenState<S>& state) const {
  copy_bands<S>(std::as_const(*extended_).view().slice(0, state.x.count()), state.view());
  std::copy_n(extended_->values.begin(), state.values.size(), state.values.begin());
}

template <class S>
void Chebyshev<S>::filter(BandOperator<S>& op, const std::vector<Index>& bands) {
  DampedInterval damped{extended_->values.front(), extended_->values.back(), upper_, 0};
  damped.degree = degree_for(damped.edge - damped.lowest, damped.upper - damped.edge);
  const ThreeTermRecurrence filter = filter_of(damped);
  const Index rows = extended_->x.rows(), all = static_cast<Index>(bands.size());
  HsBands<S> work(rows, std::min(max_block, all), extended_->has_overlap);
  for (Index first = 0; first < all; first += max_block) {
    const HsView<S> block = work.view().slice(0, std::min(max_block, all - first));
    const auto wanted = [&](Index i) { return extended_->view().slice(bands[static_cast<std::size_t>(first + i)], 1); };
    for (Index i = 0; i < block.count(); ++i) copy_bands<S>(wanted(i), block.slice(i, 1));
    std::vector<BandView<S>> arrays;
    block.for_arrays([&](BandView<S> array) { arrays.push_back(array); });
    op.map_bands(arrays, [&](BandOperator<S>& group_operator, std::span<const BandView<S>> of) {
      filter_block<S>(group_operator, filter, {of[0], of[1], of[op.has_overlap() ? 2 : 0], op.has_overlap()});
    });
    for (Index i = 0; i < block.count(); ++i) copy_bands<S>(block.slice(i, 1), wanted(i));
  }
}

template <class S>
void Chebyshev<S>::round(BandOperator<S>& op, EigenState<S>& state, const LockBounds& bounds) {
  if (!extended_) extend(op, state);
  // Where V has increased, the old lower edge of the damped interval would lie within the wanted states.
  if (std::exchange(ritz_is_stale_, false)) rayleigh_ritz(op, *extended_);
  std::vector<double> norms = squared_residuals(op, *extended_);
  norms.resize(state.values.size());
  std::vector<Index> bands = unlocked(norms, bounds);
  const bool any = !bands.empty();
  for (Index guard = state.x.count(); any && guard < extended_->x.count(); ++guard) bands.push_back(guard);
  if (any) filter(op, bands);
  rayleigh_ritz(op, *extended_);
  copy_bands_to(state);
}

template <class S>
void Chebyshev<S>::potential_changed(BandOperator<S>& op, EigenState<S>& state, std::span<const RealOf<S>> change) {
  if (!extended_) return op.apply_change(change, state.x.view(), state.hx.view());
  op.apply_change(change, extended_->x.view(), extended_->hx.view());
  copy_bands_to(state);
  ritz_is_stale_ = true;
  double rise = 0;
  for (const RealOf<S> v : change) rise = std::max<double>(rise, v);
  upper_ += op.product().comm.max(rise);
}

template <class S>
void Chebyshev<S>::restart() {
  extended_.reset();
}

template <class S>
double Chebyshev<S>::bytes(Index rows, Index bands) {
  return 2 * Bands<S>::bytes(rows, with_most_guards(bands));
}

template <class S>
double Chebyshev<S>::block_bytes(Index rows, Index bands) {
  return Bands<S>::bytes(rows, std::min(max_block, with_most_guards(bands)));
}

template <class S>
double Chebyshev<S>::round_bytes(Index bands) {
  const Index wide = with_most_guards(bands);
  return 4 * Matrix<DoubleOf<S>>::bytes(wide, wide) + lapack::eigen_bytes(wide);
}

#define WAVEGRID_INSTANTIATE(S)                              \
  template double spectrum_upper_bound<S>(BandOperator<S>&); \
  template class Chebyshev<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
