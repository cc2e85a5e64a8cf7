#include <algorithm>

#include <wavegrid/basis/spherical_harmonics.hpp>
#include <wavegrid/discretisation/initial_spinors.hpp>
#include <wavegrid/eigen/lowest_in_span.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/pseudo/radial_function.hpp>
#include <wavegrid/realspace/mesh_orbitals.hpp>
#include <wavegrid/wavefunctions/spinor_rotation.hpp>

namespace wavegrid {

namespace {

constexpr double initial_reach = 8;  ///< bohr, of orbitals for initial wave functions

Index count_orbitals(const Crystal& crystal, const std::vector<PseudoAtom>& atoms) {
  Index count = 0;
  if (!atoms.empty())
    for (const Atom& atom : crystal.atoms)
      for (const PseudoAtom::Orbital& orbital : atoms[static_cast<std::size_t>(atom.species)].orbitals)
        count += 2 * orbital.l + 1;
  return count;
}

/// Adds the orbitals R(r) Y_lm of one atom to consecutive bands, from `first` on. Local.
template <class S>
Index add_orbitals(const Vec3& kpoint, const PseudoAtom& atom, const NearPoints& near, Index first,
                   BandView<S> functions) {
  for (const PseudoAtom::Orbital& orbital : atom.orbitals) {
    const RadialFunction radial(atom.r, orbital.radial, orbital.l);
    for (std::size_t p = 0; p < near.points.size(); ++p) {
      const S value = image_phase<S>(kpoint, near.images[p]) * radial(norm(near.distances[p]));
      for (int m = 0; m <= 2 * orbital.l; ++m)
        functions.band(first + m)[near.points[p]] += value * real_ylm(orbital.l, m, near.distances[p]);
    }
    first += 2 * orbital.l + 1;
  }
  return first;
}

/// Adds a small random vector to each band: orbitals alone leave out whole symmetries, whose states a solver would
/// never find.
template <class S>
void break_symmetry(KohnShamOperator<S>& h, int components, BandView<S> bands) {
  constexpr double amount = 0.01;
  constexpr Index first_key = Index{1} << 41;
  Bands<S> noise(bands.rows, bands.count);
  const std::vector<S> amounts(static_cast<std::size_t>(bands.count), S(amount));
  h.fill_random(first_key, noise.view(), RandomSpectrum::smooth);
  keep_one_spin(components, noise.view());
  normalise<S>(h.product(), noise.view());
  add_scaled<S>(std::as_const(noise).view(), amounts.data(), bands);
}

}  // namespace

template <class S>
void place_on_atoms(const Mesh& mesh, const Vec3& kpoint, const Crystal& crystal, const std::vector<PseudoAtom>& atoms,
                    double reach, BandView<S> functions) {
  std::fill_n(functions.data, functions.rows * functions.count, S(0));
  Index first = 0;
  for (int species = 0; species < crystal.num_species(); ++species)
    for (int a = 0; a < crystal.num_atoms(); ++a)
      if (crystal.atoms[static_cast<std::size_t>(a)].species == species)
        first = add_orbitals<S>(kpoint, atoms[static_cast<std::size_t>(species)],
                                points_near(mesh, crystal.cartesian(a), reach), first, functions);
}

template <class S>
EigenState<S> initial_bands(KohnShamOperator<S>& h, const Mesh& mesh, const Vec3& kpoint, const Crystal& crystal,
                            const std::vector<PseudoAtom>& atoms, Index bands, int components, const Vec3& spin_axis) {
  const Index functions_of_atoms = count_orbitals(crystal, atoms), orbitals = functions_of_atoms * components;
  Bands<S> functions(h.rows(), std::max(orbitals, bands));
  if (orbitals > 0)
    place_on_atoms<S>(mesh, kpoint, crystal, atoms, initial_reach,
                      functions.view().split(components).slice(0, functions_of_atoms));
  if (components > 1) spread_over_components<S>(functions_of_atoms, components, functions.view());
  const BandView<S> others = functions.view().slice(orbitals, functions.count() - orbitals);
  h.fill_random(0, others, RandomSpectrum::smooth);
  keep_one_spin(components, others);
  normalise<S>(h, functions.view());
  break_symmetry<S>(h, components, functions.view().slice(0, orbitals));
  if (components > 1) rotate_components<S>(rotation_from_z(spin_axis), functions.view());
  return lowest_in_span<S>(h, std::move(functions), bands);
}

#define WAVEGRID_INSTANTIATE(S)                                                                                     \
  template void place_on_atoms<S>(const Mesh&, const Vec3&, const Crystal&, const std::vector<PseudoAtom>&, double, \
                                  BandView<S>);                                                                     \
  template EigenState<S> initial_bands<S>(KohnShamOperator<S>&, const Mesh&, const Vec3&, const Crystal&,           \
                                          const std::vector<PseudoAtom>&, Index, int, const Vec3&);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
