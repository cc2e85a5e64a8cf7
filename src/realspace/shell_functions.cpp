#include <algorithm>
#include <cmath>
#include <utility>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/spherical_bessel.hpp>
#include <wavegrid/realspace/shell_functions.hpp>

namespace wavegrid {

namespace {

constexpr double largest_shell_radius = 16, spacing_of_radii = 0.02;  // bohr
constexpr double inside = 0.8;                                        // share of the radius where m = 1

/// From 1 at 0 to 0 at 1, with two derivatives that are 0 at both ends.
double smooth_step(double x) {
  const double t = std::clamp(x, 0.0, 1.0);
  return 1 - t * t * t * (10 - 15 * t + 6 * t * t);
}

/// f with m = 1, at multiples of the spacing.
std::vector<double> without_mask(const Pseudopotential& atom, const SpeciesOrbital& orbital, const WaveLimits& limits) {
  constexpr double step = 0.05;  // 1/bohr: functions that end before 60 bohr
  std::vector<double> terms;
  for (double g = step; g < limits.outer; g += step)
    terms.push_back(smooth_step((g - limits.inner) / (limits.outer - limits.inner)) * step * g * g *
                    atom.orbital(orbital.number, g) / (2.0 * units::pi * units::pi * orbital.norm));
  std::vector<double> values, bessel(static_cast<std::size_t>(orbital.l) + 1);
  for (double r = 0; r < largest_shell_radius + spacing_of_radii; r += spacing_of_radii) {
    double& sum = values.emplace_back();
    for (std::size_t n = 0; n < terms.size(); ++n) {
      spherical_bessel(static_cast<double>(n + 1) * step * r, bessel);
      sum += bessel.back() * terms[n];
    }
  }
  return values;
}

/// Where r f begins to stay below a share of its maximum.
double end_of(const std::vector<double>& values) {
  constexpr double share = 1e-4;
  const auto size = [&](std::size_t i) { return static_cast<double>(i) * std::abs(values[i]); };
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) largest = std::max(largest, size(i));
  std::size_t end = values.size();
  while (end > 1 && size(end - 1) < share * largest) --end;
  return static_cast<double>(end) * spacing_of_radii;
}

}  // namespace

MeshFunctions shell_functions(const Pseudopotential& atom, const std::vector<SpeciesOrbital>& orbitals,
                              const WaveLimits& limits) {
  MeshFunctions found;
  std::vector<std::vector<double>> values;
  for (const SpeciesOrbital& one : orbitals) {
    values.push_back(without_mask(atom, one, limits));
    found.radius = std::max(found.radius, std::min(end_of(values.back()) / inside, largest_shell_radius));
  }
  for (std::size_t n = 0; n < orbitals.size(); ++n) {
    std::vector<double> r, masked;
    for (std::size_t i = 0; static_cast<double>(i) * spacing_of_radii < found.radius; ++i) {
      r.push_back(static_cast<double>(i) * spacing_of_radii);
      masked.push_back(smooth_step((r.back() / found.radius - inside) / (1 - inside)) * values[n][i]);
    }
    found.all.push_back({orbitals[n].l, RadialFunction(r, masked, orbitals[n].l)});
  }
  return found;
}

}  // namespace wavegrid
