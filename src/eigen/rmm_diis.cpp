#include <algorithm>
#include <functional>
#include <iterator>
#include <span>

#include <wavegrid/eigen/rmm_diis.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>

namespace wavegrid {

namespace {

constexpr Index max_block = 128;  ///< bands at a time: wide enough for BLAS-3, few enough to keep memory small

/// Solves the m x m normal equations of one band by Gaussian elimination without pivoting (they are positive definite);
/// linearly dependent directions get 0.
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

/// The arrays of a block and all its steps: R_0; for each step m, d_m, (H - eps S) d_m in the place of H d_m, and S
/// d_m.
template <class S>
struct Workspace {
  Bands<S> start;
  std::vector<HsBands<S>> steps;

  Workspace(Index rows, Index bands, int num_steps, bool with_overlap) : start(rows, bands) {
    for (int m = 0; m < num_steps; ++m) steps.emplace_back(rows, bands, with_overlap);
  }
};

/// Divides bands into blocks of nearly equal size.
BlockLayout blocks_of(Index bands) { return {bands, static_cast<int>(ceil_div(bands, max_block))}; }

/// The minimisation of a block of bands. `energies` are the preconditioner's, of all bands.
template <class S>
class BlockMinimiser {
 public:
  BlockMinimiser(BandOperator<S>& op, EigenState<S>& state, std::span<const Index> bands,
                 const std::vector<double>& energies, Workspace<S>& work)
      : op_(op),
        state_(state),
        bands_(bands),
        values_(select_bands(state.values, bands)),
        energies_(select_bands(energies, bands)),
        work_(work),
        start_(work.start.view().slice(0, count())) {
    const HsView<const S> x = std::as_const(state).view();
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < count(); ++i)
      residuals<S>(x.slice(bands_[static_cast<std::size_t>(i)], 1), values_.data() + i, start_.slice(i, 1));
  }

  void step() {
    // The search direction is the preconditioned residual at the best point so far.
    const HsView<S> d = work_.steps[steps_.size()].view().slice(0, count());
    std::copy_n(start_.data, d.rows() * d.count(), d.x.data);
    for (std::size_t m = 0; m < steps_.size(); ++m) add_scaled<S>(steps_[m].hx, column(m).data(), d.x);
    op_.precondition(energies_, d.x);
    apply_h_and_s(op_, d);
    residuals<S>(d, values_.data(), d.hx);
    steps_.push_back(d);
    minimise();
  }

  /// X, HX and SX at the minimum.
  void finish() {
    for (std::size_t m = 0; m < steps_.size(); ++m) {
      const std::vector<S> a = column(m);
#pragma omp parallel for schedule(static)
      for (Index i = 0; i < count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const HsView<const S> d = steps_[m].slice(i, 1);
        const S a_times_value = a[at] * static_cast<RealOf<S>>(values_[at]);
        const HsView<S> x = state_.view().slice(bands_[at], 1);
        add_scaled<S>(d.x, &a[at], x.x);
        add_scaled<S>(d.hx, &a[at], x.hx);
        add_scaled<S>(d.sx, &a_times_value, x.hx);
        if (d.has_overlap) add_scaled<S>(d.sx, &a[at], x.sx);
      }
    }
  }

 private:
  using D = DoubleOf<S>;

  [[nodiscard]] Index count() const { return static_cast<Index>(bands_.size()); }

  void minimise() {
    const std::size_t m = steps_.size();
    const BandView<const S> latest = steps_.back().hx;
    std::vector<std::vector<D>>& row = products_.emplace_back();
    for (const HsView<S>& step : steps_) row.push_back(pair_overlaps<S>(op_.product(), latest, step.hx));
    slopes_.push_back(pair_overlaps<S>(op_.product(), latest, start_));
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
    for (const auto& band_solution : solution_) c.push_back(m < band_solution.size() ? S(band_solution[m]) : S(0));
    return c;
  }

  BandOperator<S>& op_;
  EigenState<S>& state_;
  std::span<const Index> bands_;
  std::vector<double> values_, energies_;
  Workspace<S>& work_;
  BandView<S> start_;                                  ///< R_0
  std::vector<HsView<S>> steps_;                       ///< d_m, Q_m = (H - eps S) d_m in place of H d_m, S d_m
  std::vector<std::vector<std::vector<D>>> products_;  ///< <Q_i|Q_j> for j <= i, per band
  std::vector<std::vector<D>> slopes_;                 ///< <Q_i|R_0>, per band
  std::vector<std::vector<D>> solution_;               ///< a, per band
};

/// Bands whose |R|^2, divided by its bound, is more than `lag` times the median: with the same number of steps as the
/// others they would slow down the whole loop.
std::vector<Index> slow_bands(const std::vector<double>& squares, const LockBounds& bounds) {
  constexpr double lag = 10.0;  // results are the same for 4 to 30
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
void minimise(BandOperator<S>& op, EigenState<S>& state, const std::vector<Index>& active, int steps) {
  if (active.empty()) return;
  const BlockLayout blocks = blocks_of(static_cast<Index>(active.size()));
  const std::vector<double> energies = op.preconditioner_energies(std::as_const(state.x).view());
  Workspace<S> work(state.x.rows(), blocks.range(0).size(), steps, state.has_overlap);
  for (int i = 0; blocks.range(i).begin < static_cast<Index>(active.size()); ++i) {
    const auto [first, end] = blocks.range(i);
    const std::span<const Index> bands(active.data() + first, static_cast<std::size_t>(end - first));
    BlockMinimiser<S> block(op, state, bands, energies, work);
    for (int s = 0; s < steps; ++s) block.step();
    block.finish();
  }
}

}  // namespace

template <class S>
void rmm_diis(BandOperator<S>& op, EigenState<S>& state, int steps, const LockBounds& bounds) {
  // No Rayleigh-Ritz before the minimisation: the one after it also corrects the mixing of bands by the change of the
  // potential, without more steps (measured on Al108 and the cases of docs/lab/other-codes.md).
  state.values = diagonal_overlaps<S>(op.product(), std::as_const(state.x).view(), std::as_const(state.hx).view());
  minimise(op, state, unlocked(squared_residuals(op, state), bounds), steps);
  minimise(op, state, slow_bands(squared_residuals(op, state), bounds), steps);
  rayleigh_ritz(op, state);
}

template <class S>
double rmm_diis_bytes(Index rows, Index bands, int steps) {
  return (1.0 + 2.0 * steps) * Bands<S>::bytes(rows, blocks_of(bands).range(0).size());
}

#define WAVEGRID_INSTANTIATE(S)                         \
  template double rmm_diis_bytes<S>(Index, Index, int); \
  template void rmm_diis<S>(BandOperator<S>&, EigenState<S>&, int, const LockBounds&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
