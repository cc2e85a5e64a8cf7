#include <algorithm>
#include <cmath>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/eigen/band_operator.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>

namespace wavegrid {

namespace {

/// Quotients of squared norms, 0 where the denominator is 0.
template <class S>
std::vector<S> quotients(const std::vector<double>& above, const std::vector<double>& below, double sign) {
  std::vector<S> result(above.size());
  for (std::size_t b = 0; b < above.size(); ++b)
    result[b] = below[b] > 0 ? S(static_cast<RealOf<S>>(sign * above[b] / below[b])) : S(0);
  return result;
}

/// out = factor (hy - centre y) + last out. Local.
template <class S>
void recur(BandView<const S> y, BandView<const S> hy, double centre, const ThreeTermRecurrence::Step& step,
           BandView<S> out) {
  const auto c = static_cast<RealOf<S>>(centre), f = static_cast<RealOf<S>>(step.factor),
             l = static_cast<RealOf<S>>(step.last);
  const Index size = y.rows * y.count;
#pragma omp parallel for simd schedule(static)
  for (Index i = 0; i < size; ++i) out.data[i] = f * (hy.data[i] - c * y.data[i]) + l * out.data[i];
}

}  // namespace

template <class S>
void BandOperator<S>::apply_polynomial(const ThreeTermRecurrence& p, BandView<S> x, BandView<S> hx) {
  const auto divide_by_overlap = [&] {
    if (!has_overlap()) return;
    Bands<S> b(hx.rows, hx.count);
    std::copy_n(hx.data, hx.rows * hx.count, b.view().data);
    solve_overlap(std::as_const(b).view(), hx);
  };
  Bands<S> work(x.rows, x.count);
  BandView<S> before = x, y = work.view();
  divide_by_overlap();
  std::fill_n(y.data, y.rows * y.count, S(0));
  recur<S>(before, hx, p.centre, p.steps.front(), y);
  for (std::size_t n = 1; n < p.steps.size(); ++n) {
    apply(y, hx);
    divide_by_overlap();
    recur<S>(y, hx, p.centre, p.steps[n], before);
    std::swap(before, y);
  }
  if (y.data != x.data) std::copy_n(y.data, y.rows * y.count, x.data);
}

template <class S>
void BandOperator<S>::apply_overlap(BandView<const S>, BandView<S>) {
  throw internal_error("this operator has no overlap matrix");
}

template <class S>
void BandOperator<S>::apply_change(std::span<const Real>, BandView<const S>, BandView<S>) {
  throw internal_error("this operator has no potential that changes");
}

template <class S>
std::vector<double> BandOperator<S>::value_errors(BandView<const S>, const std::vector<double>& squares) {
  std::vector<double> errors(squares);
  for (double& error : errors) error /= min_gap();
  return errors;
}

template <class S>
void BandOperator<S>::solve_overlap(BandView<const S> b, BandView<S> x) {
  constexpr int max_iterations = 200;
  constexpr double accuracy = is_single<S> ? 1e-5 : 1e-13;  // of the residual's norm
  Bands<S> r(b.rows, b.count), p(b.rows, b.count), sp(b.rows, b.count);
  const Index size = b.rows * b.count;
  std::fill_n(x.data, size, S(0));
  std::copy_n(b.data, size, r.view().data);
  std::copy_n(b.data, size, p.view().data);
  std::vector<double> norms = squared_norms<S>(product_, r.view());
  const std::vector<double> first = norms;
  const auto all_done = [&] {
    for (std::size_t i = 0; i < norms.size(); ++i)
      if (norms[i] > accuracy * accuracy * first[i]) return false;
    return true;
  };
  for (int i = 0; i < max_iterations && !all_done(); ++i) {
    apply_overlap(std::as_const(p).view(), sp.view());
    const std::vector<double> curvature = diagonal_overlaps<S>(product_, p.view(), sp.view());
    add_scaled<S>(p.view(), quotients<S>(norms, curvature, 1).data(), x);
    add_scaled<S>(sp.view(), quotients<S>(norms, curvature, -1).data(), r.view());
    const std::vector<double> next = squared_norms<S>(product_, r.view());
    const std::vector<S> step = quotients<S>(next, norms, 1);
#pragma omp parallel for schedule(static)
    for (Index c = 0; c < b.count; ++c)
      for (Index row = 0; row < b.rows; ++row) {
        S& direction = p.view().band(c)[row];
        direction = r.view().band(c)[row] + step[static_cast<std::size_t>(c)] * direction;
      }
    norms = next;
  }
}

#define WAVEGRID_INSTANTIATE(S) template class BandOperator<S>;
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
