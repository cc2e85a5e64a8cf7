#include <algorithm>
#include <cmath>
#include <numeric>

#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/terms/core_density.hpp>
#include <wavegrid/terms/structure_derivatives.hpp>

namespace wavegrid {
namespace {

/// This rank's G by ascending length.
std::vector<std::size_t> by_length(const PlaneWaves& box) {
  std::vector<std::size_t> order(box.kinetic().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return box.kinetic()[a] < box.kinetic()[b]; });
  return order;
}

/// |G|^2/2 rounded to 1e-11: the same for all G of a shell, in spite of rounding errors, and on every rank.
double of_shell(double kinetic) {
  int exponent = 0;
  const double mantissa = std::frexp(kinetic, &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, 36)), exponent - 36);
}

using RadialMember = double (Pseudopotential::*)(double) const;

/// rho_core(|G|) or its derivative at every G, with one call per shell, because the function may be an integral.
std::vector<double> on_shells(const Pseudopotential& atom, const PlaneWaves& box, const std::vector<std::size_t>& order,
                              RadialMember function = &Pseudopotential::core_density) {
  std::vector<double> values(order.size());
  double shell = -1, value = 0;
  for (const std::size_t i : order) {
    const double kinetic = of_shell(box.kinetic()[i]);
    if (kinetic != shell) {
      shell = kinetic;
      value = (atom.*function)(std::sqrt(2.0 * kinetic));
    }
    values[i] = value;
  }
  return values;
}

/// The potential times a radial function of each species that has a core density.
SpeciesWeights times_radial(const PlaneWaves& box, const Pseudopotentials& atoms,
                            const GridFft::Coefficients& potential, RadialMember function) {
  return [&box, &atoms, &potential, function, order = by_length(box)](int species) {
    const Pseudopotential& atom = *atoms[static_cast<std::size_t>(species)];
    GridFft::Coefficients weights;
    if (!atom.has_core_density()) return weights;
    weights = potential;
    const std::vector<double> radial = on_shells(atom, box, order, function);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= radial[i];
    return weights;
  };
}

}  // namespace

std::vector<std::complex<double>> core_density(const PlaneWaves& box, const Crystal& crystal,
                                               const Pseudopotentials& atoms) {
  std::vector<std::complex<double>> density;
  std::vector<std::size_t> order;
  for (int species = 0; species < crystal.num_species(); ++species) {
    const Pseudopotential& atom = *atoms[static_cast<std::size_t>(species)];
    if (!atom.has_core_density()) continue;
    if (density.empty()) {
      density.resize(static_cast<std::size_t>(box.size()));
      order = by_length(box);
    }
    const std::vector<double> radial = on_shells(atom, box, order);
    const auto factor = structure_factor(box, crystal, species);
    for (std::size_t i = 0; i < density.size(); ++i) density[i] += radial[i] / crystal.lattice.volume() * factor[i];
  }
  return density;
}

std::vector<Vec3> core_forces(const GridFft& grid, const Crystal& crystal, const Pseudopotentials& atoms,
                              const GridFft::Coefficients& potential) {
  return structure_forces(grid, crystal, times_radial(grid.waves(), atoms, potential, &Pseudopotential::core_density));
}

Mat3 core_strain(const GridFft& grid, const Crystal& crystal, const Pseudopotentials& atoms,
                 const GridFft::Coefficients& potential) {
  return structure_strain(grid, crystal,
                          times_radial(grid.waves(), atoms, potential, &Pseudopotential::core_density_slope));
}

}  // namespace wavegrid
