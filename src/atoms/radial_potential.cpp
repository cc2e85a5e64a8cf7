#include "atoms/radial_potential.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "atoms/elements.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"

namespace wavegrid {
namespace {

constexpr double cut = 10.0;            // bohr, of the short-range local potential
constexpr double range = 6.5;           // bohr: erfc(6.5) = 4e-20
constexpr double coarsest = 0.05;       // bohr, largest spacing of a uniform mesh that resolves all functions here
constexpr double largest_value = 1e12;  // of any value of a file, in its units: larger ones are damaged
constexpr double reach_from = 1.0, reach_to = 1000.0;  // bohr, valid ends of a mesh
constexpr double smallest = 1e-4;                      // bohr, where f(r)/r is evaluated instead of at 0

using Vector = std::vector<double>;

/// erf(r) / r
double soft_coulomb(double r) { return r > 1e-8 ? std::erf(r) / r : 2.0 / std::sqrt(units::pi); }

void require_bounded(const std::string& what, const Vector& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::abs(values[i]) <= largest_value))
      throw bad_input(what + " is " + text_of(values[i]) + " at point " + std::to_string(i + 1) +
                      "; valid are numbers up to " + text_of(largest_value));
}

void require_mesh(const Vector& r) {
  require_bounded("the radial mesh", r);
  if (r.size() < 16) throw bad_input("the radial mesh has " + std::to_string(r.size()) + " points; 16 are the least");
  for (std::size_t i = 0; i < r.size(); ++i)
    if (r[i] < 0.0 || (i > 0 && r[i] <= r[i - 1]))
      throw bad_input("the radial mesh does not rise: r is " + text_of(r[i]) + " bohr at point " +
                      std::to_string(i + 1));
  if (!(r.back() >= reach_from && r.back() <= reach_to))
    throw bad_input("the radial mesh ends at " + text_of(r.back()) + " bohr; valid are " +
                    std::to_string(std::lround(reach_from)) + " to " + std::to_string(std::lround(reach_to)));
}

void require_function(const std::string& what, const Vector& y, std::size_t mesh) {
  if (y.size() < 2 || y.size() > mesh)
    throw bad_input(what + " has " + std::to_string(y.size()) + " values on a mesh of " + std::to_string(mesh));
  require_bounded(what, y);
}

void require_channel(const RadialData::Channel& channel, std::size_t mesh) {
  const std::string name = "the projectors of l = " + std::to_string(channel.l);
  if (channel.l < 0 || channel.l > highest_l)
    throw bad_input("there are projectors with l = " + std::to_string(channel.l) + "; valid are 0 to 3");
  for (const Vector& p : channel.r_projectors)
    require_function("a projector of l = " + std::to_string(channel.l), p, mesh);
  const std::size_t n = channel.r_projectors.size();
  if (n == 0 || channel.h.size() != n * n)
    throw bad_input(name + ": " + std::to_string(n) + " of them with " + std::to_string(channel.h.size()) +
                    " couplings; valid are one or more, with a square matrix of couplings");
  require_bounded("the coupling of " + name, channel.h);
  double largest = 0.0;
  for (const double h : channel.h) largest = std::max(largest, std::abs(h));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::abs(channel.h[i * n + j] - channel.h[j * n + i]) > 1e-6 * largest)
        throw bad_input("the couplings of " + name + " are not symmetric: " + text_of(channel.h[i * n + j]) + " and " +
                        text_of(channel.h[j * n + i]) + " Ha");
}

void require_tail(const RadialData& data) {
  const std::size_t end = data.local.size() - 1;
  const double tail = data.r[end] * data.local[end];
  if (std::abs(tail + data.charge) > 0.1 * data.charge)
    throw bad_input("the local potential times r is " + text_of(tail) + " Ha bohr at " + text_of(data.r[end]) +
                    " bohr; it must tend to minus the valence charge, " + std::to_string(data.charge));
}

