#include <algorithm>
#include <type_traits>
#include <vector>

#include <wavegrid/fock/symmetric_pairs.hpp>

namespace wavegrid {

namespace {

constexpr Index tile_bands = 8;

Index num_tiles(Index bands) { return (bands + tile_bands - 1) / tile_bands; }

/// Some of the bands.
SymmetricBands tile_of(const SymmetricBands& all, Index tile, Index points) {
  const Index first = tile * tile_bands;
  return {all.u + first * points, all.o + first, all.w + first * points, std::min(tile_bands, all.count - first)};
}

/// Bands of a tile in the precision of the transforms: themselves where this is double.
template <class Real>
class Tile {
 public:
  explicit Tile(Index points) : points_(points), u_(size(points)), w_(size(points)) {}

  void begin(const SymmetricBands& bands) {
    bands_ = bands;
    if constexpr (!std::is_same_v<Real, double>) {
      for (Index i = 0; i < bands.count * points_; ++i) at(u_, i) = static_cast<Real>(bands.u[i]);
      std::fill(w_.begin(), w_.end(), Real(0));
    }
  }
  void end() const {
    if constexpr (!std::is_same_v<Real, double>)
      for (Index i = 0; i < bands_.count * points_; ++i)
        bands_.w[i] += static_cast<double>(w_[static_cast<std::size_t>(i)]);
  }
  [[nodiscard]] Index count() const { return bands_.count; }
  [[nodiscard]] Real o(Index band) const { return static_cast<Real>(bands_.o[band]); }
  [[nodiscard]] const Real* u(Index band) const {
    if constexpr (std::is_same_v<Real, double>)
      return bands_.u + band * points_;
    else
      return u_.data() + band * points_;
  }
  [[nodiscard]] Real* w(Index band) {
    if constexpr (std::is_same_v<Real, double>)
      return bands_.w + band * points_;
    else
      return w_.data() + band * points_;
  }

 private:
  static std::size_t size(Index points) {
    return std::is_same_v<Real, double> ? 0 : static_cast<std::size_t>(tile_bands * points);
  }
  static Real& at(AlignedVector<Real>& values, Index i) { return values[static_cast<std::size_t>(i)]; }

  Index points_;
  SymmetricBands bands_{};
  AlignedVector<Real> u_, w_;
};

/// A band n with two m: the arrays at the points and the factors of what is added.
template <class Real>
struct Triple {
  const Real *n, *first, *second;
  Real *w_n, *w_first, *w_second;
  Real o_n_first, o_n_second, o_first, o_second;
};

template <class Real>
void multiply(const Triple<Real>& t, Index from, Index count, std::complex<Real>* p) {
  auto* const out = reinterpret_cast<Real*>(p);
  const Real *const n = t.n + from, *const first = t.first + from, *const second = t.second + from;
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    out[2 * i] = n[i] * first[i];
    out[2 * i + 1] = n[i] * second[i];
  }
}

template <class Real>
void subtract(const Triple<Real>& t, Index from, Index count, const std::complex<Real>* p) {
  const auto* const v = reinterpret_cast<const Real*>(p);
  const Real *const n = t.n + from, *const first = t.first + from, *const second = t.second + from;
  Real *const w_n = t.w_n + from, *const w_first = t.w_first + from, *const w_second = t.w_second + from;
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    const Real a = v[2 * i], b = v[2 * i + 1];
    w_n[i] -= t.o_first * first[i] * a + t.o_second * second[i] * b;
    w_first[i] -= t.o_n_first * n[i] * a;
    w_second[i] -= t.o_n_second * n[i] * b;
  }
}

/// What one thread needs.
template <class Real>
struct Worker {
  explicit Worker(const PairFft<Real>& fft)
      : work(fft.workspace()),
        a(fft.inner_points()),
        b(fft.inner_points()),
        zero(static_cast<std::size_t>(fft.inner_points()), Real(0)),
        unused(static_cast<std::size_t>(fft.inner_points()), Real(0)),
        unused_too(unused) {}

