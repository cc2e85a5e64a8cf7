#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/orbitals/sampled_orbitals.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

PlaneWaves all_waves(const GSphere& sphere) {
  return {sphere, make_partition(Scheme::greedy, sphere.counts(), sphere.grid()[0], 1), 0};
}

}  // namespace

double orbital_window(double q, double ecut) {
  constexpr double flat = 0.9;
  const double x = q / std::sqrt(2.0 * ecut);
  if (x <= flat) return 1;
  if (x >= 1) return 0;
  const double c = std::cos(0.5 * units::pi * (x - flat) / (1 - flat));
  return c * c;
}

std::vector<CentredFunction> windowed_functions(const PlaneWaves& waves, double ecut,
                                                const std::vector<NumericalOrbital>& orbitals) {
  std::vector<CentredFunction> functions;
  for (const NumericalOrbital& orbital : orbitals) {
    std::vector<double> radial;
    for (const double kinetic : waves.kinetic()) {
      const double q = std::sqrt(2.0 * kinetic);
      radial.push_back(q > orbital.largest_g ? 0.0 : orbital_window(q, ecut) * (*orbital.transform)(q));
    }
    for (CentredFunction& function : centred_functions(waves, orbital.l, radial))
      functions.push_back(std::move(function));
  }
  return functions;
}

template <class S>
SampledOrbitals<S>::SampledOrbitals(const Lattice& lattice, const Int3& grid, double ecut, const Vec3& k,
                                    const std::vector<std::vector<NumericalOrbital>>& species, bool deterministic)
    : sphere_(lattice, ecut, grid, Mode::complex, k),
      waves_(all_waves(sphere_)),
      fft_(grid, deterministic ? PlanEffort::fixed : PlanEffort::estimate),
      work_(fft_.workspace()) {
  for (const auto& orbitals : species) functions_.push_back(windowed_functions(waves_, ecut, orbitals));
  for (const Int3& g : waves_.g())
    places_.push_back((Index{wrapped(g[0], grid[0])} * grid[1] + wrapped(g[1], grid[1])) * grid[2] +
                      wrapped(g[2], grid[2]));
}

template <class S>
void SampledOrbitals<S>::sample(int species, const Vec3& position, const Box& box, std::span<S> values) {
  constexpr std::size_t together = ScalarTraits<S>::is_real ? 2 : 1;  // two real functions are one complex one
  const std::vector<CentredFunction>& functions = functions_[static_cast<std::size_t>(species)];
  const auto points = static_cast<std::size_t>(box.points());
  const double scale = 1.0 / std::sqrt(sphere_.lattice().volume());
  std::vector<Complex> phases(places_.size()), grid(static_cast<std::size_t>(fft_.points()));
  atom_phases(waves_, position, phases.data(), sphere_.k());
  for (std::size_t f = 0; f < functions.size(); f += together) {
    const bool has_second = together == 2 && f + 1 < functions.size();
    std::fill(grid.begin(), grid.end(), Complex(0));
    for (std::size_t g = 0; g < places_.size(); ++g) {
      Complex c = functions[f][g];
      if (has_second) c += Complex(0, 1) * functions[f + 1][g];
      grid[static_cast<std::size_t>(places_[g])] = scale * phases[g] * c;
    }
    fft_.backward(grid.data(), work_);
    for_rows(box, fft_.grid(), [&](Index first, Index value, Index length) {
      for (Index i = 0; i < length; ++i) {
        const Complex u = grid[static_cast<std::size_t>(first + i)];
        const auto at = static_cast<std::size_t>(value + i);
        if constexpr (ScalarTraits<S>::is_real) {
          values[f * points + at] = u.real();
          if (has_second) values[(f + 1) * points + at] = u.imag();
        } else {
          values[f * points + at] = u;
        }
      }
    });
  }
}

template class SampledOrbitals<double>;
template class SampledOrbitals<Complex>;

}  // namespace wavegrid
