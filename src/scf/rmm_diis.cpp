#include "scf/rmm_diis.hpp"

#include <algorithm>

#include "layout/block_layout.hpp"

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

/// One block of bands through all its steps.
template <class S>
class BlockMinimiser {
 public:
  BlockMinimiser(Hamiltonian<S>& h, BandView<S> x, BandView<S> hx, const double* values, Workspace<S>& work)
      : h_(h),
        x_(x),
        hx_(hx),
        values_(values),
        kinetic_(h.kinetic_energies(x)),
        work_(work),
        start_(work[0].view().slice(0, x.count)) {
    residuals<S>(x_, hx_, values_, start_);
  }

  void step() {
    // The search direction is the preconditioned residual at the best point so far.
    const std::size_t used = num_work_arrays(static_cast<int>(changes_.size()));
    const BandView<S> d = work_[used].view().slice(0, x_.count), q = work_[used + 1].view().slice(0, x_.count);
    std::copy_n(start_.data, x_.rows * x_.count, d.data);
    for (std::size_t m = 0; m < changes_.size(); ++m) add_scaled<S>(changes_[m], column(m).data(), d);
    precondition<S>(h_.waves(), kinetic_.data(), d);
    h_.apply(d, q);
    residuals<S>(d, q, values_, q);
    directions_.push_back(d);
    changes_.push_back(q);
    minimise();
  }

  /// X and HX at the minimum.
  void finish() {
    for (std::size_t m = 0; m < changes_.size(); ++m) {
      const std::vector<S> a = column(m);
      std::vector<S> a_times_value(a);
      for (std::size_t b = 0; b < a.size(); ++b) a_times_value[b] *= static_cast<RealOf<S>>(values_[b]);
      add_scaled<S>(directions_[m], a.data(), x_);
      add_scaled<S>(changes_[m], a.data(), hx_);
      add_scaled<S>(directions_[m], a_times_value.data(), hx_);
    }
  }

 private:
  using D = DoubleOf<S>;

  void minimise() {
    const std::size_t m = changes_.size();
    const BandView<const S> latest = changes_.back();
    std::vector<std::vector<D>>& row = products_.emplace_back();
    for (const BandView<S>& change : changes_) row.push_back(band_dots<S>(h_.product(), latest, change));
    slopes_.push_back(band_dots<S>(h_.product(), latest, start_));
    solution_.resize(static_cast<std::size_t>(x_.count));
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
  BandView<S> x_, hx_;
  const double* values_;
  std::vector<double> kinetic_;
  Workspace<S>& work_;
  BandView<S> start_;                                  ///< R_0
  std::vector<BandView<S>> directions_, changes_;      ///< d_m and (H - eps) d_m
  std::vector<std::vector<std::vector<D>>> products_;  ///< <Q_i|Q_j> for j <= i, per band
  std::vector<std::vector<D>> slopes_;                 ///< <Q_i|R_0>, per band
  std::vector<std::vector<D>> solution_;               ///< a, per band
};

}  // namespace

template <class S>
void rmm_diis(Hamiltonian<S>& h, EigenState<S>& state, int steps) {
  const Index bands = state.x.count();
  const BlockLayout blocks = blocks_of(bands);
  Workspace<S> work;
  for (std::size_t i = 0; i < num_work_arrays(steps); ++i) work.emplace_back(state.x.rows(), blocks.range(0).size());
  for (int i = 0; blocks.range(i).begin < bands; ++i) {
    const auto [first, end] = blocks.range(i);
    const Index count = end - first;
    BlockMinimiser<S> block(h, state.x.view().slice(first, count), state.hx.view().slice(first, count),
                            state.values.data() + first, work);
    for (int s = 0; s < steps; ++s) block.step();
    block.finish();
  }
  rayleigh_ritz(h, state);
}

template <class S>
double rmm_diis_bytes(Index rows, Index bands, int steps) {
  return static_cast<double>(num_work_arrays(steps)) * Bands<S>::bytes(rows, blocks_of(bands).range(0).size());
}

#define WAVEGRID_INSTANTIATE(S)                         \
  template double rmm_diis_bytes<S>(Index, Index, int); \
  template void rmm_diis<S>(Hamiltonian<S>&, EigenState<S>&, int);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
