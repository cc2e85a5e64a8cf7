#include "calculation/carry_over.hpp"

#include <cmath>
#include <utility>

#include "calculation/initial_density.hpp"
#include "wavefunctions/wave_transfer.hpp"

namespace wavegrid {

namespace {

constexpr double position_tolerance = 1e-9;  ///< tolerance: bohr for lattice vectors, fractional coordinates for atoms

}  // namespace

bool same_elements(const Crystal& a, const Crystal& b) {
  if (a.num_atoms() != b.num_atoms()) return false;
  for (int i = 0; i < a.num_atoms(); ++i)
    if (a.element(i) != b.element(i)) return false;
  return true;
}

bool same_cell(const Lattice& a, const Lattice& b) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (std::abs(a.vectors()[i][j] - b.vectors()[i][j]) > position_tolerance) return false;
  return true;
}

bool same_positions(const Crystal& a, const Crystal& b) {
  for (std::size_t i = 0; i < a.atoms.size(); ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double apart = a.atoms[i].position[j] - b.atoms[i].position[j];
      if (std::abs(apart - std::round(apart)) > position_tolerance) return false;
    }
  return true;
}

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

void normalise_density(GridFields& fields, double electrons, SpinCoefficients& density) {
  const PlaneWaves& box = fields.grid().waves();
  if (const Index zero = box.zero(); zero >= 0)
    density[0][static_cast<std::size_t>(zero)] = electrons / box.lattice().volume();
  if (!fields.has_symmetry()) return;
  for (auto& component : density) fields.symmetrise(component);
}

std::optional<BandOrigin> origin_of(const Vec3& k, const std::vector<KPoint>& earlier, const SpaceGroup& group) {
  const auto count = static_cast<int>(earlier.size());
  for (int i = 0; i < count; ++i)
    if (auto map = map_between(earlier[static_cast<std::size_t>(i)].k, k, SymmetryOperation{}, false))
      return BandOrigin{i, *map};
  for (int i = 0; i < count; ++i)
    if (auto map = map_between(earlier[static_cast<std::size_t>(i)].k, k, group)) return BandOrigin{i, *map};
  return std::nullopt;
}

}  // namespace wavegrid
