#include "scf/chebyshev.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "linalg/lapack.hpp"
#include "wavefunctions/random_waves.hpp"

namespace wavegrid {

namespace {

constexpr Index max_block = 128;  ///< bands at a time, as in residual minimisation
constexpr int lanczos_steps = 10;
constexpr int least_degree = 8, most_degree = 20;
constexpr Index guard_key = Index{1} << 41;    ///< seeds of the guards' random coefficients
constexpr Index lanczos_key = Index{1} << 42;  ///< and of the vector that Lanczos starts from

/// Guard bands for `bands` bands in a space of `dimension`: none where it is nearly full.
Index count_guards(Index bands, Index dimension) {
  return std::clamp<Index>((dimension - 1 - bands) / 4, 0, std::clamp<Index>(bands / 12, 3, 8));
}

/// The highest eigenvalue of the tridiagonal matrix.
double highest_of(const std::vector<double>& diagonal, const std::vector<double>& beside) {
  const auto n = static_cast<Index>(diagonal.size());
  Matrix<double> t(n, n), vectors(n, n);
  std::vector<double> values(diagonal.size());
  for (Index i = 0; i < n; ++i) {
    t(i, i) = diagonal[static_cast<std::size_t>(i)];
    if (i > 0) t(i - 1, i) = t(i, i - 1) = beside[static_cast<std::size_t>(i - 1)];
  }
  lapack::eigen<double>(n, t.data(), n, n, values.data(), vectors.data(), n);
  return values.back();
}

/// A random vector with all kinetic energies alike: one that falls off with them would leave the top of a wide spectrum
/// out of so few Lanczos steps, and a filter beyond its bound explodes.
template <class S>
void fill_evenly(const PlaneWaves& waves, BandView<S> band) {
  fill_random<S>(waves, lanczos_key, band);
  for (Index i = 0; i < waves.size(); ++i) {
    const double t = waves.kinetic()[static_cast<std::size_t>(i)];
    coefficients(band)[i] *= static_cast<RealOf<S>>(0.1 + t * t);
  }
}

/// The degree with which the filter grows by about e^4 over the window of the bands; a wide spectrum needs more.
int degree_for(double window, double rest) {
  const double wanted = std::ceil(2.0 * std::sqrt(rest / std::max(window, 1e-3)));
  return static_cast<int>(std::clamp(wanted, static_cast<double>(least_degree), static_cast<double>(most_degree)));
}

/// out = factor (hy - centre y) + last out. Local.
template <class S>
void recur(BandView<const S> y, BandView<const S> hy, double centre, double factor, double last, BandView<S> out) {
  const auto c = static_cast<RealOf<S>>(centre), f = static_cast<RealOf<S>>(factor), l = static_cast<RealOf<S>>(last);
  const Index size = y.rows * y.count;
#pragma omp parallel for simd schedule(static)
  for (Index i = 0; i < size; ++i) out.data[i] = f * (hy.data[i] - c * y.data[i]) + l * out.data[i];
}

}  // namespace

template <class S>
double upper_bound_of_spectrum(Hamiltonian<S>& h) {
  Bands<S> v(h.rows(), 1), before(h.rows(), 1), image(h.rows(), 1);
  fill_evenly<S>(h.waves(), v.view());
  normalise<S>(h.product(), v.view());
  std::fill_n(before.view().data, h.rows(), S(0));
  std::vector<double> diagonal, beside;
  for (int step = 0; step < lanczos_steps; ++step) {
    h.apply(std::as_const(v).view(), image.view());
    diagonal.push_back(diagonal_overlaps<S>(h.product(), v.view(), image.view()).front());
    const double back = beside.empty() ? 0.0 : beside.back();
    for (Index i = 0; i < h.rows(); ++i)
      image.view().data[i] -= static_cast<RealOf<S>>(diagonal.back()) * v.view().data[i] +
                              static_cast<RealOf<S>>(back) * before.view().data[i];
    beside.push_back(std::sqrt(squared_norms<S>(h.product(), image.view()).front()));
    if (beside.back() < 1e-3) break;  // an invariant space: its highest value is exact, nothing follows
    std::swap(before, v);
    std::swap(v, image);
    normalise<S>(h.product(), v.view());
  }
  return highest_of(diagonal, beside) + beside.back();
}

template <class S>
void Chebyshev<S>::take_in(Hamiltonian<S>& h, const EigenState<S>& state) {
  const Index bands = state.x.count();
  const Index guards = count_guards(bands, h.product().comm.sum(h.rows()));
  wide_.emplace(state.x.rows(), bands + guards);
  std::copy_n(state.x.view().data, state.x.rows() * bands, wide_->x.view().data);
  std::copy_n(state.hx.view().data, state.x.rows() * bands, wide_->hx.view().data);
  if (guards > 0) {
    const BandView<S> extra = wide_->x.view().slice(bands, guards);
    fill_random<S>(h.waves(), guard_key, extra);
    project_off<S>(h.product(), state.x.view(), extra);
    normalise<S>(h.product(), extra);
    h.apply(extra, wide_->hx.view().slice(bands, guards));
  }
  rayleigh_ritz(h, *wide_);
  ritz_is_stale_ = false;
  upper_ = upper_bound_of_spectrum(h);
}

template <class S>
void Chebyshev<S>::give_out(EigenState<S>& state) const {
  const Index size = state.x.rows() * state.x.count();
  std::copy_n(wide_->x.view().data, size, state.x.view().data);
  std::copy_n(wide_->hx.view().data, size, state.hx.view().data);
  std::copy_n(wide_->values.begin(), state.values.size(), state.values.begin());
}

/// The scaled recurrence of the paper's algorithm 4.3: divided by its value at the lowest eigenvalue, so that nothing
/// overflows.
template <class S>
void Chebyshev<S>::filter(Hamiltonian<S>& h, const std::vector<Index>& bands) {
  const double lowest = wide_->values.front(), edge = wide_->values.back();
  const double half = 0.5 * (upper_ - edge), centre = 0.5 * (upper_ + edge);
  degree_ = degree_for(edge - lowest, upper_ - edge);
  const Index rows = wide_->x.rows(), all = static_cast<Index>(bands.size());
  std::array<Bands<S>, 3> work;
  for (Bands<S>& one : work) one = Bands<S>(rows, std::min(max_block, all));
  for (Index first = 0; first < all; first += max_block) {
    const Index count = std::min(max_block, all - first);
    BandView<S> before = work[0].view().slice(0, count), y = work[1].view().slice(0, count);
    const BandView<S> image = work[2].view().slice(0, count);
    const auto place = [&](Index i) { return bands[static_cast<std::size_t>(first + i)]; };
    for (Index i = 0; i < count; ++i) {
      std::copy_n(wide_->x.view().band(place(i)), rows, before.band(i));
      std::copy_n(wide_->hx.view().band(place(i)), rows, image.band(i));
    }
    double sigma = half / (lowest - centre);
    const double sigma_1 = sigma;
    std::fill_n(y.data, rows * count, S(0));
    recur<S>(before, image, centre, sigma_1 / half, 0.0, y);
    for (int d = 2; d <= degree_; ++d) {
      h.apply(y, image);
      const double next = 1.0 / (2.0 / sigma_1 - sigma);
      recur<S>(y, image, centre, 2.0 * next / half, -sigma * next, before);
      std::swap(before, y);
      sigma = next;
    }
    normalise<S>(h.product(), y);
    h.apply(y, image);
    for (Index i = 0; i < count; ++i) {
      std::copy_n(y.band(i), rows, wide_->x.view().band(place(i)));
      std::copy_n(image.band(i), rows, wide_->hx.view().band(place(i)));
    }
  }
}

template <class S>
void Chebyshev<S>::round(Hamiltonian<S>& h, EigenState<S>& state, const LockBounds& bounds) {
  if (!wide_) take_in(h, state);
  // Where V rises, an edge of before would cut into the wanted states.
  if (std::exchange(ritz_is_stale_, false)) rayleigh_ritz(h, *wide_);
  std::vector<double> norms = squared_residuals(h, *wide_);
  norms.resize(state.values.size());
  std::vector<Index> bands = unlocked(norms, bounds);
  const bool any = !bands.empty();
  for (Index guard = state.x.count(); any && guard < wide_->x.count(); ++guard) bands.push_back(guard);
  if (any) filter(h, bands);
  rayleigh_ritz(h, *wide_);
  give_out(state);
}

template <class S>
void Chebyshev<S>::potential_changed(Hamiltonian<S>& h, EigenState<S>& state, std::span<const RealOf<S>> change) {
  if (!wide_) return h.apply_change(change, state.x.view(), state.hx.view());
  h.apply_change(change, wide_->x.view(), wide_->hx.view());
  give_out(state);
  ritz_is_stale_ = true;
  double rise = 0;
  for (const RealOf<S> v : change) rise = std::max<double>(rise, v);
  upper_ += h.product().comm.max(rise);
}

template <class S>
void Chebyshev<S>::restart() {
  wide_.reset();
}

template <class S>
double Chebyshev<S>::bytes(Index rows, Index bands) {
  const Index wide = bands + std::clamp<Index>(bands / 12, 3, 8);
  return 2 * Bands<S>::bytes(rows, wide) + 3 * Bands<S>::bytes(rows, std::min(max_block, wide));
}

template <class S>
double Chebyshev<S>::round_bytes(Index bands) {
  const Index wide = bands + std::clamp<Index>(bands / 12, 3, 8);
  return 4 * Matrix<DoubleOf<S>>::bytes(wide, wide);
}

#define WAVEGRID_INSTANTIATE(S)                                   \
  template double upper_bound_of_spectrum<S>(Hamiltonian<S> & h); \
  template class Chebyshev<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
