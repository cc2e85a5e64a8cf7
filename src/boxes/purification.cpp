#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <vector>

#include <wavegrid/boxes/purification.hpp>

namespace wavegrid {

namespace {

/// One step of a purification as a function of an eigenvalue: F + g G, or the square for g < 0, or its mirror image for
/// g > 6.
struct Polynomial {
  static constexpr double largest = 6;  ///< g up to which F + g G is monotonic
  static constexpr double cubic = 3;    ///< g for which it is 3 x^2 - 2 x^3
  double g;

  [[nodiscard]] double operator()(double x) const {
    if (g < 0) return x * x;
    if (g > largest) return x * (2 - x);
    return x * x * (x * (4 - 3 * x) + g * (1 - x) * (1 - x));
  }
  /// Where it has a value from 0 to 1: it rises from 0 to 1 there.
  [[nodiscard]] double inverse(double value) const {
    constexpr int halvings = 60;
    double low = 0, high = 1;
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (low + high);
      ((*this)(middle) < value ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }
};

/// Bounds of the eigenvalues of X_0 next to the gap.
class GapBounds {
 public:
  /// All eigenvalues of X, which these steps made of X_0, have x - x^2 of at most `error`.
  void update(const std::vector<Polynomial>& steps, double error) {
    constexpr double most = 0.25;
    if (!(error < most)) return;
    const double root = std::sqrt(1 - error / most);
    const double high = inverse(steps, 0.5 * (1 + root)), low = inverse(steps, 0.5 * (1 - root));
    occupied = std::max(occupied.value_or(high), high);
    empty = std::min(empty.value_or(low), low);
  }

  std::optional<double> occupied, empty;

 private:
  static double inverse(const std::vector<Polynomial>& steps, double x) {
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) x = step->inverse(x);
    return x;
  }
};

/// Frobenius norm of X - X^2.
template <class T>
double idempotency_error(const BlockSparse<T>& x, const BlockSparse<T>& square) {
  BlockSparse<T> difference(x);
  difference.add(T(-1), square);
  return std::sqrt(trace_product(difference, difference));
}

}  // namespace

template <class T>
InverseRoot<T> inverse_square_root(const BlockSparse<T>& s, double cutoff) {
  constexpr int most = 60;            // each multiplies the smallest eigenvalue by 9/4
  constexpr double rounding = 1e-13;  // of the norm over the root of the rows
  const double scale = gershgorin(s).highest;
  BlockSparse<T> y(s), z(s.comm(), {s.pattern().edges, std::vector<std::vector<Index>>(s.pattern().edges.size())},
                         s.rows(), s.options());
  y.scale(static_cast<T>(1 / scale));
  z.add_identity(T(1));
  const double floor = rounding * std::sqrt(block_trace(z));
  InverseRoot<T> result{z};
  double last = 0;
  for (; result.iterations < most; ++result.iterations) {
    BlockSparse<T> t = result.iterations == 0 ? y : filtered_product(z, y, cutoff, result.products);
    t.scale(T(-1));
    t.add_identity(T(1));
    const double error = std::sqrt(trace_product(t, t));  // of 1 - Z Y
    constexpr double near = 0.1, share = 0.5;
    result.converged = error <= floor || (result.iterations > 0 && error < near && error > share * last);
    if (result.converged || !std::isfinite(error)) break;
    last = error;
    t.scale(T(0.5));
    t.add_identity(T(1));  // (3 - Z Y)/2
    y = filtered_product(y, t, cutoff, result.products);
    z = filtered_product(t, z, cutoff, result.products);
  }
  z.scale(static_cast<T>(1 / std::sqrt(scale)));
  result.z = std::move(z);
  return result;
}

template <class T>
Purified<T> purify(const BlockSparse<T>& h, Index states, double cutoff) {
  constexpr Index most = 100;
  constexpr double rounding = 1e-13;  // of the norm over the root of the states
  const SpectralBounds bounds = gershgorin(h);
  const double width = bounds.highest - bounds.lowest, wanted = static_cast<double>(states);
  Purified<T> result{h};
  BlockSparse<T>& x = result.p;
  x.scale(static_cast<T>(-1 / width));
  x.add_identity(static_cast<T>(bounds.highest / width));
  const double floor = rounding * std::sqrt(std::max(wanted, 1.0));
  std::vector<Polynomial> steps;
  GapBounds gap;
  double last = 0;
  for (; result.iterations < most; ++result.iterations) {
    BlockSparse<T> square = filtered_product(x, x, cutoff, result.products);
    const double tr = block_trace(x);
    result.idempotency = idempotency_error(x, square);
    constexpr double near = 0.1, share = 0.5, close = 0.01;
    gap.update(steps, result.idempotency);
    if (!std::isfinite(result.idempotency)) break;
    result.converged = std::abs(tr - wanted) < near &&
                       (result.idempotency <= floor ||
                        (result.idempotency < near && result.idempotency > share * last && result.iterations > 0));
    if (result.converged) break;
    last = result.idempotency;
    // The trace that rounding leaves would decide on g at the end: the polynomial 3 x^2 - 2 x^3 keeps it, too.
    const bool is_close = result.idempotency < close && std::abs(tr - wanted) < near;
    const double second = block_trace(square), third = trace_product(square, x), fourth = trace_product(square, square);
    const double f = 4 * third - 3 * fourth, g = second - 2 * third + fourth;
    const Polynomial step{is_close ? Polynomial::cubic
                          : g > 0  ? (wanted - f) / g
                                   : (tr > wanted ? -1.0 : Polynomial::largest + 1)};
    steps.push_back(step);
    if (step.g < 0) {
      x = std::move(square);
    } else if (step.g > Polynomial::largest) {
      x.scale(T(2));
      x.add(T(-1), square);
    } else {  // X^2 (g + (4 - 2 g) X + (g - 3) X^2)
      BlockSparse<T> factor(square);
      factor.scale(static_cast<T>(step.g - 3));
      factor.add(static_cast<T>(4 - 2 * step.g), x);
      factor.add_identity(static_cast<T>(step.g));
      x = filtered_product(square, factor, cutoff, result.products);
    }
  }
  if (gap.occupied) result.highest_occupied = bounds.highest - *gap.occupied * width;
  if (gap.empty) result.lowest_empty = bounds.highest - *gap.empty * width;
  return result;
}

#define WAVEGRID_INSTANTIATE(T)                                                  \
  template InverseRoot<T> inverse_square_root<T>(const BlockSparse<T>&, double); \
  template Purified<T> purify<T>(const BlockSparse<T>&, Index, double);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
