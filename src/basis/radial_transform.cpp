#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/mesh_bessel.hpp>
#include <wavegrid/basis/radial_transform.hpp>
#include <wavegrid/basis/spherical_bessel.hpp>

namespace wavegrid {
namespace {

constexpr int max_l = 7;                   // spherical_bessel is accurate up to this l
constexpr double table_end = 256.0;        // 1/bohr; above it every value is computed by quadrature
constexpr double piece_times_r_max = 8.0;  // width of a piece times r_max: J_22(4) = 2e-15
constexpr double phase_of_panel = 2.0;     // largest g dr of one Gauss rule

// Gauss-Legendre with six points on -1..1: exact up to degree 11.
constexpr std::array<double, 6> gauss_x{-0.9324695142031521, -0.6612093864662645, -0.2386191860831969,
                                        0.2386191860831969,  0.6612093864662645,  0.9324695142031521};
constexpr std::array<double, 6> gauss_w{0.1713244923791704, 0.3607615730481386, 0.4679139345726910,
                                        0.4679139345726910, 0.3607615730481386, 0.1713244923791704};

/// sum_k c_k T_k(x) by Clenshaw's recurrence for even and odd k, whose T_k both follow T_k+2 = 2 T_2 T_k - T_k-2: the
/// processor works on two sums of half the length at a time.
template <std::size_t N>
double chebyshev(const std::array<double, N>& c, double x) {
  static_assert(N % 2 == 0);
  const double twice = 4.0 * x * x - 2.0;  // 2 T_2
  double even1 = 0.0, even2 = 0.0, odd1 = 0.0, odd2 = 0.0;
  for (std::size_t k = N - 2; k > 0; k -= 2) {
    even2 = std::exchange(even1, twice * even1 + (c[k] - even2));
    odd2 = std::exchange(odd1, twice * odd1 + (c[k + 1] - odd2));
  }
  return 0.5 * twice * even1 + (c[0] - even2) + x * ((twice - 1.0) * odd1 + (c[1] - odd2));
}

}  // namespace

RadialTransform::RadialTransform(int l, std::vector<double> breaks, std::function<double(double)> f)
    : l_(l), r_max_(breaks.empty() ? 0.0 : breaks.back()), breaks_(std::move(breaks)), f_(std::move(f)) {
  const auto falls = std::adjacent_find(breaks_.begin(), breaks_.end(), std::greater_equal<>{});
  if (l < 0 || l > max_l || breaks_.size() < 2 || breaks_.front() < 0.0 || falls != breaks_.end())
    throw internal_error("RadialTransform: l = " + std::to_string(l) + ", " + std::to_string(breaks_.size()) +
                         " breaks; valid are l from 0 to 7 and at least two rising breaks from 0 on");
  make_pieces();
}

RadialTransform::RadialTransform(int l, double spacing, std::span<const double> f)
    : l_(l), r_max_(spacing * static_cast<double>(f.size())), spacing_(spacing), weights_(f.begin(), f.end()) {
  if (l < 0 || l > max_l || !(r_max_ > 0.0))
    throw internal_error("RadialTransform: l = " + std::to_string(l) + ", " + std::to_string(f.size()) +
                         " values with a spacing of " + to_text(spacing) +
                         "; valid are l from 0 to 7, at least one value and a spacing above 0");
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double r = spacing * static_cast<double>(i + 1);
    weights_[i] *= 4.0 * units::pi * spacing * r * r;
  }
  make_pieces();
}

void RadialTransform::make_pieces() {
  width_ = std::min(piece_times_r_max / r_max_, table_end);
  count_ = static_cast<std::size_t>(std::ceil(table_end / width_));
  pieces_ = std::make_unique<Piece[]>(count_);
}

// Quadrature in panels that are short enough for j_l(g r).
RadialTransform::Samples RadialTransform::sample(double g) const {
  if (breaks_.empty()) return {};
  Samples s;
  for (std::size_t i = 0; i + 1 < breaks_.size(); ++i) {
    const double length = breaks_[i + 1] - breaks_[i];
    const int panels = 1 + static_cast<int>(g * length / phase_of_panel);
    const double half = 0.5 * length / panels;
    for (int p = 0; p < panels; ++p)
      for (std::size_t k = 0; k < gauss_x.size(); ++k) {
        const double r = breaks_[i] + half * (2 * p + 1 + gauss_x[k]);
        s.r.push_back(r);
        s.weight.push_back(4.0 * units::pi * half * gauss_w[k] * r * r * f_(r));
      }
  }
  return s;
}

double RadialTransform::sum(const Samples& samples, double g) const {
  if (breaks_.empty()) return bessel_sum(l_, g * spacing_, weights_);
  std::array<double, max_l + 1> values{};
  const std::span<double> j(values.data(), static_cast<std::size_t>(l_) + 1);
  double total = 0.0;
  for (std::size_t i = 0; i < samples.r.size(); ++i) {
    spherical_bessel(g * samples.r[i], j);
    total += samples.weight[i] * j.back();
  }
  return total;
}

double RadialTransform::integrate(double g) const { return sum(sample(g), g); }

void RadialTransform::compute(Piece& piece, std::size_t index) const {
  const double start = static_cast<double>(index) * width_;
  const Samples samples = sample(start + width_);
  Coefficients values;
  const auto angle = [](std::size_t n) { return units::pi * (static_cast<double>(n) + 0.5) / terms; };
  for (std::size_t n = 0; n < terms; ++n) values[n] = sum(samples, start + 0.5 * width_ * (1.0 + std::cos(angle(n))));
  for (std::size_t k = 0; k < terms; ++k) {
    double c = 0.0;
    for (std::size_t n = 0; n < terms; ++n) c += values[n] * std::cos(static_cast<double>(k) * angle(n));
    piece.value[k] = (k == 0 ? 1.0 : 2.0) / terms * c;
  }
  // T_k' in terms of T: c'_{k-1} = c'_{k+1} + 2 k c_k, the first halved
  piece.slope.fill(0.0);
  for (std::size_t k = terms - 1; k > 0; --k)
    piece.slope[k - 1] = (k + 1 < terms ? piece.slope[k + 1] : 0.0) + 2.0 * static_cast<double>(k) * piece.value[k];
  piece.slope[0] *= 0.5;
  for (double& c : piece.slope) c *= 2.0 / width_;
}

const RadialTransform::Piece& RadialTransform::piece(std::size_t index) const {
  Piece& found = pieces_[index];
  std::call_once(found.computed, [&] { compute(found, index); });
  return found;
}

double RadialTransform::operator()(double g) const {
  const double position = g / width_;
  const auto index = static_cast<std::size_t>(std::max(position, 0.0));
  if (index >= count_) return integrate(g);
  return chebyshev(piece(index).value, 2.0 * (position - static_cast<double>(index)) - 1.0);
}

double RadialTransform::derivative(double g) const {
  const double position = g / width_;
  const auto index = std::min(static_cast<std::size_t>(std::max(position, 0.0)), count_ - 1);
  if (position >= static_cast<double>(count_)) {
    const double step = 1e-3 / r_max_;
    return (integrate(g + step) - integrate(g - step)) / (2.0 * step);
  }
  return chebyshev(piece(index).slope, 2.0 * (position - static_cast<double>(index)) - 1.0);
}

}  // namespace wavegrid
