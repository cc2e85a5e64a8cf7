#include "terms/effective_potential.hpp"

#include <algorithm>
#include <utility>

#include "terms/core_density.hpp"
#include "terms/hartree.hpp"
#include "terms/potential_cut.hpp"

namespace wavegrid {

EffectivePotential::EffectivePotential(GridFft& grid, Xc xc, const Crystal& crystal, const Pseudopotentials& atoms,
                                       double ecut)
    : grid_(grid),
      xc_(grid, std::move(xc), core_density(grid.waves(), crystal, atoms)),
      inside_(inside_potential_cut(grid.waves(), grid.grid(), ecut)),
      local_(local_potential(grid.waves(), inside_, crystal, atoms)) {}

double EffectivePotential::bytes(const Xc& xc, const Pseudopotentials& atoms, Index waves, Index points) {
  const bool core = std::any_of(atoms.begin(), atoms.end(), [](const auto& atom) { return atom->has_core_density(); });
  return static_cast<double>(waves) * (sizeof(char) + sizeof(std::complex<double>)) +
         XcPotential::bytes(xc, core, waves, points);
}

double EffectivePotential::potential_bytes(const Xc& xc, Index waves, Index points) {
  const double xc_part = XcPotential::evaluation_bytes(xc, waves, points);
  const double smooth = static_cast<double>(waves) * sizeof(std::complex<double>) +
                        (1.0 + xc.spins()) * static_cast<double>(points) * sizeof(double);
  return std::max(xc_part, smooth);
}

EffectivePotential::DensityEnergies EffectivePotential::energies(const SpinCoefficients& coefficients,
                                                                 const SpinFields& values) const {
  const double xc = xc_.energy(coefficients, values);
  const GridFft::Coefficients& total = coefficients[0];
  const double local = grid_.over_waves()([&](std::size_t i) { return (std::conj(local_[i]) * total[i]).real(); });
  return {hartree_energy(total), xc, grid_.waves().lattice().volume() * local};
}

SpinFields EffectivePotential::potential(const SpinCoefficients& coefficients, const SpinFields& values) {
  SpinFields potential = xc_.evaluate(coefficients, values).potential;
  GridFft::Coefficients smooth = hartree_potential(grid_.waves(), inside_, coefficients[0]);
  for (std::size_t i = 0; i < smooth.size(); ++i) smooth[i] += local_[i];
  const std::vector<double> both = grid_.to_real(smooth);
  for (std::vector<double>& channel : potential)
    std::transform(channel.begin(), channel.end(), both.begin(), channel.begin(), std::plus<>());
  return potential;
}

double EffectivePotential::hartree_energy(const GridFft::Coefficients& difference) const {
  return wavegrid::hartree_energy(grid_, inside_, difference);
}

}  // namespace wavegrid
