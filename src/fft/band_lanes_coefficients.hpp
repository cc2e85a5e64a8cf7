// Coefficients of a block of bands, in rows, to elements with a lane for each band or pair, and back. Everything here
// is local to the file that includes it.
#pragma once

#include <wavegrid/fft/band_lanes_plan.hpp>
#include <wavegrid/fft/band_lanes_rows.hpp>

namespace wavegrid {
namespace {

/// Of `lanes` lanes. Bands are alone in a lane or, in Mode::gamma, two of them as a + i b; with Laplacians psi is in
/// the lower half of the lanes and Lap psi in the upper one, in Mode::gamma psi + i Lap psi in one lane.
template <class Real, int lanes>
class Coefficients {
 public:
  /// `up`: elements at G, `down`: in Mode::gamma those at -G, and `a` and `b` those of the two bands.
  Coefficients(const BandLanesPlan<Real>& plan, const BandLanesBlock<Real>& block, Real* up, Real* down, Real* a,
               Real* b)
      : plan_(plan), block_(block), up_(up), down_(down), a_(a), b_(b) {}

  /// Reads coefficients from number `begin` on.
  void load(Index begin, Index count) const {
    const Real* const from = block_.psi + 2 * begin;
    if (plan_.pairs) {
      if (has_laplacians())
        load_with_laplacians(from, begin, count);
      else
        load_pairs(from, count);
      mirror(count);
    } else if (has_laplacians()) {
      load_in_halves(from, begin, count);
    } else {
      rows_to_lanes<Real, lanes>(from, row(), block_.bands, 2 * count, up_);
    }
  }
  /// Writes them, divided by the number of grid points.
  void store(Index begin, Index count, Real* out) const {
    Real* const to = out + 2 * begin;
    const Real scale = Real(1) / (Real(plan_.to_grid[0].n) * Real(plan_.to_grid[1].n) * Real(plan_.to_grid[2].n));
    if (!plan_.pairs) {
      if (has_laplacians()) add_upper_half(begin, count);
      return lanes_to_rows<Real, lanes>(up_, 2 * count, block_.bands, scale, to, row());
    }
    separate(count);
    if (has_laplacians()) {
      add_laplacians(begin, count);
      return lanes_to_rows<Real, lanes>(a_, 2 * count, block_.bands, scale / 2, to, row());
    }
    lanes_to_rows<Real, lanes>(a_, 2 * count, (block_.bands + 1) / 2, scale / 2, to, 2 * row());
    if (block_.bands > 1) lanes_to_rows<Real, lanes>(b_, 2 * count, block_.bands / 2, scale / 2, to + row(), 2 * row());
  }

 private:
  using V = Vector<Real, lanes>;
  using BothHalves = Halves<Real, lanes, lanes>;
  static constexpr int element = 2 * lanes;

  [[nodiscard]] bool has_laplacians() const { return block_.laplacians != nullptr; }
  [[nodiscard]] Index row() const { return 2 * plan_.size; }

  void load_pairs(const Real* from, Index count) const {
    const bool one = block_.bands == 1;
    rows_to_lanes<Real, lanes>(from, 2 * row(), (block_.bands + 1) / 2, 2 * count, a_);
    rows_to_lanes<Real, lanes>(one ? from : from + row(), 2 * row(), one ? 1 : block_.bands / 2, 2 * count, b_);
    // A band without a partner has the same bits in every block.
    const Index first = block_.bands % 2 == 1 ? block_.bands / 2 : count * element;
    for (Index i = first; i < count * element; i += lanes) b_[i] = 0;
  }
  void load_with_laplacians(const Real* from, Index begin, Index count) const {
    rows_to_lanes<Real, lanes>(from, row(), block_.bands, 2 * count, a_);
    for (Index i = 0; i < 2 * count; ++i) store_at(b_, i, load_at(a_, i) * block_.laplacians[begin + i / 2]);
  }
  void load_in_halves(const Real* from, Index begin, Index count) const {
    rows_to_lanes<Real, lanes, lanes / 2>(from, row(), block_.bands, 2 * count, up_);
    for (Index i = 0; i < 2 * count; ++i) store_at(up_, i, load_at(up_, i) * ones_and_laplacian(begin + i / 2));
  }
  /// a + i b at G, and conj(a) + i conj(b) at -G.
  void mirror(Index count) const {
    for (Index i = 0; i < 2 * count; i += 2) {
      const V a_re = load_at(a_, i), a_im = load_at(a_, i + 1), b_re = load_at(b_, i), b_im = load_at(b_, i + 1);
      store_at(up_, i, a_re - b_im), store_at(up_, i + 1, a_im + b_re);
      store_at(down_, i, a_re + b_im);
      store_at(down_, i + 1, b_re - a_im);
    }
  }
  /// Twice a and b.
  void separate(Index count) const {
    for (Index i = 0; i < 2 * count; i += 2) {
      const V up_re = load_at(up_, i), up_im = load_at(up_, i + 1);
      const V down_re = load_at(down_, i), down_im = load_at(down_, i + 1);
      store_at(a_, i, up_re + down_re);
      store_at(a_, i + 1, up_im - down_im);
      store_at(b_, i, up_im + down_im);
      store_at(b_, i + 1, down_re - up_re);
    }
  }
  /// a += Lap b
  void add_laplacians(Index begin, Index count) const {
    for (Index i = 0; i < 2 * count; ++i)
      store_at(a_, i, load_at(a_, i) + load_at(b_, i) * block_.laplacians[begin + i / 2]);
  }
  /// The same, where a is in the lower half of the lanes and b in the upper one.
  void add_upper_half(Index begin, Index count) const {
    for (Index i = 0; i < 2 * count; ++i) {
      const V both = load_at(up_, i) * ones_and_laplacian(begin + i / 2);
      store_at(up_, i, both + BothHalves::exchange(both));
    }
  }
  /// The factors of psi and Lap psi in the lanes of one coefficient.
  [[nodiscard]] V ones_and_laplacian(Index g) const {
    const V lower = BothHalves::lower();
    return lower + block_.laplacians[g] * (Real(1) - lower);
  }
  [[nodiscard]] static V load_at(const Real* from, Index i) { return wavegrid::load<lanes>(from + i * lanes); }
  static void store_at(Real* to, Index i, V v) { wavegrid::store<lanes>(v, to + i * lanes); }

  const BandLanesPlan<Real>& plan_;
  const BandLanesBlock<Real>& block_;
  Real *const up_, *const down_, *const a_, *const b_;
};

}  // namespace
}  // namespace wavegrid
