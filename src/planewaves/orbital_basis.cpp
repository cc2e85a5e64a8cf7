#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numeric>
#include <utility>

#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/hamiltonian/kinetic.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/orbitals/sampled_orbitals.hpp>
#include <wavegrid/planewaves/orbital_basis.hpp>

namespace wavegrid {

namespace {

/// The functions of all atoms, atom by atom in the order of the crystal.
void place_atom_by_atom(const PlaneWaves& waves, const Vec3& k, const Crystal& crystal,
                        const std::vector<std::vector<CentredFunction>>& species, std::complex<double>* out) {
  std::vector<std::complex<double>> phases(static_cast<std::size_t>(waves.size()));
  for (const Atom& atom : crystal.atoms) {
    atom_phases(waves, atom.position, phases.data(), k);
    for (const CentredFunction& function : species[static_cast<std::size_t>(atom.species)])
      out = std::transform(phases.begin(), phases.end(), function.begin(), out, std::multiplies<>());
  }
}

}  // namespace

template <class S>
OrbitalBasis<S>::OrbitalBasis(const OrbitalSetting& setting, PlaneWaveBands<S>& bands)
    : setting_(setting), bands_(bands) {
  place_orbitals();
  const Problem& problem = setting_.problem;
  SampledOrbitals<S> sampled(problem.crystal.lattice, problem.grid, problem.ecut, bands.basis->sphere.k(),
                             setting_.species, problem.deterministic);
  boxes_ = std::make_unique<BoxOrbitals<S>>(
      setting_.groups.kpoint_group(), setting_.layout, [&](Index a, std::span<S> values) {
        const Atom& atom = setting_.crystal.atoms[static_cast<std::size_t>(a)];
        sampled.sample(atom.species, atom.position, setting_.layout.box(a), values);
      });
  set_fixed();
  set_overlaps();
}

template <class S>
void OrbitalBasis<S>::place_orbitals() {
  const PlaneWaves& waves = bands_.h.waves();
  std::vector<std::vector<CentredFunction>> centred;
  for (const auto& orbitals : setting_.species)
    centred.push_back(windowed_functions(waves, setting_.problem.ecut, orbitals));
  phi_ = Bands<S>(bands_.h.rows(), setting_.layout.num_functions());
  place_atom_by_atom(waves, bands_.basis->sphere.k(), setting_.crystal, centred, coefficients(phi_.view()));
}

template <class S>
void OrbitalBasis<S>::add(double factor, BandView<const S> change) {
  const BandView<S> phi = phi_.view();
  std::transform(phi.data, phi.data + phi.rows * phi.count, change.data, phi.data,
                 [&](const S& x, const S& d) { return x + factor * d; });
  set_fixed();
  gathered().gather(this->phi());
  boxes_->set([&](Index a, std::span<S> values) { gathered().sample(a, values); });
  set_overlaps();
}

template <class S>
void OrbitalBasis<S>::contain(BandView<const S> bands) {
  constexpr double least = 0.5;  // of the squared norm that a band has in the span of the functions
  const InnerProduct& product = bands_.h.product();
  const Matrix<S> b = overlap<S>(product, phi(), bands);
  Matrix<S> shares(b.rows(), b.rows());  // of which the lowest states are the pairs of closest directions
  lapack::gemm<S>('N', 'C', b.rows(), b.rows(), b.columns(), S(-1), b.data(), b.rows(), b.data(), b.rows(), S(0),
                  shares.data(), b.rows());
  const Matrix<S> s = whole_matrix(*s_);
  const SubspaceSolution<S> closest = lowest_states<S>(setting_, std::move(shares), s, bands.count);
  if (!closest.definite) return;
  Matrix<S> sc = matrix_product('N', s, closest.vectors), to_bands = matrix_product('C', b, closest.vectors);
  Matrix<S> from_functions(closest.vectors), back(sc.columns(), sc.rows());
  for (Index m = 0; m < sc.columns(); ++m) {
    const double share = -closest.values[static_cast<std::size_t>(m)];
    const double used = share > least ? 1 : 0;
    for (Index n = 0; n < to_bands.rows(); ++n) to_bands(n, m) *= share > least ? 1 / std::sqrt(share) : 0;
    for (Index i = 0; i < sc.rows(); ++i) {
      from_functions(i, m) *= -used;
      back(m, i) = conjugate(sc(i, m));
    }
  }
  Bands<S> change(phi_.rows(), phi_.count());
  rotate<S>(product, bands, matrix_product('N', to_bands, back), change.view());
  rotate<S>(product, phi(), matrix_product('N', from_functions, back), change.view(), true);
  add(1, std::as_const(change).view());
}

template <class S>
GatheredOrbitals<S>& OrbitalBasis<S>::gathered() {
  if (!gathered_)
    gathered_ =
        std::make_unique<GatheredOrbitals<S>>(setting_.groups.kpoint_group(), setting_.layout, bands_.basis->sphere,
                                              bands_.h.waves(), setting_.problem.deterministic);
  return *gathered_;
}

template <class S>
void OrbitalBasis<S>::set_fixed() {
  t_ = blocks([&](Range functions) { return kinetic_columns(functions); });
  fixed_ = t_;
  if (bands_.basis->projectors->num_projectors() == 0) return;
  const Matrix<S> p = my_projections();
  fixed_->add(S(1), blocks([&](Range functions) { return nonlocal_columns(p, functions); }));
}

template <class S>
Matrix<S> OrbitalBasis<S>::nonlocal_columns(const Matrix<S>& p, Range functions) {
  const Range atoms = setting_.layout.atoms(setting_.groups.kpoint_group().rank());
  const Index first = my_functions().begin;
  Matrix<S> dp = projections(functions), columns(phi_.count(), functions.size());
  bands_.basis->projectors->couplings().template multiply<S>(projections_in(dp));
  for (Index a = atoms.begin; a < atoms.end; ++a) {  // atom by atom: the same bits on any number of ranks
    const Range rows = setting_.layout.functions(a);
    lapack::gemm<S>('C', 'N', rows.size(), functions.size(), p.rows(), S(1), &p(0, rows.begin - first), p.rows(),
                    dp.data(), p.rows(), S(0), &columns(rows.begin, 0), columns.rows());
  }
  return columns;
}

template <class S>
BlockSparse<S> OrbitalBasis<S>::blocks(const MatrixColumns<S>& columns) const {
  constexpr double least = 1e-10;  // Ha
  return blocks_by_columns<S>(setting_.groups.kpoint_group(), setting_.layout, least, columns);
}

template <class S>
Range OrbitalBasis<S>::my_functions() const {
  const Range atoms = setting_.layout.atoms(setting_.groups.kpoint_group().rank());
  if (atoms.size() == 0) return {0, 0};
  return {setting_.layout.functions(atoms.begin).begin, setting_.layout.functions(atoms.end - 1).end};
}

template <class S>
Matrix<S> OrbitalBasis<S>::projections(Range functions) {
  return bands_.basis->projectors->overlaps(bands_.h.product(), phi().slice(functions.begin, functions.size()));
}

template <class S>
Matrix<S> OrbitalBasis<S>::my_projections() {
  const Range mine = my_functions();
  Matrix<S> p(bands_.basis->projectors->num_projectors(), mine.size());
  for (Index first = 0; first < phi_.count(); first += most_functions_at_once) {
    const Range some{first, std::min(first + most_functions_at_once, phi_.count())};
    const Matrix<S> found = projections(some);
    for (Index i = std::max(some.begin, mine.begin); i < std::min(some.end, mine.end); ++i)
      std::copy_n(&found(0, i - some.begin), p.rows(), &p(0, i - mine.begin));
  }
  return p;
}

template <class S>
void OrbitalBasis<S>::set_overlaps() {
  s_ = boxes_->matrix(std::span<const double>(), setting_.volume_element);
}

template <class S>
BlockSparse<S> OrbitalBasis<S>::hamiltonian(std::span<const double> potential) {
  BlockSparse<S> h(*fixed_);
  h.add(S(1), boxes_->matrix(potential, setting_.volume_element));
  return h;
}

template <class S>
void OrbitalBasis<S>::set_states(const Matrix<S>& c, BandView<S> x) {
  rotate<S>(bands_.h.product(), phi(), c, x);
}

template <class S>
auto OrbitalBasis<S>::residuals(Index count, const SubspaceSolution<S>& solution) -> Residuals {
  Matrix<S> c(phi_.count(), count);
  std::copy_n(solution.vectors.data(), c.size(), c.data());
  Residuals found{{phi_.rows(), count}, {phi_.rows(), count}};
  set_states(c, found.psi.view());
  bands_.h.apply(std::as_const(found.psi).view(), found.r.view());
  for (Index n = 0; n < count; ++n) {
    const S* const x = found.psi.view().band(n);
    S* const r = found.r.view().band(n);
    std::transform(x, x + phi_.rows(), r, r,
                   [e = solution.values[static_cast<std::size_t>(n)]](const S& a, const S& ha) { return ha - e * a; });
  }
  return found;
}

template <class S>
Matrix<S> OrbitalBasis<S>::weights(std::span<const double> occupations, Index count, const Matrix<S>& c) const {
  Matrix<S> weights(count, c.rows());
  for (Index n = 0; n < count; ++n)
    for (Index i = 0; i < c.rows(); ++i) weights(n, i) = occupations[static_cast<std::size_t>(n)] * conjugate(c(i, n));
  return weights;
}

template <class S>
double OrbitalBasis<S>::find_gradient(std::span<const double> /*potential*/, std::span<const double> occupations,
                                      const OrbitalStates<S>& solution, Bands<S>& gradient) {
  const Index count = num_occupied(occupations);
  const Residuals found = residuals(count, solution);
  gradient.reshape(phi_.rows(), phi_.count());
  rotate<S>(bands_.h.product(), found.r.view(), weights(occupations, count, solution.vectors), gradient.view());
  const std::vector<double> kinetic = bands_.h.kinetic_energies(found.psi.view());
  const double energy = std::inner_product(kinetic.begin(), kinetic.end(), occupations.begin(), 0.0);
  return energy / std::accumulate(occupations.begin(), occupations.end(), 0.0);
}

template <class S>
Bands<S> OrbitalBasis<S>::preconditioned(const Bands<S>& gradient, const BlockSparse<S>& x, double kinetic) {
  Bands<S> scaled(gradient.rows(), gradient.count()), z(gradient.rows(), gradient.count());
  std::copy_n(gradient.view().data, gradient.rows() * gradient.count(), scaled.view().data);
  const std::vector<double> same(static_cast<std::size_t>(gradient.count()), kinetic);
  precondition_by_kinetic_energy<S>(bands_.h.waves(), same, scaled.view());
  rotate<S>(bands_.h.product(), std::as_const(scaled).view(), whole_matrix(x), z.view());
  return z;
}

template <class S>
double OrbitalBasis<S>::product(const Bands<S>& a, const Bands<S>& b) const {
  const std::vector<double> parts = diagonal_overlaps<S>(bands_.h.product(), a.view(), b.view());
  return 2 * std::accumulate(parts.begin(), parts.end(), 0.0);
}

template <class S>
void OrbitalBasis<S>::add_forces(std::span<const double> occupations, const SubspaceSolution<S>& solution,
                                 std::vector<double>& forces) {
  const Index count = num_occupied(occupations);
  if (count == 0) return;
  const Residuals found = residuals(count, solution);
  Bands<S> r(phi_.rows(), phi_.count());  // sum_n f_n conj(C_in) r_n
  rotate<S>(bands_.h.product(), found.r.view(), weights(occupations, count, solution.vectors), r.view());
  const PlaneWaves& waves = bands_.h.waves();
  const double factor = ScalarTraits<S>::is_real ? 4.0 : 2.0;  // both G and -G at Gamma
  const ComplexOf<S>* phi = coefficients(this->phi());
  const ComplexOf<S>* at = coefficients(std::as_const(r).view());
  for (std::size_t a = 0; 3 * a < forces.size(); ++a)
    for (Index i = 0; i < setting_.layout.functions(static_cast<Index>(a)).size(); ++i)
      for (Index g = 0; g < waves.size(); ++g) {
        const double value = factor * (conjugate(*phi++) * *at++).imag();
        const Vec3 q = waves.k_plus_g(g);
        for (std::size_t axis = 0; axis < 3; ++axis) forces[3 * a + axis] += value * q[axis];
      }
}

template <class S>
Matrix<S> OrbitalBasis<S>::kinetic_columns(Range functions) const {
  const PlaneWaves& waves = bands_.h.waves();
  const BandView<const S> some = phi().slice(functions.begin, functions.size());
  Bands<S> scaled(phi_.rows(), functions.size());
  const ComplexOf<S>* const from = coefficients(some);
  ComplexOf<S>* const to = coefficients(scaled.view());
  const auto size = static_cast<std::size_t>(waves.size());
  for (std::size_t f = 0; f < static_cast<std::size_t>(functions.size()); ++f)
    for (std::size_t g = 0; g < size; ++g) to[f * size + g] = waves.kinetic()[g] * from[f * size + g];
  return overlap<S>(bands_.h.product(), phi(), std::as_const(scaled).view());
}

template class OrbitalBasis<double>;
template class OrbitalBasis<std::complex<double>>;

}  // namespace wavegrid
