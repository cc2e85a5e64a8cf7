#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/elements.hpp>
#include <wavegrid/pseudo/radial_potential.hpp>

namespace wavegrid {
namespace {

constexpr double cut = 10.0;            // bohr, of the short-range local potential
constexpr double file_error = 1e-4;     // Ha bohr, of r V_loc + Z beyond the cut: where it is larger, the cut moves
constexpr double coulomb_error = 1e-7;  // Ha bohr, of r V_loc + Z beyond a cut that moved
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double range = 6.5;              // bohr: erfc(6.5) = 4e-20
constexpr double negligible_tail = 1e-13;  // of int r^2 |f| dr
constexpr double coarsest = 0.05;          // bohr, largest spacing of a uniform mesh that resolves all functions here
constexpr double largest_value = 1e12;     // of any value of a file, in its units: larger ones are damaged
constexpr double reach_from = 1.0, reach_to = 1000.0;  // bohr, valid ends of a mesh
constexpr double smallest = 1e-4;                      // bohr, where f(r)/r is evaluated instead of at 0
constexpr double largest_strength = 1e6;               // Ha, of a projector; files have up to 4000
constexpr double near_nucleus = 0.01;                  // bohr, where a projector grows as r^l

using Vector = std::vector<double>;

/// erf(r) / r
double soft_coulomb(double r) { return r > 1e-8 ? std::erf(r) / r : 2.0 / std::sqrt(units::pi); }

void require_bounded(const std::string& what, const Vector& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::abs(values[i]) <= largest_value))
      throw bad_input(what + " is " + to_text(values[i]) + " at point " + std::to_string(i + 1) +
                      "; valid are numbers up to " + to_text(largest_value));
}

void require_mesh(const Vector& r) {
  require_bounded("the radial mesh", r);
  if (r.size() < 16) throw bad_input("the radial mesh has " + std::to_string(r.size()) + " points; 16 are the least");
  for (std::size_t i = 0; i < r.size(); ++i)
    if (r[i] < 0.0 || (i > 0 && r[i] <= r[i - 1]))
      throw bad_input("the radial mesh does not rise: r is " + to_text(r[i]) + " bohr at point " +
                      std::to_string(i + 1));
  if (!(r.back() >= reach_from && r.back() <= reach_to))
    throw bad_input("the radial mesh ends at " + to_text(r.back()) + " bohr; valid are " +
                    std::to_string(std::lround(reach_from)) + " to " + std::to_string(std::lround(reach_to)));
}

void require_function(const std::string& what, const Vector& y, std::size_t mesh) {
  if (y.size() < 2 || y.size() > mesh)
    throw bad_input(what + " has " + std::to_string(y.size()) + " values on a mesh of " + std::to_string(mesh));
  require_bounded(what, y);
}

/// int p^2 r^2 dr by the trapezoidal rule.
double radial_norm2(const Vector& r, const Vector& times_r) {
  double sum = 0.0;
  for (std::size_t i = 1; i < times_r.size(); ++i)
    sum += 0.5 * (r[i] - r[i - 1]) * (std::pow(times_r[i], 2) + std::pow(times_r[i - 1], 2));
  return sum;
}

void require_strengths(const RadialData::Channel& channel, const Vector& r) {
  const std::size_t n = channel.r_projectors.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double strength = std::abs(channel.h[i * n + i]) * radial_norm2(r, channel.r_projectors[i]);
    if (!(strength <= largest_strength))
      throw bad_input("projector " + std::to_string(i + 1) + " of l = " + std::to_string(channel.l) +
                      " has a strength of " + to_text(strength) +
                      " Ha (its coupling times its norm); valid are up to " + to_text(largest_strength));
  }
}

/// r p(r) grows as r^(l+1) from the nucleus on. One that grows more slowly belongs to a smaller l.
void require_growth(int l, const Vector& r, const Vector& times_r) {
  const auto index = [&](double radius) {
    return static_cast<std::size_t>(std::lower_bound(r.begin(), r.end(), radius) - r.begin());
  };
  const std::size_t a = index(near_nucleus), b = a < r.size() ? index(2.0 * r[a]) : a;
  if (b >= times_r.size() || r[b] > 5.0 * near_nucleus) return;  // too coarse a mesh
  double largest = 0.0;
  for (const double value : times_r) largest = std::max(largest, std::abs(value));
  if (times_r[a] * times_r[b] <= 0.0 || std::abs(times_r[b]) < 1e-4 * largest) return;
  const double power = std::log(times_r[b] / times_r[a]) / std::log(r[b] / r[a]);
  if (power < l + 0.5)
    throw bad_input("a projector of l = " + std::to_string(l) + " grows as r^" + to_text(std::round(power) - 1) +
                    " near the nucleus; valid is r^" + std::to_string(l));
}

