#include "scf/eigen_state.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace wavegrid {

namespace {

template <class S>
void rotate_state(const InnerProduct& product, EigenState<S>& state, std::vector<double> values,
                  const Matrix<S>& vectors) {
  state.values = std::move(values);
  rotate_in_place<S>(product, state.x.view(), vectors);
  rotate_in_place<S>(product, state.hx.view(), vectors);
}

}  // namespace

template <class S>
void rayleigh_ritz(Hamiltonian<S>& h, EigenState<S>& state) {
  const Index n = state.x.count();
  const InnerProduct& product = h.product();
  const BandView<const S> x = std::as_const(state.x).view(), hx = std::as_const(state.hx).view();
  SubspaceSolution<S> solution =
      solve_subspace<S>(product, upper_overlap<S>(product, x, hx), upper_overlap<S>(product, x, x), n);
  if (solution.definite) return rotate_state(product, state, std::move(solution.values), solution.vectors);
  if constexpr (is_single<S>) {
    // Once more in double precision; what rounding leaves not orthonormal after so large a change, a second round
    // mends.
    using D = DoubleOf<S>;
    SubspaceSolution<D> exact =
        solve_subspace<D>(product, overlap_in_double<S>(product, x, hx), overlap_in_double<S>(product, x, x), n);
    if (!exact.definite) throw internal_error("the bands have become linearly dependent");
    rotate_state(product, state, std::move(exact.values), converted<S>(std::move(exact.vectors)));
    solution = solve_subspace<S>(product, upper_overlap<S>(product, x, hx), upper_overlap<S>(product, x, x), n);
    if (solution.definite) return rotate_state(product, state, std::move(solution.values), solution.vectors);
  }
  throw internal_error("the bands have become linearly dependent");
}

template <class S>
void residuals(BandView<const S> x, BandView<const S> hx, const double* values, BandView<S> out) {
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < x.count; ++b) {
    const S* const xb = x.band(b);
    const S* const hb = hx.band(b);
    S* const r = out.band(b);
    const auto value = static_cast<RealOf<S>>(values[b]);
    for (Index i = 0; i < x.rows; ++i) r[i] = hb[i] - value * xb[i];
  }
}

template <class S>
void precondition(const PlaneWaves& waves, const double* kinetic, BandView<S> bands) {
  const Index n = waves.size();
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < bands.count; ++b) {
    ComplexOf<S>* const c = coefficients(bands) + b * n;
    const double inverse = 1.0 / (1.5 * kinetic[b]);
    for (Index g = 0; g < n; ++g) {
      const double t = waves.kinetic()[static_cast<std::size_t>(g)] * inverse;
      const double top = 27.0 + t * (18.0 + t * (12.0 + t * 8.0));
      c[g] *= static_cast<RealOf<S>>(top / (top + 16.0 * t * t * t * t) * 2.0 * inverse);
    }
  }
}

template <class S>
void add_scaled(BandView<const S> x, const S* factors, BandView<S> y) {
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < x.count; ++b) {
    const S* const from = x.band(b);
    S* const to = y.band(b);
    const S factor = factors[b];
    for (Index i = 0; i < x.rows; ++i) to[i] += factor * from[i];
  }
}

template <class S>
std::vector<double> squared_residuals(Hamiltonian<S>& h, const EigenState<S>& state) {
  const auto guard = h.time(Phase::linear_algebra);
  constexpr Index block = 32;
  const Index bands = state.x.count();
  Bands<S> r(state.x.rows(), std::min(block, bands));
  std::vector<double> all;
  for (Index first = 0; first < bands; first += block) {
    const Index count = std::min(block, bands - first);
    const BandView<S> out = r.view().slice(0, count);
    residuals<S>(state.x.view().slice(first, count), state.hx.view().slice(first, count), state.values.data() + first,
                 out);
    const std::vector<double> norms = squared_norms<S>(h.product(), out);
    all.insert(all.end(), norms.begin(), norms.end());
  }
  return all;
}

template <class S>
double band_error(Hamiltonian<S>& h, const EigenState<S>& state, const std::vector<double>& filling) {
  const std::vector<double> squares = squared_residuals(h, state);
  double error = 0;
  for (std::size_t b = 0; b < squares.size(); ++b) error += std::abs(filling[b]) * squares[b];
  return error;
}

#define WAVEGRID_INSTANTIATE(S)                                                                 \
  template void rayleigh_ritz<S>(Hamiltonian<S>&, EigenState<S>&);                              \
  template void residuals<S>(BandView<const S>, BandView<const S>, const double*, BandView<S>); \
  template void precondition<S>(const PlaneWaves&, const double*, BandView<S>);                 \
  template void add_scaled<S>(BandView<const S>, const S*, BandView<S>);                        \
  template std::vector<double> squared_residuals<S>(Hamiltonian<S>&, const EigenState<S>&);     \
  template double band_error<S>(Hamiltonian<S>&, const EigenState<S>&, const std::vector<double>&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
