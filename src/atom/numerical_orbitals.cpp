#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <wavegrid/atom/confinement.hpp>
#include <wavegrid/atom/numerical_orbitals.hpp>
#include <wavegrid/atom/radial_basis.hpp>
#include <wavegrid/atom/shells.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/linalg/lapack.hpp>

namespace wavegrid {

namespace {

constexpr double tail_norm = 0.15;           // of a level, beyond the radius where its second function ends
constexpr double polarisation_radius = 0.4;  // r_c of a polarisation function, as a share of that of levels
constexpr int largest_l = 3;                 // of real_ylm()

/// How a radial function comes from a level.
enum class FunctionKind {
  level,        ///< the level itself
  split,        ///< what it has inside beyond a smooth continuation of its tail
  polarisation  ///< its change in an electric field
};

/// A radial function to be made from the state `level` of angular momentum `from`.
struct Wanted {
  FunctionKind kind;
  int from, level;

  [[nodiscard]] int l() const { return kind == FunctionKind::polarisation ? from + 1 : from; }
};

std::vector<Wanted> wanted_functions(const Pseudopotential& pseudopotential, OrbitalSet set) {
  std::vector<Wanted> wanted;
  std::vector<int> last(largest_l + 1, -1);  // occupied level of each l
  int empty = 0;                             // lowest l > 0 of a level without electrons
  for (const Shell& shell : atomic_shells(pseudopotential))
    for (int level = 0; level < shell.num_levels; ++level) {
      if (!(shell.occupation(level) > 0)) {
        if (empty == 0) empty = shell.l;
        continue;
      }
      last[static_cast<std::size_t>(shell.l)] = level;
      wanted.push_back({FunctionKind::level, shell.l, level});
      if (set != OrbitalSet::minimal) wanted.push_back({FunctionKind::split, shell.l, level});
    }
  if (set != OrbitalSet::double_zeta_polarised) return wanted;
  int from = largest_l;
  while (from > 0 && last[static_cast<std::size_t>(from)] < 0) --from;
  if (empty > 0) from = empty - 1;
  if (from < largest_l && last[static_cast<std::size_t>(from)] >= 0)
    wanted.push_back({FunctionKind::polarisation, from, last[static_cast<std::size_t>(from)]});
  return wanted;
}

/// From R(r) of a level to R(r) - r^l (a - b r^2) inside the radius beyond which a share `tail_norm` of its norm is,
/// and 0 outside; the two parts have the same value and slope there.
RadialValues split(const RadialValues& radial, int l, const RadialValues& r) {
  double beyond = 0;
  std::size_t p = radial.size() - 2;
  for (; p > 2; --p) {
    beyond += RadialGrid::spacing * r[p] * r[p] * radial[p] * radial[p];
    if (beyond > tail_norm) break;
  }
  const double end = r[p], value = radial[p];
  const double slope = (radial[p + 1] - radial[p - 1]) / (2 * RadialGrid::spacing);
  const double b = (l * value / end - slope) / (2 * std::pow(end, l + 1));
  const double a = value / std::pow(end, l) + b * end * end;
  RadialValues inner(radial.size(), 0.0);
  for (std::size_t i = 0; i < p; ++i) inner[i] = radial[i] - std::pow(r[i], l) * (a - b * r[i] * r[i]);
  return inner;
}

/// The levels of an atom whose potential is fixed, in any confinement.
class FixedAtom {
 public:
  FixedAtom(const Pseudopotential& pseudopotential, const PseudoAtom& atom, const LocalXc& xc)
      : pseudopotential_(pseudopotential), potential_(screen(grid_, xc, atom.density, atom.density).potential) {
    for (std::size_t p = 1; p < potential_.size(); ++p) potential_[p] += pseudopotential.local_radial(grid_.r()[p]);
  }

  [[nodiscard]] RadialValues function(const Wanted& wanted, double radius) const {
    const States from = states(wanted.from, radius);
    const RadialValues level = from.basis.combine(from.coefficients(wanted.level));
    if (wanted.kind == FunctionKind::level) return level;
    if (wanted.kind == FunctionKind::split) return split(level, wanted.from, grid_.r());
    return polarised(level, from.energies[static_cast<std::size_t>(wanted.level)], wanted.l(),
                     radius * polarisation_radius);
  }

 private:
  /// All states of an angular momentum in a confinement.
  struct States {
    RadialBasis basis;
    Matrix<double> vectors;
    std::vector<double> energies;  ///< Ha

    [[nodiscard]] std::span<const double> coefficients(int level) const {
      return {&vectors(0, level), static_cast<std::size_t>(basis.size())};
    }
  };

