#include "calculation/initial_wavefunctions.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "atoms/atomic_functions.hpp"
#include "base/error.hpp"
#include "basis/radial_table.hpp"
#include "linalg/lapack.hpp"
#include "linalg/overlap.hpp"
#include "linalg/rotate.hpp"
#include "linalg/subspace.hpp"
#include "wavefunctions/random_waves.hpp"

namespace wavegrid {

namespace {

std::vector<CentredFunction> orbitals_of(const PlaneWaves& waves, const PseudoAtom& atom) {
  const auto& kinetic = waves.kinetic();
  const double largest = waves.kinetic_bound();
  std::vector<CentredFunction> functions;
  for (const PseudoAtom::Orbital& orbital : atom.orbitals) {
    const RadialTable table(orbital.l, atom.spacing, orbital.radial, 1.001 * std::sqrt(2.0 * largest) + 1e-3);
    std::vector<double> radial;
    for (const double t : kinetic) radial.push_back(table(std::sqrt(2.0 * t)));
    for (CentredFunction& function : centred_functions(waves, orbital.l, radial))
      functions.push_back(std::move(function));
  }
  return functions;
}

/// Columns T with T^H s T = 1, which orthonormalise functions with overlaps s; directions of nearly zero norm are left
/// out. In single precision the threshold is higher, because H in such a direction has an error of 1e-6 divided by its
/// norm; but `wanted` directions are kept if they are linearly independent.
template <class S>
Matrix<S> independent_combinations(const Comm& comm, Matrix<S> s, Index wanted) {
  const Index n = s.rows();
  Matrix<S> vectors(n, n);
  std::vector<double> values(static_cast<std::size_t>(n));
  comm.together([&] {
    if (comm.rank() != 0) return;
    using D = DoubleOf<S>;
    Matrix<D> exact = converted<D>(std::move(s)), found(n, n);
    lapack::eigen<D>(n, exact.data(), n, n, values.data(), found.data(), n);
    vectors = converted<S>(std::move(found));
  });
  comm.broadcast(std::span<double>(values));
  comm.broadcast(std::span<S>(vectors.data(), static_cast<std::size_t>(vectors.size())));
  const auto first_above = [&](double share) {
    return std::lower_bound(values.begin(), values.end(), share * values.back()) - values.begin();
  };
  const Index dependent = first_above(1e-7);
  const Index first = is_single<S> ? std::max(dependent, std::min(first_above(1e-4), n - wanted)) : dependent;
  Matrix<S> combinations(n, n - first);
  for (Index j = first; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      combinations(i, j - first) =
          vectors(i, j) / static_cast<RealOf<S>>(std::sqrt(values[static_cast<std::size_t>(j)]));
  return combinations;
}

template <class S>
Matrix<S> multiply(char op, const Matrix<S>& a, const Matrix<S>& b) {
  const Index m = op == 'N' ? a.rows() : a.columns(), k = op == 'N' ? a.columns() : a.rows();
  Matrix<S> c(m, b.columns());
  lapack::gemm<S>(op, 'N', m, b.columns(), k, S(1), a.data(), a.rows(), b.data(), b.rows(), S(0), c.data(), m);
  return c;
}

/// The full Hermitian matrix from its upper triangle.
template <class S>
Matrix<S> hermitian(Matrix<S> m) {
  for (Index j = 0; j < m.columns(); ++j)
    for (Index i = 0; i < j; ++i) m(j, i) = conjugate(m(i, j));
  return m;
}

/// The lowest `bands` Ritz vectors in the span of `functions`, which may be linearly dependent.
template <class S>
EigenState<S> lowest_in_span(Hamiltonian<S>& h, Bands<S> functions, Index bands) {
  const auto guard = h.time(Phase::linear_algebra);
  Bands<S> images(functions.rows(), functions.count());
  h.apply(functions.view(), images.view());
  const Comm& comm = h.product().comm;
  const Matrix<S> basis =
      independent_combinations(comm, upper_overlap<S>(h.product(), functions.view(), functions.view()), bands);
  const Index n = basis.columns();
  if (n < bands)
    throw bad_input("the plane-wave basis contains only " + std::to_string(n) + " independent initial vectors for " +
                    std::to_string(bands) + " bands; lower the number of bands or raise the cutoff");
  const Matrix<S> projected = multiply(
      'C', basis, multiply('N', hermitian(upper_overlap<S>(h.product(), functions.view(), images.view())), basis));
  Matrix<S> identity(n, n);
  for (Index i = 0; i < n; ++i) identity(i, i) = S(1);
  SubspaceSolution<S> solution = solve_subspace<S>(h.product(), projected, std::move(identity), bands);
  EigenState<S> state(functions.rows(), bands);
  state.values = solution.values;
  const Matrix<S> vectors = multiply('N', basis, solution.vectors);
  rotate<S>(h.product(), std::as_const(functions).view(), vectors, state.x.view());
  functions = {};  // free this memory before HX is allocated
  rotate<S>(h.product(), std::as_const(images).view(), vectors, state.hx.view());
  if constexpr (is_single<S>) rayleigh_ritz(h, state);  // corrects rounding, amplified by directions of small norm
  return state;
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
    fill_random<S>(h.waves(), first_key + first, part);
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
  return Bands<S>::bytes(rows, 2 * functions) +
         std::max(4 * square + vectors, Bands<S>::bytes(rows, bands) + 2 * square + 2 * vectors);
}

template <class S>
EigenState<S> initial_bands(Hamiltonian<S>& h, InitialWavefunctions kind, const Vec3& k, const Crystal& crystal,
                            const std::vector<PseudoAtom>& atoms, Index bands) {
  std::vector<std::vector<CentredFunction>> of_species;
  Index orbitals = 0;
  if (kind == InitialWavefunctions::lcao) {
    for (const PseudoAtom& atom : atoms) of_species.push_back(orbitals_of(h.waves(), atom));
    for (const Atom& atom : crystal.atoms) orbitals += std::ssize(of_species[static_cast<std::size_t>(atom.species)]);
  }
  Bands<S> functions(h.rows(), std::max(orbitals, bands));
  if (orbitals > 0) place_on_atoms(h.waves(), k, crystal, of_species, coefficients(functions.view()));
  fill_random<S>(h.waves(), 0, functions.view().slice(orbitals, functions.count() - orbitals));
  normalise<S>(h.product(), functions.view());
  break_symmetry<S>(h, functions.view().slice(0, orbitals));
  return lowest_in_span(h, std::move(functions), bands);
}

#define WAVEGRID_INSTANTIATE(S)                                                                               \
  template double initial_bands_bytes<S>(Index, Index, Index);                                                \
  template EigenState<S> initial_bands<S>(Hamiltonian<S>&, InitialWavefunctions, const Vec3&, const Crystal&, \
                                          const std::vector<PseudoAtom>&, Index);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
