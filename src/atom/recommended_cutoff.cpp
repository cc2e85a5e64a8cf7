#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <wavegrid/atom/recommended_cutoff.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/pseudo/text_file.hpp>

namespace wavegrid {
namespace {

constexpr double step = 0.02;   // 1/bohr
constexpr double q_max = 40.0;  // 1/bohr, 800 Ha

// Discontinuities at the radii of a pseudopotential leave a long tail that falls as a power of q and weighs little. It
// is sampled, from where a window of successive steps has less than this, at every 13th step.
constexpr double small = 1e-5;  // Ha
constexpr std::size_t window = 100, stride = 13;

/// (q^2/2 - eps) |psi(q)|^2 q^2 of all electrons; F(q) of an orbital is (2 pi)^(3/2) times psi(q).
template <class Transform>
double kinetic_at(const PseudoAtom& atom, double q, const Transform& transform) {
  double sum = 0.0;
  for (const PseudoAtom::Orbital& orbital : atom.orbitals) {
    if (orbital.occupation == 0.0) continue;
    const double f = transform(*orbital.transform, q);
    sum += orbital.occupation * std::max(0.5 * q * q - orbital.energy, 0.0) * f * f * q * q;
  }
  return sum / (8.0 * units::pi * units::pi * units::pi);
}

/// `integrand(q, transform)` at q = i * step, up to q_max.
template <class Integrand>
std::vector<double> tabulated(const Integrand& integrand) {
  const auto from_table = [](const RadialTransform& f, double q) { return f(q); };
  const auto directly = [](const RadialTransform& f, double q) { return f.integrate(q); };
  std::vector<double> values(static_cast<std::size_t>(std::lround(q_max / step)) + 1);
  double largest = 0.0, within = 0.0;  // of all windows so far; of this one
  std::size_t i = 0;
  for (bool small_rest = false; i < values.size() && !small_rest; ++i) {
    values[i] = integrand(static_cast<double>(i) * step, from_table);
    within += step * values[i];
    if ((i + 1) % window != 0) continue;
    const double here = std::exchange(within, 0.0);
    largest = std::max(largest, here);
    small_rest = largest > small && here < small;
  }
  for (; i < values.size(); i += stride)
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(i), std::min(stride, values.size() - i),
                integrand(static_cast<double>(i + stride / 2) * step, directly));
  return values;
}

/// The number that follows the first occurrence of `name`.
std::optional<double> number_after(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == text.npos) return std::nullopt;
  const std::string_view rest = text.substr(at + name.size(), 40);
  const std::size_t begin = std::min(rest.find_first_not_of(" \t"), rest.size());
  return parse_real(rest.substr(begin, rest.substr(begin).find_first_of("\" \t\r\n,}")));
}

std::optional<double> positive(std::optional<double> value) { return value && *value > 0.0 ? value : std::nullopt; }

}  // namespace

CutoffError::CutoffError(const PseudoAtom& atom)
    : CutoffError(tabulated([&](double q, const auto& transform) { return kinetic_at(atom, q, transform); })) {}

CutoffError CutoffError::density(const PseudoAtom& atom, const Pseudopotential& potential) {
  const RadialTransform density(0, atom.spacing, std::span(atom.density).subspan(1));
  return CutoffError(tabulated([&](double q, const auto& transform) {
    const double n = transform(density, q), core = potential.core_density(q);
    return (n * n + core * core) / units::pi;
  }));
}

CutoffError::CutoffError(std::vector<double> integrand) : tail_(std::move(integrand)) {
  double above = tail_.back();
  tail_.back() = 0.0;
  for (std::size_t i = tail_.size() - 1; i-- > 0;) {
    const double here = tail_[i];
    tail_[i] = tail_[i + 1] + 0.5 * step * (here + above);
    above = here;
  }
}

double CutoffError::largest_cutoff() { return 0.5 * q_max * q_max; }

double CutoffError::operator()(double cutoff) const {
  const double position = std::sqrt(2.0 * cutoff) / step;
  const auto i = static_cast<std::size_t>(position);
  if (i + 1 >= tail_.size()) return 0.0;
  const double t = position - static_cast<double>(i);
  return (1.0 - t) * tail_[i] + t * tail_[i + 1];
}

double CutoffError::cutoff_for(double error) const {
  double low = 0.0, high = largest_cutoff();
  while (high - low > 1e-3) {
    const double middle = 0.5 * (low + high);
    ((*this)(middle) > error ? low : high) = middle;
  }
  return high;
}

double estimated_density_cutoff(const PseudoAtom& atom, const Pseudopotential& potential) {
  constexpr double lost = 1e-6, margin = 1.5;  // Ha; decision 0011
  return margin * CutoffError::density(atom, potential).cutoff_for(lost);
}

std::optional<double> cutoff_hint(std::string_view text) {
  if (const auto ry = positive(number_after(text, "wfc_cutoff=\""))) return units::rydberg * *ry;
  if (const auto ry = positive(number_after(text, "Suggested minimum cutoff for wavefunctions:")))
    return units::rydberg * *ry;
  const std::size_t hints = text.find("\"hints\"");
  const std::size_t normal = hints == text.npos ? hints : text.find("\"normal\"", hints);
  return normal == text.npos ? std::nullopt : positive(number_after(text.substr(normal), "\"ecut\":"));
}

}  // namespace wavegrid