void require_symmetric(const std::string& name, const Vector& couplings, std::size_t n) {
  require_bounded("the coupling of " + name, couplings);
  double largest = 0.0;
  for (const double h : couplings) largest = std::max(largest, std::abs(h));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::abs(couplings[i * n + j] - couplings[j * n + i]) > 1e-6 * largest)
        throw bad_input("the couplings of " + name + " are not symmetric: " + to_text(couplings[i * n + j]) + " and " +
                        to_text(couplings[j * n + i]) + " Ha");
}

/// Half the sum of the elements ij and ji of a matrix, row by row, over n projectors.
double symmetric_element(const Vector& matrix, std::size_t n, int i, int j) {
  const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
  return 0.5 * (matrix[row * n + column] + matrix[column * n + row]);
}

void require_channel(const RadialData::Channel& channel, const Vector& r) {
  const std::string name = "the projectors of l = " + std::to_string(channel.l);
  if (channel.l < 0 || channel.l > highest_l)
    throw bad_input("there are projectors with l = " + std::to_string(channel.l) + "; valid are 0 to 3");
  for (const Vector& p : channel.r_projectors)
    require_function("a projector of l = " + std::to_string(channel.l), p, r.size());
  const std::size_t n = channel.r_projectors.size();
  if (n == 0 || channel.h.size() != n * n || (!channel.k.empty() && channel.k.size() != n * n))
    throw bad_input(name + ": " + std::to_string(n) + " of them with " + std::to_string(channel.h.size()) +
                    " couplings; valid are one or more, with a square matrix of couplings");
  require_symmetric(name, channel.h, n);
  if (!channel.k.empty()) require_symmetric(name, channel.k, n);
  require_strengths(channel, r);
  for (const Vector& p : channel.r_projectors) require_growth(channel.l, r, p);
}

void require_tail(const RadialData& data) {
  const std::size_t end = data.local.size() - 1;
  const double tail = data.r[end] * data.local[end];
  if (std::abs(tail + data.charge) > 0.1 * data.charge)
    throw bad_input("the local potential times r is " + to_text(tail) + " Ha bohr at " + to_text(data.r[end]) +
                    " bohr; it must tend to minus the valence charge, " + std::to_string(data.charge));
}

/// Whether y is 0 but for its first value.
bool is_zero(const Vector& y) {
  return std::all_of(y.begin() + 1, y.end(), [](double v) { return v == 0.0; });
}

/// What no calculation needs may be missing: zeros behind the end of the local potential, which is -Z/r there, and
/// pseudo-orbitals that are 0.
void drop_unused(RadialData& data) {
  while (data.local.size() > 2 && data.local.back() == 0.0) data.local.pop_back();
  std::erase_if(data.orbitals, [](const RadialData::Orbital& orbital) { return is_zero(orbital.times_r); });
}

bool is_valid_occupation(const Vector& electrons, int charge) {
  for (std::size_t l = 0; l < electrons.size(); ++l)
    if (l > highest_l || electrons[l] < 0.0 || electrons[l] > max_electrons(static_cast<int>(l))) return false;
  return std::abs(std::accumulate(electrons.begin(), electrons.end(), 0.0) - charge) <= 1e-6;
}

RadialData valid(RadialData data) {
  const int number = atomic_number(data.element);
  if (number == 0) throw bad_input("the element is " + in_quotes(data.element) + "; valid are symbols from H to Lr");
  if (data.charge < 1 || data.charge > number)
    throw bad_input("the valence charge of " + data.element + " is " + std::to_string(data.charge) +
                    "; valid are 1 to " + std::to_string(number));
  require_mesh(data.r);
  require_function("the local potential", data.local, data.r.size());
  for (const auto& channel : data.channels) require_channel(channel, data.r);
  if (!data.core.empty()) require_function("the core density", data.core, data.r.size());
  for (const auto& orbital : data.orbitals) require_function("a pseudo-orbital", orbital.times_r, data.r.size());
  drop_unused(data);
  require_tail(data);
  if (!is_valid_occupation(data.occupation, data.charge))
    data.occupation = ground_state_occupation(number, data.charge);
  while (data.occupation.size() > 1 && data.occupation.back() == 0.0) data.occupation.pop_back();
  return data;
}

