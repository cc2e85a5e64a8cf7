#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/electrons/smearing.hpp>

namespace wavegrid {
namespace {

constexpr double inv_root_pi = std::numbers::inv_sqrtpi;
constexpr double root_half = 1.0 / std::numbers::sqrt2;
constexpr double far = 40.0;  // |x| beyond which every kind is 0 or 1 to double precision

double x_log_x(double x) { return x > 0.0 ? x * std::log(x) : 0.0; }

struct Bands {
  std::span<const double> eigenvalues, weights;
  double electrons, degeneracy;
  std::size_t num_bands;  // per k-point
};

void check_numbers(const Bands& bands) {
  if (bands.eigenvalues.size() != bands.weights.size() || bands.eigenvalues.empty())
    throw bad_input("occupy: " + std::to_string(bands.eigenvalues.size()) + " eigenvalues but " +
                    std::to_string(bands.weights.size()) + " weights; give one weight per eigenvalue, at least one");
  if (!(bands.degeneracy > 0.0) || !(bands.electrons >= 0.0))
    throw bad_input("occupy: " + to_text(bands.electrons) + " electrons with " + to_text(bands.degeneracy) +
                    " per band; valid are 0 or more electrons, and more than 0 per band");
  for (const double eigenvalue : bands.eigenvalues)
    if (!std::isfinite(eigenvalue)) throw internal_error("occupy: an eigenvalue is not a finite number");
}

/// Bands per k-point: what all weights add up to.
std::size_t count_bands(const Bands& bands) {
  const double total = std::accumulate(bands.weights.begin(), bands.weights.end(), 0.0);
  const auto num = static_cast<std::size_t>(std::max(std::round(total), 0.0));
  if (num == 0 || std::abs(total - static_cast<double>(num)) > 1e-6 || bands.eigenvalues.size() % num != 0)
    throw bad_input("occupy: the weights add up to " + to_text(total) + " for " + std::to_string(bands.weights.size()) +
                    " eigenvalues; k-point weights must add up to 1, with the same number of bands at each k-point");
  return num;
}

void check_capacity(const Bands& bands) {
  const double needed = std::ceil(bands.electrons / bands.degeneracy - 1e-9);
  if (static_cast<double>(bands.num_bands) < needed)
    throw bad_input(std::to_string(bands.num_bands) + " bands cannot hold " + to_text(bands.electrons) +
                    " electrons; at least " + to_text(needed) + " bands are needed");
}

double count_electrons(const Bands& bands, SmearingKind kind, double width, double mu) {
  double sum = 0.0;
  for (std::size_t i = 0; i < bands.eigenvalues.size(); ++i)
    sum += bands.weights[i] * occupation(kind, (mu - bands.eigenvalues[i]) / width);
  return bands.degeneracy * sum;
}

/// The point between lo and hi where `too_high` changes from false to true, to the last bit.
template <class Predicate>
double bisect(double lo, double hi, Predicate&& too_high) {
  for (int step = 0; step < 2000; ++step) {
    const double middle = lo + 0.5 * (hi - lo);
    if (middle <= lo || middle >= hi) break;
    (too_high(middle) ? hi : lo) = middle;
  }
  return lo + 0.5 * (hi - lo);
}

double tolerance(const Bands& bands) { return 1e-13 * std::max(bands.electrons, 1.0); }

/// Fermi level of a kind of smearing with monotonic occupations; in a gap the middle of the range with the right number
/// of electrons.
double monotonic_fermi(const Bands& bands, SmearingKind kind, double width) {
  const auto [lowest, highest] = std::minmax_element(bands.eigenvalues.begin(), bands.eigenvalues.end());
  const double lo = *lowest - far * width, hi = *highest + far * width;
  const auto root = [&](double target) {
    return bisect(lo, hi, [&](double mu) { return count_electrons(bands, kind, width, mu) > target; });
  };
  return 0.5 * (root(bands.electrons - tolerance(bands)) + root(bands.electrons + tolerance(bands)));
}

/// Fermi level nearest to `start` at which the electron number changes from one side of the target to the other.
double nearest_fermi(const Bands& bands, SmearingKind kind, double width, double start) {
  const auto excess = [&](double mu) { return count_electrons(bands, kind, width, mu) - bands.electrons; };
  const double at_start = excess(start);
  if (std::abs(at_start) <= tolerance(bands)) return start;
  const auto other_side = [&](double mu) { return (excess(mu) > 0.0) != (at_start > 0.0); };
  const auto [lowest, highest] = std::minmax_element(bands.eigenvalues.begin(), bands.eigenvalues.end());
  const double step = 0.05 * width;
  const double range = *highest - *lowest + 4.0 * far * width;
  for (double reach = step; reach < range; reach += step) {
    if (other_side(start + reach))
      return bisect(start + reach - step, start + reach, [&](double mu) { return other_side(mu); });
    if (other_side(start - reach))
      return bisect(start - reach, start - reach + step, [&](double mu) { return !other_side(mu); });
  }
  throw internal_error("occupy: there is no Fermi level for " + to_text(bands.electrons) + " electrons");
}

void note_highest_band(const Bands& bands, Occupations& out) {
  const std::size_t num = bands.num_bands;
  for (std::size_t k = 0; k < bands.eigenvalues.size(); k += num) {
    const auto row = bands.eigenvalues.subspan(k, num);
    const auto top = k + static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    if (bands.weights[top] > 0.0)
      out.highest_occupation =
          std::max(out.highest_occupation, std::abs(out.f[top]) / (bands.weights[top] * bands.degeneracy));
  }
}

Occupations occupy_fixed(const Bands& bands) {
  const double filled = std::round(bands.electrons / bands.degeneracy);
  if (std::abs(bands.electrons - filled * bands.degeneracy) > 1e-8)
    throw bad_input("fixed occupations fill whole bands of " + to_text(bands.degeneracy) +
                    " electrons, but there are " + to_text(bands.electrons) +
                    "; choose a smearing or an electron number that is a multiple of " + to_text(bands.degeneracy));
  const auto count = static_cast<std::size_t>(filled);
  Occupations out{.fermi = *std::min_element(bands.eigenvalues.begin(), bands.eigenvalues.end()),
                  .f = std::vector<double>(bands.eigenvalues.size(), 0.0)};
  std::vector<std::size_t> order(bands.num_bands);
  for (std::size_t k = 0; k < bands.eigenvalues.size(); k += bands.num_bands) {
    std::iota(order.begin(), order.end(), k);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return bands.eigenvalues[a] < bands.eigenvalues[b]; });
    for (std::size_t i = 0; i < count; ++i) {
      out.f[order[i]] = bands.weights[order[i]] * bands.degeneracy;
      out.fermi = std::max(out.fermi, bands.eigenvalues[order[i]]);
    }
  }
  note_highest_band(bands, out);
  return out;
}

