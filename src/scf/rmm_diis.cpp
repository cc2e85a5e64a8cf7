#include "scf/rmm_diis.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>

#include "layout/block_layout.hpp"
#include "linalg/subspace.hpp"

namespace wavegrid {

namespace {

constexpr Index max_block = 128;  ///< bands at a time: wide enough for BLAS-3, few enough to keep memory small

/// <a_b|c_b> for each band, in double precision; for real S the real part is all there is.
template <class S>
std::vector<DoubleOf<S>> band_dots(const InnerProduct& product, BandView<const S> a, BandView<const S> c) {
  std::vector<DoubleOf<S>> dots(static_cast<std::size_t>(a.count));
  if constexpr (ScalarTraits<S>::is_real) {
    dots = diagonal_overlaps<S>(product, a, c);
  } else {
    using D = DoubleOf<S>;
    product.sum(a.rows, std::span<D>(dots), [&](Range rows, std::span<D> sum) {
      for (Index b = 0; b < a.count; ++b) {
        D dot = 0;
        for (Index i = rows.begin; i < rows.end; ++i) dot += D(std::conj(a.band(b)[i]) * c.band(b)[i]);
        sum[static_cast<std::size_t>(b)] = dot;
      }
    });
  }
  return dots;
}

/// Solves the m x m normal equations of one band by Gaussian elimination without pivoting (they are definite);
/// directions that add nothing get 0.
template <class S>
void solve_normal_equations(std::vector<std::vector<S>> a, std::vector<S> b, std::vector<S>& solution) {
  const std::size_t m = b.size();
  std::vector<bool> used(m, true);
  for (std::size_t k = 0; k < m; ++k) {
    const double whole = real_part(a[k][k]);
    for (std::size_t j = 0; j < k; ++j) {
      if (!used[j]) continue;
      const S factor = a[k][j] / a[j][j];
      for (std::size_t i = j; i < m; ++i) a[k][i] -= factor * a[j][i];
      b[k] -= factor * b[j];
    }
    used[k] = real_part(a[k][k]) > 1e-10 * whole && whole > 0;
  }
  solution.assign(m, S(0));
  for (std::size_t k = m; k-- > 0;) {
    if (!used[k]) continue;
    S rest = b[k];
    for (std::size_t i = k + 1; i < m; ++i) rest -= a[k][i] * solution[i];
    solution[k] = rest / a[k][k];
  }
}

/// The arrays of a block and all its steps: R_0, then d_m and (H - eps) d_m by turns.
template <class S>
using Workspace = std::vector<Bands<S>>;

std::size_t num_work_arrays(int steps) { return 1 + 2 * static_cast<std::size_t>(steps); }

/// Bands are taken in blocks as even as can be.
BlockLayout blocks_of(Index bands) { return {bands, static_cast<int>((bands + max_block - 1) / max_block)}; }

/// Some of all figures of bands.
std::vector<double> of_bands(std::span<const Index> bands, const std::vector<double>& all) {
  std::vector<double> some;
  for (const Index b : bands) some.push_back(all[static_cast<std::size_t>(b)]);
  return some;
}

/// A block of bands of a state through all its steps. `kinetic` is of all bands.
template <class S>
class BlockMinimiser {
 public:
  BlockMinimiser(Hamiltonian<S>& h, EigenState<S>& state, std::span<const Index> bands,
                 const std::vector<double>& kinetic, Workspace<S>& work)
      : h_(h),
        state_(state),
        bands_(bands),
        values_(of_bands(bands, state.values)),
        kinetic_(of_bands(bands, kinetic)),
        work_(work),
        start_(work[0].view().slice(0, count())) {
    const BandView<const S> x = std::as_const(state.x).view(), hx = std::as_const(state.hx).view();
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < count(); ++i) {
      const Index b = bands_[static_cast<std::size_t>(i)];
      residuals<S>(x.slice(b, 1), hx.slice(b, 1), values_.data() + i, start_.slice(i, 1));
    }
  }

  void step() {
    // The search direction is the preconditioned residual at the best point so far.
    const std::size_t used = num_work_arrays(static_cast<int>(changes_.size()));
    const BandView<S> d = work_[used].view().slice(0, count()), q = work_[used + 1].view().slice(0, count());
    std::copy_n(start_.data, d.rows * d.count, d.data);
    for (std::size_t m = 0; m < changes_.size(); ++m) add_scaled<S>(changes_[m], column(m).data(), d);
    precondition<S>(h_.waves(), kinetic_.data(), d);
    h_.apply(d, q);
    residuals<S>(d, q, values_.data(), q);
    directions_.push_back(d);
    changes_.push_back(q);
    minimise();
  }

  /// X and HX at the minimum.
  void finish() {
    for (std::size_t m = 0; m < changes_.size(); ++m) {
      const std::vector<S> a = column(m);
#pragma omp parallel for schedule(static)
      for (Index i = 0; i < count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const BandView<const S> d = directions_[m].slice(i, 1), q = changes_[m].slice(i, 1);
        const S a_times_value = a[at] * static_cast<RealOf<S>>(values_[at]);
        const BandView<S> hx = state_.hx.view().slice(bands_[at], 1);
        add_scaled<S>(d, &a[at], state_.x.view().slice(bands_[at], 1));
        add_scaled<S>(q, &a[at], hx);
        add_scaled<S>(d, &a_times_value, hx);
      }
    }
  }

