#include "calculation/carry_over.hpp"

#include <cmath>
#include <utility>

#include "calculation/initial_density.hpp"
#include "wavefunctions/wave_transfer.hpp"

namespace wavegrid {

namespace {

constexpr double position_tolerance = 1e-9;  ///< tolerance: bohr for lattice vectors, fractional coordinates for atoms

/// Moves coefficients from one box to another by Miller index; those that the target lacks are dropped.
class BoxTransfer {
 public:
  BoxTransfer(const GridFft& from, const GridFft& to) : from_(from), to_(to) {
    if (&from != &to) transfer_.emplace(to.comm(), WaveList{.g = from.waves().g()}, WaveList{.g = to.waves().g()});
  }
  [[nodiscard]] GridFft::Coefficients operator()(GridFft::Coefficients values) {
    if (!transfer_) return values;
    GridFft::Coefficients moved(static_cast<std::size_t>(to_.waves().size()));
    transfer_->forward(values.data(), moved.data());
    const double scale = from_.waves().lattice().volume() / to_.waves().lattice().volume();
    for (auto& value : moved) value *= scale;
    return moved;
  }

 private:
  const GridFft &from_, &to_;
  std::optional<WaveTransfer> transfer_;
};

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

SpinCoefficients carried_density(const GridFft& grid, const Crystal& crystal, SpinCoefficients superposed,
                                 EarlierDensity earlier, const std::vector<PseudoAtom>& atoms) {
  Crystal before = crystal;  // its species have the order of `atoms`
  before.lattice = earlier.crystal.lattice;
  for (std::size_t a = 0; a < before.atoms.size(); ++a) before.atoms[a].position = earlier.crystal.atoms[a].position;
  const GridFft::Coefficients old_atoms = superposed_density(earlier.grid.waves(), before, atoms);
  for (std::size_t i = 0; i < old_atoms.size(); ++i) earlier.density[0][i] -= old_atoms[i];
  BoxTransfer transfer(earlier.grid, grid);
  const std::size_t components = std::min(earlier.density.size(), superposed.size());
  for (std::size_t c = 0; c < components; ++c) {
    GridFft::Coefficients moved = transfer(std::move(earlier.density[c]));
    if (c > 0) std::fill(superposed[c].begin(), superposed[c].end(), 0.0);
    for (std::size_t i = 0; i < moved.size(); ++i) superposed[c][i] += moved[i];
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