  /// All pairs of two tiles, or of one with itself.
  void add(const PairFft<Real>& fft, const Real* kernel, const SymmetricBands& first, const SymmetricBands& second,
           bool same) {
    a.begin(first);
    if (!same) b.begin(second);
    Tile<Real>& other = same ? a : b;
    for (Index n = 0; n < a.count(); ++n)
      for (Index m = same ? n : 0; m < other.count(); m += 2) {
        const bool both = m + 1 < other.count(), itself = same && m == n;
        const Triple<Real> t{.n = a.u(n),
                             .first = other.u(m),
                             .second = both ? other.u(m + 1) : zero.data(),
                             .w_n = a.w(n),
                             .w_first = itself ? unused.data() : other.w(m),
                             .w_second = both ? other.w(m + 1) : unused_too.data(),
                             .o_n_first = itself ? Real(0) : a.o(n),
                             .o_n_second = both ? a.o(n) : Real(0),
                             .o_first = other.o(m),
                             .o_second = both ? other.o(m + 1) : Real(0)};
        if (a.o(n) == 0 && t.o_first == 0 && t.o_second == 0) continue;
        fft.convolve(
            kernel, [&](Index from, Index count, std::complex<Real>* p) { multiply(t, from, count, p); },
            [](Index, Index, const std::complex<Real>*) {},
            [&](Index from, Index count, const std::complex<Real>* p) { subtract(t, from, count, p); }, work);
      }
    a.end();
    if (!same) b.end();
  }

  typename PairFft<Real>::Workspace work;
  Tile<Real> a, b;
  AlignedVector<Real> zero, unused, unused_too;
};

}  // namespace

template <class Real>
void add_symmetric_exchange(const PairFft<Real>& fft, const Real* kernel, const SymmetricBands& a,
                            const SymmetricBands& b, int threads) {
  const Index points = fft.inner_points(), first = num_tiles(a.count), second = num_tiles(b.count);
  const Index rounds = std::max(first, second);
#pragma omp parallel num_threads(threads)
  {
    Worker<Real> worker(fft);
    for (Index round = 0; round < rounds; ++round)  // no tile is in two pairs of a round
#pragma omp for schedule(static)
      for (Index i = 0; i < rounds; ++i) {
        const Index j = (i + round) % rounds;
        if (i < first && j < second) worker.add(fft, kernel, tile_of(a, i, points), tile_of(b, j, points), false);
      }
  }
}

template <class Real>
void add_symmetric_exchange(const PairFft<Real>& fft, const Real* kernel, const SymmetricBands& a, int threads) {
  const Index points = fft.inner_points(), tiles = num_tiles(a.count), even = tiles + tiles % 2;
#pragma omp parallel num_threads(threads)
  {
    Worker<Real> worker(fft);
#pragma omp for schedule(static)
    for (Index i = 0; i < tiles; ++i) {
      const SymmetricBands own = tile_of(a, i, points);
      worker.add(fft, kernel, own, own, true);
    }
    for (Index round = 0; round < even - 1; ++round)  // each tile meets each other one once, one per round
#pragma omp for schedule(static)
      for (Index pair = 0; pair < even / 2; ++pair) {
        const Index i = pair == 0 ? even - 1 : (round + pair) % (even - 1);
        const Index j = (round + even - 1 - pair) % (even - 1);
        if (std::max(i, j) < tiles) worker.add(fft, kernel, tile_of(a, i, points), tile_of(a, j, points), false);
      }
  }
}

#define WAVEGRID_INSTANTIATE(Real)                                                                     \
  template void add_symmetric_exchange<Real>(const PairFft<Real>&, const Real*, const SymmetricBands&, \
                                             const SymmetricBands&, int);                              \
  template void add_symmetric_exchange<Real>(const PairFft<Real>&, const Real*, const SymmetricBands&, int);
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