RadialData valid(RadialData data) {
  const int number = atomic_number(data.element);
  if (number == 0) throw bad_input("the element is " + in_quotes(data.element) + "; valid are symbols from H to Lr");
  if (data.charge < 1 || data.charge > number)
    throw bad_input("the valence charge of " + data.element + " is " + std::to_string(data.charge) +
                    "; valid are 1 to " + std::to_string(number));
  require_mesh(data.r);
  require_function("the local potential", data.local, data.r.size());
  for (const auto& channel : data.channels) require_channel(channel, data.r.size());
  if (!data.core.empty()) require_function("the core density", data.core, data.r.size());
  for (const auto& orbital : data.orbitals) require_function("a pseudo-orbital", orbital.times_r, data.r.size());
  require_tail(data);
  const double sum = std::accumulate(data.occupation.begin(), data.occupation.end(), 0.0);
  const bool negative = std::any_of(data.occupation.begin(), data.occupation.end(), [](double f) { return f < 0.0; });
  if (negative || data.occupation.size() > highest_l + 1 || std::abs(sum - data.charge) > 1e-6)
    data.occupation = ground_state_occupation(number, data.charge);
  while (data.occupation.size() > 1 && data.occupation.back() == 0.0) data.occupation.pop_back();
  return data;
}

RadialFunction on_mesh(Vector r, const Vector& y, int power) {
  r.resize(y.size());
  return {r, y, power};
}

/// r f(r); at r = 0 it is set to 0, whatever the file contains.
RadialFunction times_r_on_mesh(const Vector& r, Vector y, int l) {
  if (r.front() == 0.0) y.front() = 0.0;
  return on_mesh(r, y, l + 1);
}

/// V_loc + Z erf(r)/r up to the first mesh point from `cut` on.
RadialFunction short_range_on_mesh(const RadialData& data) {
  const auto end = std::find_if(data.r.begin(), data.r.end(), [](double x) { return x >= cut; });
  Vector y = data.local;
  y.resize(std::min(y.size(), static_cast<std::size_t>(end - data.r.begin()) + 1));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += data.charge * soft_coulomb(data.r[i]);
  return on_mesh(data.r, y, 0);
}

/// V_loc + Z erf(r)/r; V_loc is -Z/r beyond the mesh or its cut.
double short_range(const RadialFunction& on_mesh, double z, double r) {
  return r > on_mesh.r_max() ? -z * std::erfc(r) / r : on_mesh(r);
}

/// The spacing of a uniform mesh that starts at 0; 0 for other meshes.
double uniform_spacing(const Vector& r) {
  const double h = r.back() / static_cast<double>(r.size() - 1);
  for (std::size_t i = 0; i < r.size(); ++i)
    if (std::abs(r[i] - static_cast<double>(i) * h) > 1e-6 * h) return 0.0;
  return h;
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
    return std::make_unique<RadialTransform>(l, std::move(breaks), f);
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
  const double norm2 = RadialTransform(0, times_r.breaks(), square).integrate(0.0) / (4.0 * units::pi);
  if (!(norm2 > 0.0)) throw bad_input("a pseudo-orbital of l = " + std::to_string(orbital.l) + " is zero");
  return transform_of(orbital.l, mesh, times_r.breaks(),
                      [times_r, n = std::sqrt(norm2)](double r) { return over_r(times_r, r) / n; });
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
    channels_.push_back({channel.l, {}, std::move(channel.h)});
    for (auto& values : channel.r_projectors) {
      const RadialFunction p = times_r_on_mesh(data.r, std::move(values), channel.l);
      auto transform = transform_of(channel.l, data.r, p.breaks(), [p](double r) { return over_r(p, r); });
      channels_.back().projectors.push_back({p, std::move(transform)});
    }
  }
  if (!data.core.empty()) {
    const RadialFunction core = on_mesh(data.r, data.core, 0);
    core_ = transform_of(0, data.r, core.breaks(), core);
  }
  for (auto& orbital : data.orbitals) orbitals_.push_back(transform_of_orbital(data.r, std::move(orbital)));
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
  const Channel& found = channel(c);
  const auto n = found.projectors.size(), row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
  return 0.5 * (found.h[row * n + column] + found.h[column * n + row]);
}

double RadialPotential::projector(int c, int i, double g) const { return (*find(c, i).transform)(g); }

double RadialPotential::projector_slope(int c, int i, double g) const { return find(c, i).transform->derivative(g); }

double RadialPotential::projector_radial(int c, int i, double r) const {
  return r > find(c, i).times_r.r_max() ? 0.0 : over_r(find(c, i).times_r, r);
}

double RadialPotential::core_density(double g) const { return core_ ? (*core_)(g) : 0.0; }

double RadialPotential::core_density_slope(double g) const { return core_ ? core_->derivative(g) : 0.0; }

}  // namespace wavegrid
