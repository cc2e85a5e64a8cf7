#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <wavegrid/atom/confinement.hpp>
#include <wavegrid/atom/numerical_orbitals.hpp>
#include <wavegrid/atom/radial_basis.hpp>
#include <wavegrid/atom/shells.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/linalg/lapack.hpp>

namespace wavegrid {

namespace {

constexpr double second_radius = 0.6;        // r_c of the second function of a level, as a share of the first
constexpr double polarisation_radius = 0.8;  // of a polarisation function, likewise
constexpr int largest_l = 3;                 // of real_ylm()

/// A radial function to be made: the state `level` of angular momentum l in a confinement.
struct Wanted {
  int l, level;
  double radius;  ///< as a share of that of the set
};

std::vector<Wanted> wanted_functions(const Pseudopotential& pseudopotential, OrbitalSet set) {
  std::vector<Wanted> wanted;
  std::vector<Wanted> empty;
  int highest = 0;
  for (const Shell& shell : atomic_shells(pseudopotential))
    for (int level = 0; level < shell.num_levels; ++level) {
      if (!(shell.occupation(level) > 0)) {
        empty.push_back({shell.l, level, polarisation_radius});
        continue;
      }
      highest = std::max(highest, shell.l);
      wanted.push_back({shell.l, level, 1.0});
      if (set != OrbitalSet::minimal) wanted.push_back({shell.l, level, second_radius});
    }
  if (set != OrbitalSet::double_zeta_polarised) return wanted;
  if (empty.empty() && highest < largest_l) empty.push_back({highest + 1, 0, polarisation_radius});
  wanted.insert(wanted.end(), empty.begin(), empty.end());
  return wanted;
}

/// The levels of an atom whose potential is fixed, in any confinement.
class FixedAtom {
 public:
  FixedAtom(const Pseudopotential& pseudopotential, const PseudoAtom& atom, const LocalXc& xc)
      : pseudopotential_(pseudopotential), potential_(screen(grid_, xc, atom.density, atom.density).potential) {
    for (std::size_t p = 1; p < potential_.size(); ++p) potential_[p] += pseudopotential.local_radial(grid_.r()[p]);
  }

  /// R(r) of a state, int r^2 R^2 dr = 1.
  [[nodiscard]] RadialValues state(int l, int level, double radius) const {
    const RadialBasis basis(grid_, l);
    Matrix<double> h = basis.kinetic();
    RadialValues confined(potential_);
    for (std::size_t p = 1; p < confined.size(); ++p) confined[p] += confinement(grid_.r()[p], radius);
    basis.add_potential(confined, h);
    add_nonlocal(basis, l, h);
    std::vector<double> energies(static_cast<std::size_t>(basis.size()));
    lapack::eigen_in_place(basis.size(), h.data(), basis.size(), energies.data());
    return basis.combine({&h(0, level), static_cast<std::size_t>(basis.size())});
  }

 private:
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

}  // namespace

std::vector<NumericalOrbital> make_numerical_orbitals(const Pseudopotential& pseudopotential, const PseudoAtom& atom,
                                                      const LocalXc& xc, const LocalOrbitals& options) {
  if (const AugmentedDataset* dataset = pseudopotential.augmented(); dataset != nullptr)
    throw bad_input("numerical orbitals of " + pseudopotential.element() + ": its pseudopotential is " +
                    dataset->kind() + "; valid: a norm-conserving one");
  const FixedAtom fixed(pseudopotential, atom, xc);
  std::vector<NumericalOrbital> orbitals;
  for (const Wanted& one : wanted_functions(pseudopotential, options.set)) {
    const double radius = one.radius * options.radius;
    const RadialValues radial = fixed.state(one.l, one.level, radius);
    orbitals.push_back(
        {one.l, radius,
         std::make_shared<const RadialTransform>(one.l, RadialGrid::spacing, std::span(radial).subspan(1)),
         atom.largest_g()});
  }
  return orbitals;
}

Index count_numerical_orbitals(const Pseudopotential& pseudopotential, OrbitalSet set) {
  Index count = 0;
  for (const Wanted& one : wanted_functions(pseudopotential, set)) count += 2 * one.l + 1;
  return count;
}

Index count_numerical_orbitals(const Crystal& crystal, const Pseudopotentials& pseudopotentials, OrbitalSet set) {
  Index count = 0;
  for (const Atom& atom : crystal.atoms)
    count += count_numerical_orbitals(*pseudopotentials[static_cast<std::size_t>(atom.species)], set);
  return count;
}

}  // namespace wavegrid