Occupations occupy_smeared(const Bands& bands, const Smearing& smearing) {
  const auto [kind, width] = smearing;
  if (!(width > 0.0)) throw bad_input("the smearing width is " + to_text(width) + " Ha; it must be positive");
  const bool monotonic = kind == SmearingKind::fermi_dirac || kind == SmearingKind::gaussian;
  Occupations out{.fermi = monotonic_fermi(bands, monotonic ? kind : SmearingKind::gaussian, width)};
  if (!monotonic) out.fermi = nearest_fermi(bands, kind, width, out.fermi);
  out.f.reserve(bands.eigenvalues.size());
  for (std::size_t i = 0; i < bands.eigenvalues.size(); ++i) {
    const double x = (out.fermi - bands.eigenvalues[i]) / width, share = bands.weights[i] * bands.degeneracy;
    out.f.push_back(share * occupation(kind, x));
    out.minus_ts += share * width * entropy_term(kind, x);
  }
  note_highest_band(bands, out);
  out.too_few_bands = out.highest_occupation > 1e-3;
  return out;
}

Occupations occupy_tetrahedra(const Bands& bands, const Tetrahedra* tetrahedra) {
  if (tetrahedra == nullptr ||
      bands.eigenvalues.size() != static_cast<std::size_t>(tetrahedra->num_k()) * bands.num_bands)
    throw internal_error("occupy: tetrahedra of other k-points");
  const double states = bands.electrons / bands.degeneracy;
  Occupations out{.fermi = tetrahedra->fermi_level(bands.eigenvalues, states, tolerance(bands))};
  out.f = tetrahedra->weights(bands.eigenvalues, out.fermi);
  for (double& f : out.f) f *= bands.degeneracy;
  note_highest_band(bands, out);
  out.too_few_bands = out.highest_occupation > 1e-3;
  return out;
}

}  // namespace

double occupation(SmearingKind kind, double x) {
  if (kind == SmearingKind::fixed) return x >= 0.0 ? 1.0 : 0.0;
  if (std::abs(x) > far) return x > 0.0 ? 1.0 : 0.0;
  switch (kind) {
    case SmearingKind::fermi_dirac:
      return 1.0 / (1.0 + std::exp(-x));
    case SmearingKind::gaussian:
      return 0.5 * std::erfc(-x);
    case SmearingKind::methfessel_paxton:
      return 0.5 * std::erfc(-x) + 0.5 * inv_root_pi * x * std::exp(-x * x);
    default: {  // cold
      const double y = x - root_half;
      return 0.5 * std::erfc(-y) + root_half * inv_root_pi * std::exp(-y * y);
    }
  }
}

double entropy_term(SmearingKind kind, double x) {
  if (kind == SmearingKind::fixed || std::abs(x) > far) return 0.0;
  switch (kind) {
    case SmearingKind::fermi_dirac:  // 1 - f(x) = f(-x), without cancellation
      return x_log_x(occupation(kind, x)) + x_log_x(occupation(kind, -x));
    case SmearingKind::gaussian:
      return -0.5 * inv_root_pi * std::exp(-x * x);
    case SmearingKind::methfessel_paxton:
      return 0.25 * inv_root_pi * (2.0 * x * x - 1.0) * std::exp(-x * x);
    default: {  // cold
      const double y = x - root_half;
      return root_half * inv_root_pi * y * std::exp(-y * y);
    }
  }
}

Occupations occupy(std::span<const double> eigenvalues, std::span<const double> weights, double electrons,
                   double degeneracy, const Smearing& smearing, const Tetrahedra* tetrahedra) {
  Bands bands{eigenvalues, weights, electrons, degeneracy, 0};
  check_numbers(bands);
  bands.num_bands = count_bands(bands);
  check_capacity(bands);
  if (is_tetrahedra(smearing.kind)) return occupy_tetrahedra(bands, tetrahedra);
  return smearing.kind == SmearingKind::fixed ? occupy_fixed(bands) : occupy_smeared(bands, smearing);
}

}  // namespace wavegrid