/// r f(r); at r = 0 it is set to 0, whatever the file contains.
RadialFunction times_r_on_mesh(const Vector& r, Vector y, int l, OuterEnd outer_end = OuterEnd::detected) {
  if (r.front() == 0.0) y.front() = 0.0;
  return {r, y, l + 1, outer_end};
}

/// |r V_loc + Z|, Ha bohr.
double difference_from_coulomb(const RadialData& data, std::size_t point) {
  return std::abs(data.r[point] * data.local[point] + data.charge);
}

/// The number of mesh points up to the first one from `cut` on beyond which r V_loc + Z is at most `error`.
std::size_t num_before_tail(const RadialData& data, double error) {
  std::size_t n = data.local.size();
  while (n > 1 && data.r[n - 2] >= cut && difference_from_coulomb(data, n - 1) <= error) --n;
  return n;
}

/// The number of mesh points up to the cut. A tail is there at the cut already: what rises beyond it is the error of a
/// generator, up to 3e-3 Ha bohr at 13 bohr in ultrasoft files, whose potentials were unscreened where densities
/// vanish. A difference from -Z/r that does not vanish at the end of the mesh is no tail, but an error of the file.
std::size_t num_before_cut(const RadialData& data) {
  const std::size_t least = num_before_tail(data, infinity);
  const double at_end = difference_from_coulomb(data, data.local.size() - 1);
  return difference_from_coulomb(data, least - 1) <= file_error
             ? least
             : num_before_tail(data, std::max(coulomb_error, 2.0 * at_end));
}

/// V_loc + Z erf(r)/r up to its cut.
RadialFunction short_range_on_mesh(const RadialData& data) {
  Vector y = data.local;
  y.resize(num_before_cut(data));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += data.charge * soft_coulomb(data.r[i]);
  return {data.r, y, 0};
}

/// V_loc + Z erf(r)/r; V_loc is -Z/r beyond the mesh or its cut.
double short_range(const RadialFunction& on_mesh, double z, double r) {
  return r > on_mesh.r_max() ? -z * std::erfc(r) / r : on_mesh(r);
}

/// The breaks up to where the rest of int r^2 |f| dr is below the accuracy of a transform: meshes of GPAW end at some
/// hundred bohr, and the transform of so long a function has as many pieces.
Vector without_tail(Vector breaks, const std::function<double(double)>& f) {
  Vector parts(breaks.size() - 1);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double a = breaks[i], b = breaks[i + 1], middle = 0.5 * (a + b);
    const auto integrand = [&](double r) { return r * r * std::abs(f(r)); };
    parts[i] = (b - a) / 6.0 * (integrand(a) + 4.0 * integrand(middle) + integrand(b));
  }
  const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
  std::size_t count = parts.size();
  for (double tail = 0.0; count > 1 && (tail += parts[count - 1]) <= negligible_tail * all;) --count;
  breaks.resize(count + 1);
  return breaks;
}

/// On a uniform mesh on which f decays to 0, the sum over its points, as in ABINIT: projectors of some generators have
/// kinks and oscillations of 1e-4 at their end, where polynomials between the points would add 1e-6 to an integral.
/// On other meshes the integral of the polynomials.
std::unique_ptr<RadialTransform> transform_of(int l, const Vector& mesh, Vector breaks,
                                              const std::function<double(double)>& f) {
  const double h = uniform_spacing(mesh), end = breaks.back();
  double largest = 0.0;
  for (const double r : mesh)
    if (r <= end) largest = std::max(largest, std::abs(f(r)));
  if (h == 0.0 || h > coarsest || std::abs(f(end)) > 1e-6 * largest)
    return std::make_unique<RadialTransform>(l, without_tail(std::move(breaks), f), f);
  Vector values;
  for (std::size_t i = 1; static_cast<double>(i) * h <= end * (1.0 + 1e-9); ++i)
    values.push_back(f(std::min(static_cast<double>(i) * h, end)));
  return std::make_unique<RadialTransform>(l, h, values);
}

double over_r(const RadialFunction& times_r, double r) {
  const double x = std::max(r, smallest);
  return times_r(x) / x;
}

