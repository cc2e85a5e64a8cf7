#include <algorithm>
#include <utility>

#include <wavegrid/planewaves/moved_density.hpp>
#include <wavegrid/planewaves/superposed_density.hpp>
#include <wavegrid/wavefunctions/wave_transfer.hpp>

namespace wavegrid {

SpinCoefficients density_change(const GridFft& grid, const Crystal& crystal, SpinCoefficients density,
                                const std::vector<PseudoAtom>& atoms) {
  const GridFft::Coefficients superposed = superposed_density(grid.waves(), crystal, atoms);
  for (std::size_t i = 0; i < superposed.size(); ++i) density[0][i] -= superposed[i];
  return density;
}

SpinCoefficients moved_density(const GridFft& from, const GridFft& to, SpinCoefficients density) {
  if (&from == &to) return density;
  WaveTransfer transfer(to.comm(), WaveList{.g = from.waves().g()}, WaveList{.g = to.waves().g()});
  const double scale = from.waves().lattice().volume() / to.waves().lattice().volume();
  for (auto& component : density) {
    GridFft::Coefficients moved(static_cast<std::size_t>(to.waves().size()));
    transfer.forward(component.data(), moved.data());
    for (auto& value : moved) value *= scale;
    component = std::move(moved);
  }
  return density;
}

SpinCoefficients carried_density(const GridFft& grid, const Crystal& crystal, SpinCoefficients superposed,
                                 EarlierDensity earlier, const std::vector<PseudoAtom>& atoms) {
  Crystal before = crystal;  // its species have the order of `atoms`
  before.lattice = earlier.crystal.lattice;
  for (std::size_t a = 0; a < before.atoms.size(); ++a) before.atoms[a].position = earlier.crystal.atoms[a].position;
  const SpinCoefficients change =
      moved_density(earlier.grid, grid, density_change(earlier.grid, before, std::move(earlier.density), atoms));
  for (std::size_t c = 0; c < std::min(change.size(), superposed.size()); ++c) {
    if (c > 0) std::fill(superposed[c].begin(), superposed[c].end(), 0.0);
    for (std::size_t i = 0; i < change[c].size(); ++i) superposed[c][i] += change[c][i];
  }
  return superposed;
}

}  // namespace wavegrid
