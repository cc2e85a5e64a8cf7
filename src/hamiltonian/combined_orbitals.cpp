#include <algorithm>
#include <cmath>
#include <utility>

#include <wavegrid/hamiltonian/combined_orbitals.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/linalg/small_products.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>

namespace wavegrid {

namespace {

/// The orbitals of each species at the origin, of norm <phi|S|phi> = 1.
std::vector<std::vector<CentredFunction>> centred_orbitals(const PlaneWaves& waves, const Pseudopotentials& atoms,
                                                           const std::vector<std::vector<SpeciesOrbital>>& orbitals) {
  std::vector<std::vector<CentredFunction>> all;
  for (std::size_t species = 0; species < atoms.size(); ++species) {
    std::vector<CentredFunction>& functions = all.emplace_back();
    for (const SpeciesOrbital& orbital : orbitals[species]) {
      std::vector<double> radial;
      for (const double t : waves.kinetic())
        radial.push_back(atoms[species]->orbital(orbital.number, std::sqrt(2.0 * t)) / orbital.norm);
      for (CentredFunction& function : centred_functions(waves, orbital.l, radial))
        functions.push_back(std::move(function));
    }
  }
  return all;
}

/// The numbers of the functions of shells among the orbitals, as they are placed, and among the projectors.
template <class S>
void set_shells(const Crystal& crystal, const Pseudopotentials& atoms,
                const std::vector<std::vector<SpeciesOrbital>>& orbitals, const std::vector<Range>& atom_projectors,
                CombinedOrbitals<S>& out) {
  Index at = 0;
  for (int species = 0; species < crystal.num_species(); ++species) {
    const auto kind = static_cast<std::size_t>(species);
    for (const int atom : crystal.species_atoms(species)) {
      Index projector = atom_projectors[static_cast<std::size_t>(atom)].begin +
                        num_projectors_per_atom(atoms[kind]->without_hubbard());  // shells are in the orbitals' order
      for (const SpeciesOrbital& orbital : orbitals[kind])
        for (int m = 0; m <= 2 * orbital.l; ++m, ++at) {
          if (!orbital.is_shell) continue;
          out.combination.shells.push_back(at);
          out.shell_projectors.push_back(projector++);
        }
    }
  }
}

}  // namespace

template <class S>
CombinedOrbitals<S> combine_orbitals(const InnerProduct& product, const PlaneWaves& waves, const Vec3& k,
                                     const Crystal& crystal, const Pseudopotentials& atoms, const Couplings* charges,
                                     const std::vector<Range>& atom_projectors, BandView<S> projectors) {
  const auto orbitals = combined_orbitals(atoms);
  const auto functions = centred_orbitals(waves, atoms, orbitals);
  Index count = 0;
  for (const Atom& atom : crystal.atoms) count += std::ssize(functions[static_cast<std::size_t>(atom.species)]);
  CombinedOrbitals<S> out;
  set_shells(crystal, atoms, orbitals, atom_projectors, out);
  out.combination.size = count;
  out.orbitals = Bands<S>(projectors.rows, count);
  place_on_atoms(waves, k, crystal, functions, coefficients(out.orbitals.view()));
  const BandView<const S> phi = std::as_const(out.orbitals).view();

  Matrix<S> with_q;  // q <p|phi>
  if (charges != nullptr) {
    out.overlaps = overlap<S>(product, projectors, phi);
    with_q = out.overlaps;
    charges->multiply(projections_in(with_q));
  }
  if (are_orthogonalised(atoms)) {
    Matrix<S> o = overlap<S>(product, phi, phi);
    if (charges != nullptr) add(1.0, times(adjoint(out.overlaps), with_q), o);
    orthogonalise(std::move(o), out.combination);
  }
  const Matrix<S> w = shell_columns(out.combination);
  Bands<S> h(projectors.rows, w.columns());
  rotate<S>(product, phi, w, h.view());
  if (charges != nullptr) rotate<S>(product, projectors, times(with_q, w), h.view(), true);
  for (Index j = 0; j < w.columns(); ++j)
    std::copy_n(h.view().band(j), projectors.rows, projectors.band(out.shell_projectors[static_cast<std::size_t>(j)]));
  return out;
}

#define WAVEGRID_INSTANTIATE(S)                                                                               \
  template CombinedOrbitals<S> combine_orbitals<S>(const InnerProduct&, const PlaneWaves&, const Vec3&,       \
                                                   const Crystal&, const Pseudopotentials&, const Couplings*, \
                                                   const std::vector<Range>&, BandView<S>);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
