#include "terms/effective_potential.hpp"

#include <numeric>

#include "terms/hartree.hpp"
#include "terms/potential_cut.hpp"

namespace wavegrid {

EffectivePotential::EffectivePotential(GridFft& grid, Xc xc, const Crystal& crystal, const Pseudopotentials& atoms,
                                       double ecut)
    : grid_(grid),
      xc_(std::move(xc)),
      inside_(inside_potential_cut(grid.waves(), grid.grid(), ecut)),
      local_(local_potential(grid.waves(), inside_, crystal, atoms)) {}

EffectivePotential::DensityEnergies EffectivePotential::energies(const std::vector<std::complex<double>>& coefficients,
                                                                 const std::vector<double>& values) const {
  std::vector<double> exc(values.size()), vxc(values.size());
  xc_.evaluate(values, exc, vxc);
  double local = 0;
  for (std::size_t i = 0; i < coefficients.size(); ++i) local += (std::conj(local_[i]) * coefficients[i]).real();
  const Comm& comm = grid_.comm();
  return {hartree_energy(coefficients), grid_.volume_element() * comm.sum(std::accumulate(exc.begin(), exc.end(), 0.0)),
          grid_.waves().lattice().volume() * comm.sum(local)};
}

std::vector<double> EffectivePotential::potential(const std::vector<std::complex<double>>& coefficients,
                                                  const std::vector<double>& values) {
  std::vector<std::complex<double>> smooth = hartree_potential(grid_.waves(), inside_, coefficients);
  for (std::size_t i = 0; i < smooth.size(); ++i) smooth[i] += local_[i];
  std::vector<double> potential = grid_.to_real(smooth);
  std::vector<double> exc(values.size()), vxc(values.size());
  xc_.evaluate(values, exc, vxc);
  for (std::size_t i = 0; i < potential.size(); ++i) potential[i] += vxc[i];
  return potential;
}

double EffectivePotential::hartree_energy(const std::vector<std::complex<double>>& difference) const {
  return wavegrid::hartree_energy(grid_.comm(), grid_.waves(), inside_, difference);
}

}  // namespace wavegrid