/// Of R(r) with int R^2 r^2 dr = 1.
std::unique_ptr<RadialTransform> transform_of_orbital(const Vector& mesh, RadialData::Orbital orbital) {
  const RadialFunction times_r = times_r_on_mesh(mesh, std::move(orbital.times_r), orbital.l);
  const auto square = [&](double r) { return std::pow(over_r(times_r, r), 2); };
  const double norm = std::sqrt(RadialTransform(0, times_r.breaks(), square).integrate(0.0) / (4.0 * units::pi));
  if (!(norm > 0.0)) throw bad_input("a pseudo-orbital of l = " + std::to_string(orbital.l) + " has no norm");
  return transform_of(orbital.l, mesh, times_r.breaks(),
                      [times_r, norm](double r) { return over_r(times_r, r) / norm; });
}

}  // namespace

RadialPotential::RadialPotential(RadialData given) : RadialPotential(valid(std::move(given)), Checked{}) {}

RadialPotential::RadialPotential(RadialData data, Checked /*tag*/)
    : element_(data.element),
      charge_(data.charge),
      occupation_(data.occupation),
      short_range_(short_range_on_mesh(data)) {
  Vector breaks = short_range_.breaks();
  while (breaks.back() < range) breaks.push_back(breaks.back() + 0.1);
  const auto f = [rest = short_range_, z = charge_](double r) { return short_range(rest, z, r); };
  short_range_transform_ = transform_of(0, data.r, std::move(breaks), f);
  for (auto& channel : data.channels) {
    channels_.push_back({channel.l, {}, std::move(channel.h), std::move(channel.k)});
    for (auto& values : channel.r_projectors) {
      const RadialFunction p = times_r_on_mesh(data.r, std::move(values), channel.l, channel.outer_end);
      auto transform = transform_of(channel.l, data.r, p.breaks(), [p](double r) { return over_r(p, r); });
      channels_.back().projectors.push_back({p, std::move(transform)});
    }
  }
  if (!data.core.empty()) {
    const RadialFunction core(data.r, data.core, 0);
    core_ = transform_of(0, data.r, core.breaks(), core);
  }
  for (auto& orbital : data.orbitals) {
    shells_.push_back({orbital.label, orbital.electrons});
    orbitals_.push_back(transform_of_orbital(data.r, std::move(orbital)));
  }
  augmented_ = std::move(data.augmented);
}

double RadialPotential::local(double g) const {
  return (*short_range_transform_)(g)-4.0 * units::pi * charge_ * std::exp(-0.25 * g * g) / (g * g);
}

double RadialPotential::local_slope(double g) const {
  const double coulomb = 4.0 * units::pi * charge_ * std::exp(-0.25 * g * g) / g;
  return short_range_transform_->derivative(g) + coulomb * (0.5 + 2.0 / (g * g));
}

// -4 pi Z (exp(-g^2/4) - 1) / g^2 tends to pi Z.
double RadialPotential::local_core() const { return short_range_transform_->integrate(0.0) + units::pi * charge_; }

double RadialPotential::local_radial(double r) const {
  return short_range(short_range_, charge_, r) - charge_ * soft_coulomb(r);
}

double RadialPotential::coupling(int c, int i, int j) const {
  return symmetric_element(channel(c).h, channel(c).projectors.size(), i, j);
}

bool RadialPotential::has_spin_orbit() const {
  return std::any_of(channels_.begin(), channels_.end(), [](const Channel& one) { return !one.k.empty(); });
}

double RadialPotential::spin_orbit_coupling(int c, int i, int j) const {
  return channel(c).k.empty() ? 0.0 : symmetric_element(channel(c).k, channel(c).projectors.size(), i, j);
}

double RadialPotential::projector(int c, int i, double g) const { return (*find(c, i).transform)(g); }

double RadialPotential::projector_slope(int c, int i, double g) const { return find(c, i).transform->derivative(g); }

double RadialPotential::projector_radial(int c, int i, double r) const {
  return r > find(c, i).times_r.r_max() ? 0.0 : over_r(find(c, i).times_r, r);
}

double RadialPotential::core_density(double g) const { return core_ ? (*core_)(g) : 0.0; }

double RadialPotential::core_density_slope(double g) const { return core_ ? core_->derivative(g) : 0.0; }

}  // namespace wavegrid
