#include "calculation/atomic_charges.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "terms/sphere_in_block.hpp"

namespace wavegrid {

namespace {

/// The density of a pseudo-atom up to a radius beyond which it has few electrons, linear in r^2 between points.
class SphericalDensity {
 public:
  explicit SphericalDensity(const PseudoAtom& atom) : radius_(radius_of(atom)) {
    const double step = radius_ * radius_ / intervals;
    inverse_step_ = 1 / step;
    for (int i = 0; i <= intervals; ++i) values_.push_back(value(atom, std::sqrt(i * step)));
  }
  [[nodiscard]] double radius() const { return radius_; }
  /// At r^2 = r2, electrons/bohr^3; 0 beyond the radius.
  [[nodiscard]] double operator()(double r2) const {
    const double at = r2 * inverse_step_;
    if (at >= intervals) return 0;
    const auto i = static_cast<std::size_t>(at);
    return values_[i] + (at - static_cast<double>(i)) * (values_[i + 1] - values_[i]);
  }

 private:
  static constexpr int intervals = 8192;
  static constexpr double outside = 1e-4;  ///< of the electrons that are beyond the radius

  static double radius_of(const PseudoAtom& atom) {
    std::vector<double> shells;
    for (std::size_t i = 0; i < atom.r.size(); ++i) shells.push_back(atom.r[i] * atom.r[i] * atom.density[i]);
    const double all = std::accumulate(shells.begin(), shells.end(), 0.0);
    double beyond = 0;
    std::size_t i = atom.r.size() - 1;
    while (i > 1 && beyond + shells[i] < outside * all) beyond += shells[i--];
    return atom.r[i];
  }
  static double value(const PseudoAtom& atom, double r) {
    const double at = r / atom.spacing;
    const auto i = std::min(static_cast<std::size_t>(at), atom.density.size() - 2);
    const double part = at - static_cast<double>(i);
    return std::max(0.0, (1 - part) * atom.density[i] + part * atom.density[i + 1]);
  }

  double radius_, inverse_step_ = 0;
  std::vector<double> values_;
};

/// Sums as integers: the same bits in any order, and so for any number of ranks. Electrons of an atom up to 2^15, to
/// 2^-48 each.
class ExactSum {
 public:
  ExactSum& operator+=(double value) {
    sum_ += static_cast<Index>(std::nearbyint(value * scale));
    return *this;
  }
  [[nodiscard]] Index bits() const { return sum_; }
  [[nodiscard]] static double value(Index bits) { return static_cast<double>(bits) / scale; }

 private:
  static constexpr double scale = 281474976710656.0;  // 2^48
  Index sum_ = 0;
};

/// The atoms as densities on this rank's block of the grid.
class AtomsOnGrid {
 public:
  AtomsOnGrid(const GridFft& grid, const Crystal& crystal, const std::vector<PseudoAtom>& atoms)
      : grid_(grid), crystal_(crystal) {
    for (const PseudoAtom& atom : atoms) densities_.emplace_back(atom);
  }

  /// The sum of the densities of all atoms, in their order. Local.
  [[nodiscard]] std::vector<double> sum() const {
    std::vector<double> on_grid(static_cast<std::size_t>(grid_.grid_size()), 0.0);
    for (const Atom& atom : crystal_.atoms)
      for_points(atom, [&](std::size_t i, double density) { on_grid[i] += density; });
    return on_grid;
  }

  /// For each atom the sum over all points of field times the atom's density, on all ranks. Collective.
  [[nodiscard]] std::vector<double> integrals(const std::vector<double>& field) const {
    std::vector<Index> sums;
    for (const Atom& atom : crystal_.atoms) {
      ExactSum sum;
      for_points(atom, [&](std::size_t i, double density) { sum += density * field[i]; });
      sums.push_back(sum.bits());
    }
    grid_.comm().sum(std::span<Index>(sums));
    std::vector<double> values(sums.size());
    std::transform(sums.begin(), sums.end(), values.begin(), ExactSum::value);
    return values;
  }

 private:
  template <class Action>
  void for_points(const Atom& atom, Action action) const {
    const SphericalDensity& density = densities_[static_cast<std::size_t>(atom.species)];
    const FftLayout& layout = grid_.layout();
    SphereInBlock(crystal_.lattice, {layout.grid, layout.x, layout.y}, atom.position, density.radius())
        .for_points([&](std::size_t i, double r2) { action(i, density(r2)); });
  }

  const GridFft& grid_;
  const Crystal& crystal_;
  std::vector<SphericalDensity> densities_;  ///< of each species
};

}  // namespace

AtomicCharges atomic_charges(GridFields& fields, const Problem& problem, const std::vector<PseudoAtom>& atoms,
                             const SpinCoefficients& density) {
  constexpr double least = 1e-12;  // electrons/bohr^3: where the atoms have less, the quotient would be noise
  GridFft& grid = fields.grid();
  const AtomsOnGrid on_grid(grid, problem.crystal, atoms);
  const std::vector<double> of_atoms = on_grid.sum();
  std::vector<std::vector<double>> found;  // electrons of each atom; their moments
  for (const auto& component : density) {
    std::vector<double> quotients = fields.to_values(component);
    for (std::size_t i = 0; i < quotients.size(); ++i)
      quotients[i] = of_atoms[i] > least ? quotients[i] / of_atoms[i] * grid.volume_element() : 0.0;
    found.push_back(on_grid.integrals(quotients));
  }
  AtomicCharges result;
  double electrons = 0, ions = 0;
  for (std::size_t a = 0; a < problem.crystal.atoms.size(); ++a) {
    const auto species = static_cast<std::size_t>(problem.crystal.atoms[a].species);
    const double valence = problem.pseudopotentials[species]->valence_charge();
    result.charges.push_back(valence - found[0][a]);
    electrons += found[0][a];
    ions += valence;
  }
  if (density.size() > 1) result.moments = std::move(found[1]);
  result.unassigned = ions - problem.charge - electrons;
  return result;
}

}  // namespace wavegrid