 private:
  using D = DoubleOf<S>;

  [[nodiscard]] Index count() const { return static_cast<Index>(bands_.size()); }

  void minimise() {
    const std::size_t m = changes_.size();
    const BandView<const S> latest = changes_.back();
    std::vector<std::vector<D>>& row = products_.emplace_back();
    for (const BandView<S>& change : changes_) row.push_back(band_dots<S>(h_.product(), latest, change));
    slopes_.push_back(band_dots<S>(h_.product(), latest, start_));
    solution_.resize(bands_.size());
    for (std::size_t b = 0; b < solution_.size(); ++b) {
      std::vector<std::vector<D>> a(m, std::vector<D>(m));
      std::vector<D> rhs(m);
      for (std::size_t i = 0; i < m; ++i) {
        rhs[i] = -slopes_[i][b];
        for (std::size_t j = 0; j <= i; ++j) {
          a[i][j] = products_[i][j][b];
          a[j][i] = conjugate(a[i][j]);
        }
      }
      solve_normal_equations(std::move(a), std::move(rhs), solution_[b]);
    }
  }

  /// Coefficient of direction m, band by band.
  [[nodiscard]] std::vector<S> column(std::size_t m) const {
    std::vector<S> c;
    for (const auto& of_band : solution_) c.push_back(m < of_band.size() ? S(of_band[m]) : S(0));
    return c;
  }

  Hamiltonian<S>& h_;
  EigenState<S>& state_;
  std::span<const Index> bands_;
  std::vector<double> values_, kinetic_;
  Workspace<S>& work_;
  BandView<S> start_;                                  ///< R_0
  std::vector<BandView<S>> directions_, changes_;      ///< d_m and (H - eps) d_m
  std::vector<std::vector<std::vector<D>>> products_;  ///< <Q_i|Q_j> for j <= i, per band
  std::vector<std::vector<D>> slopes_;                 ///< <Q_i|R_0>, per band
  std::vector<std::vector<D>> solution_;               ///< a, per band
};

/// Bands whose |R|^2 is above its bound by more than `lag` times what the median's is: with the same steps as all
/// others they would hold up the whole loop.
std::vector<Index> laggards(const std::vector<double>& squares, const LockBounds& bounds) {
  constexpr double lag = 10.0;  // 4 to 30 do the same
  if (bounds.empty()) return {};
  std::vector<double> excess;
  std::transform(squares.begin(), squares.end(), bounds.begin(), std::back_inserter(excess), std::divides<>());
  const auto median = excess.begin() + static_cast<std::ptrdiff_t>(excess.size() / 2);
  std::nth_element(excess.begin(), median, excess.end());
  LockBounds limits(bounds);
  for (double& limit : limits) limit *= std::max(1.0, lag * *median);
  return unlocked(squares, limits);
}

/// `steps` minimisations of some bands, block by block.
template <class S>
void minimise(Hamiltonian<S>& h, EigenState<S>& state, const std::vector<Index>& active, int steps) {
  if (active.empty()) return;
  const BlockLayout blocks = blocks_of(static_cast<Index>(active.size()));
  const std::vector<double> kinetic = h.kinetic_energies(std::as_const(state.x).view());
  Workspace<S> work;
  for (std::size_t i = 0; i < num_work_arrays(steps); ++i) work.emplace_back(state.x.rows(), blocks.range(0).size());
  for (int i = 0; blocks.range(i).begin < static_cast<Index>(active.size()); ++i) {
    const auto [first, end] = blocks.range(i);
    const std::span<const Index> bands(active.data() + first, static_cast<std::size_t>(end - first));
    BlockMinimiser<S> block(h, state, bands, kinetic, work);
    for (int s = 0; s < steps; ++s) block.step();
    block.finish();
  }
}

}  // namespace

template <class S>
void rmm_diis(Hamiltonian<S>& h, EigenState<S>& state, int steps, const LockBounds& bounds) {
  // No Rayleigh-Ritz before the minimisation: what the potential's change mixes among the bands is left to the one
  // after it, which costs no more steps (measured on Al108 and the cases of docs/performance.md).
  state.values = diagonal_overlaps<S>(h.product(), std::as_const(state.x).view(), std::as_const(state.hx).view());
  minimise(h, state, unlocked(squared_residuals(h, state), bounds), steps);
  minimise(h, state, laggards(squared_residuals(h, state), bounds), steps);
  rayleigh_ritz(h, state);
}

template <class S>
double rmm_diis_bytes(Index rows, Index bands, int steps) {
  return static_cast<double>(num_work_arrays(steps)) * Bands<S>::bytes(rows, blocks_of(bands).range(0).size());
}

#define WAVEGRID_INSTANTIATE(S)                         \
  template double rmm_diis_bytes<S>(Index, Index, int); \
  template void rmm_diis<S>(Hamiltonian<S>&, EigenState<S>&, int, const LockBounds&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
