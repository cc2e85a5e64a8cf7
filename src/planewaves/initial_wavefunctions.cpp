#include <algorithm>

#include <wavegrid/discretisation/initial_spinors.hpp>
#include <wavegrid/eigen/lowest_in_span.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/planewaves/atomic_orbitals.hpp>
#include <wavegrid/planewaves/initial_wavefunctions.hpp>
#include <wavegrid/wavefunctions/spinor_rotation.hpp>

namespace wavegrid {

namespace {

/// Random vectors; of spinors those with an even number have spin up, the others spin down.
template <class S>
void fill_with_spin(Hamiltonian<S>& h, Index first_key, BandView<S> bands) {
  h.fill_random(first_key, bands);
  keep_one_spin(h.components(), bands);
}

/// Adds a small random vector to each band. Atomic orbitals leave out whole symmetries, whose states a solver would
/// never find from orbitals alone. In a perfect crystal the orbitals are also degenerate, so that rounding alone would
/// decide which of them become bands.
template <class S>
void break_symmetry(Hamiltonian<S>& h, BandView<S> bands) {
  constexpr double amount = 0.01;
  constexpr Index block = 32, first_key = Index{1} << 41;
  Bands<S> noise(bands.rows, std::min(block, bands.count));
  const std::vector<S> amounts(static_cast<std::size_t>(block), S(amount));
  for (Index first = 0; first < bands.count; first += block) {
    const BandView<S> part = noise.view().slice(0, std::min(block, bands.count - first));
    fill_with_spin(h, first_key + first, part);
    normalise<S>(h.product(), part);
    add_scaled<S>(part, amounts.data(), bands.slice(first, part.count));
  }
}

}  // namespace

template <class S>
double initial_bands_bytes(Index rows, Index functions, Index bands) {
  // Functions and H times them. In addition, first the basis, H in it with a copy, the identity and the vectors; then
  // X, the first two of these and two sets of vectors.
  const double square = Matrix<S>::bytes(functions, functions), vectors = Matrix<S>::bytes(functions, bands);
  return Bands<S>::bytes(rows, 2 * functions) + std::max(4 * square + vectors + lapack::eigen_bytes(functions),
                                                         Bands<S>::bytes(rows, bands) + 2 * square + 2 * vectors);
}

template <class S>
EigenState<S> initial_bands(Hamiltonian<S>& h, InitialWavefunctions kind, const Vec3& k, const Crystal& crystal,
                            const std::vector<PseudoAtom>& atoms, Index bands, const Vec3& spin_axis) {
  std::vector<std::vector<CentredFunction>> species_functions;
  Index orbitals = 0;
  if (kind == InitialWavefunctions::lcao) {
    for (const PseudoAtom& atom : atoms) species_functions.push_back(make_atomic_orbitals(h.waves(), atom));
    for (const Atom& atom : crystal.atoms)
      orbitals += std::ssize(species_functions[static_cast<std::size_t>(atom.species)]);
  }
  const Index spin_orbitals = orbitals * h.components();
  Bands<S> functions(h.rows(), std::max(spin_orbitals, bands));
  if (orbitals > 0) place_on_atoms(h.waves(), k, crystal, species_functions, coefficients(functions.view()));
  if (h.components() > 1) spread_over_components<S>(orbitals, h.components(), functions.view());
  fill_with_spin(h, 0, functions.view().slice(spin_orbitals, functions.count() - spin_orbitals));
  normalise<S>(h, functions.view());
  break_symmetry<S>(h, functions.view().slice(0, spin_orbitals));
  if (h.components() > 1) rotate_components<S>(rotation_from_z(spin_axis), functions.view());
  return lowest_in_span<S>(h, std::move(functions), bands);
}

#define WAVEGRID_INSTANTIATE(S)                                                                               \
  template double initial_bands_bytes<S>(Index, Index, Index);                                                \
  template EigenState<S> initial_bands<S>(Hamiltonian<S>&, InitialWavefunctions, const Vec3&, const Crystal&, \
                                          const std::vector<PseudoAtom>&, Index, const Vec3&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