  [[nodiscard]] States states(int l, double radius) const {
    States found{RadialBasis(grid_, l), {}, {}};
    const RadialBasis& basis = found.basis;
    Matrix<double>& h = found.vectors;
    h = basis.kinetic();
    RadialValues confined(potential_);
    for (std::size_t p = 1; p < confined.size(); ++p) confined[p] += confinement(grid_.r()[p], radius);
    basis.add_potential(confined, h);
    add_nonlocal(basis, l, h);
    found.energies.resize(static_cast<std::size_t>(basis.size()));
    lapack::eigen_in_place(basis.size(), h.data(), basis.size(), found.energies.data());
    return found;
  }

  /// The radial part of l of a level's change in a field, (H - eps) R' = -r R, normalised.
  [[nodiscard]] RadialValues polarised(const RadialValues& level, double energy, int l, double radius) const {
    const States found = states(l, radius);
    RadialValues source(level);
    for (std::size_t p = 0; p < source.size(); ++p) source[p] *= -grid_.r()[p];
    const std::vector<double> force = found.basis.overlaps(source);
    std::vector<double> sum(force.size(), 0.0);
    for (std::size_t k = 0; k < found.energies.size(); ++k) {
      if (found.energies[k] <= energy) continue;  // occupied: the basis has it
      const std::span<const double> state = found.coefficients(static_cast<int>(k));
      double along = 0;
      for (std::size_t i = 0; i < sum.size(); ++i) along += state[i] * force[i];
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += along / (found.energies[k] - energy) * state[i];
    }
    return found.basis.combine(sum);
  }

  /// Adds sum_ij |p_i> h_ij <p_j|.
  void add_nonlocal(const RadialBasis& basis, int l, Matrix<double>& h) const {
    for (int c = 0; c < pseudopotential_.num_channels(); ++c) {
      if (pseudopotential_.channel_l(c) != l) continue;
      std::vector<std::vector<double>> overlaps;
      for (int i = 0; i < pseudopotential_.num_projectors(c); ++i) {
        RadialValues projector(potential_.size());
        for (std::size_t p = 1; p < projector.size(); ++p)
          projector[p] = pseudopotential_.projector_radial(c, i, grid_.r()[p]);
        overlaps.push_back(basis.overlaps(projector));
      }
      for (std::size_t i = 0; i < overlaps.size(); ++i)
        for (std::size_t j = 0; j < overlaps.size(); ++j) {
          const double coupling = pseudopotential_.coupling(c, static_cast<int>(i), static_cast<int>(j));
          for (Index k = 0; k < basis.size(); ++k)
            for (Index m = 0; m < basis.size(); ++m)
              h(m, k) += overlaps[i][static_cast<std::size_t>(m)] * coupling * overlaps[j][static_cast<std::size_t>(k)];
        }
    }
  }

  const Pseudopotential& pseudopotential_;
  RadialGrid grid_;
  RadialValues potential_;  ///< V_ion + V_H + v_xc, Ha
};

/// Scales R to int r^2 R^2 dr = 1.
void normalise(RadialValues& radial) {
  const RadialGrid grid;
  const double norm = std::sqrt(grid.integrate(radial, radial) / (4 * units::pi));
  for (double& value : radial) value /= norm;
}

}  // namespace

std::vector<NumericalOrbital> make_numerical_orbitals(const Pseudopotential& pseudopotential, const PseudoAtom& atom,
                                                      const LocalXc& xc, const LocalOrbitals& options) {
  if (const AugmentedDataset* dataset = pseudopotential.augmented(); dataset != nullptr)
    throw bad_input("numerical orbitals of " + pseudopotential.element() + ": its pseudopotential is " +
                    dataset->kind() + "; valid: a norm-conserving one");
  const FixedAtom fixed(pseudopotential, atom, xc);
  std::vector<NumericalOrbital> orbitals;
  for (const Wanted& one : wanted_functions(pseudopotential, options.set)) {
    RadialValues radial = fixed.function(one, options.radius);
    normalise(radial);
    orbitals.push_back(
        {one.l(), std::make_shared<const RadialTransform>(one.l(), RadialGrid::spacing, std::span(radial).subspan(1)),
         atom.largest_g()});
  }
  return orbitals;
}

Index count_numerical_orbitals(const Pseudopotential& pseudopotential, OrbitalSet set) {
  Index count = 0;
  for (const Wanted& one : wanted_functions(pseudopotential, set)) count += 2 * one.l() + 1;
  return count;
}

Index count_numerical_orbitals(const Crystal& crystal, const Pseudopotentials& pseudopotentials, OrbitalSet set) {
  Index count = 0;
  for (const Atom& atom : crystal.atoms)
    count += count_numerical_orbitals(*pseudopotentials[static_cast<std::size_t>(atom.species)], set);
  return count;
}

}  // namespace wavegrid
