#include <algorithm>
#include <cmath>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/hamiltonian/combined_orbitals.hpp>
#include <wavegrid/hamiltonian/small_products.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>

namespace wavegrid {

namespace {

bool are_orthogonalised(const Pseudopotentials& atoms) {
  return std::any_of(atoms.begin(), atoms.end(), [](const auto& atom) {
    return atom->hubbard() != nullptr && atom->hubbard()->orbitals == HubbardOrbitals::ortho_atomic;
  });
}

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
    for (const int atom : crystal.species_atoms(species))
      for (const SpeciesOrbital& orbital : orbitals[kind])
        for (int m = 0; m <= 2 * orbital.l; ++m, ++at) {
          if (!orbital.is_shell) continue;
          out.shell_orbitals.push_back(at);
          out.shell_projectors.push_back(atom_projectors[static_cast<std::size_t>(atom)].begin +
                                         atoms[kind]->hubbard()->first + m);
        }
  }
}

/// Sets eigenvalues and vectors of O.
template <class S>
void diagonalise(Matrix<S> o, CombinedOrbitals<S>& out) {
  constexpr double smallest = 1e-6;
  const Index n = o.rows();
  out.values.resize(static_cast<std::size_t>(n));
  Matrix<DoubleOf<S>> in_double = converted<DoubleOf<S>>(std::move(o)), vectors(n, n);
  lapack::eigen<DoubleOf<S>>(n, in_double.data(), n, n, out.values.data(), vectors.data(), n);
  out.vectors = converted<S>(std::move(vectors));
  if (!(out.values.front() > smallest))
    throw bad_input("DFT+U: the orbitals of the atoms are linearly dependent: an eigenvalue of their overlap is " +
                    to_text(out.values.front()) + "; valid: projectors = \"atomic\", or a larger cutoff");
}

}  // namespace

std::vector<std::vector<SpeciesOrbital>> combined_orbitals(const Pseudopotentials& atoms) {
  const bool all = are_orthogonalised(atoms);
  std::vector<std::vector<SpeciesOrbital>> found;
  for (const auto& atom : atoms) {
    std::vector<SpeciesOrbital>& orbitals = found.emplace_back();
    if (all && atom->num_orbitals() == 0)
      throw bad_input("DFT+U: the pseudopotential of " + atom->element() +
                      " holds no orbitals, which projectors = \"ortho-atomic\" needs of all atoms; valid: a UPF file "
                      "with PP_PSWFC, or projectors = \"atomic\"");
    for (int i = 0; i < atom->num_orbitals(); ++i) {
      const bool is_shell = atom->hubbard() != nullptr && atom->hubbard()->orbital == i;
      if (all || is_shell) orbitals.push_back({i, atom->orbital_l(i), overlap_norm(*atom, i), is_shell});
    }
  }
  return found;
}

template <class S>
Matrix<S> shell_columns(const CombinedOrbitals<S>& of) {
  const Index size = of.orbitals.count();
  Matrix<S> w(size, std::ssize(of.shell_orbitals));
  for (Index j = 0; j < w.columns(); ++j) {
    const Index column = of.shell_orbitals[static_cast<std::size_t>(j)];
    if (of.values.empty()) {
      w(column, j) = S(1);
      continue;
    }
    for (Index e = 0; e < size; ++e) {
      const S factor = conjugate(of.vectors(column, e)) *
                       static_cast<RealOf<S>>(1.0 / std::sqrt(of.values[static_cast<std::size_t>(e)]));
      for (Index i = 0; i < size; ++i) w(i, j) += of.vectors(i, e) * factor;
    }
  }
  return w;
}

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
    diagonalise(std::move(o), out);
  }
  const Matrix<S> w = shell_columns(out);
  Bands<S> h(projectors.rows, w.columns());
  rotate<S>(product, phi, w, h.view());
  if (charges != nullptr) rotate<S>(product, projectors, times(with_q, w), h.view(), true);
  for (Index j = 0; j < w.columns(); ++j)
    std::copy_n(h.view().band(j), projectors.rows, projectors.band(out.shell_projectors[static_cast<std::size_t>(j)]));
  return out;
}

#define WAVEGRID_INSTANTIATE(S)                                                                               \
  template Matrix<S> shell_columns<S>(const CombinedOrbitals<S>&);                                            \
  template CombinedOrbitals<S> combine_orbitals<S>(const InnerProduct&, const PlaneWaves&, const Vec3&,       \
                                                   const Crystal&, const Pseudopotentials&, const Couplings*, \
                                                   const std::vector<Range>&, BandView<S>);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
