#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numeric>
#include <utility>

#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/orbitals/gather_points.hpp>
#include <wavegrid/orbitals/sampled_orbitals.hpp>
#include <wavegrid/planewaves/sphere_orbitals.hpp>

namespace wavegrid {

namespace {

PlanEffort effort(const Problem& problem) { return problem.deterministic ? PlanEffort::fixed : PlanEffort::estimate; }

/// Teter's preconditioner (hamiltonian/kinetic.hpp) at a kinetic energy t over 1.5 times that of the electrons.
double precondition(double t) {
  const double top = 27.0 + t * (18.0 + t * (12.0 + t * 8.0));
  return top / (top + 16.0 * t * t * t * t);
}

/// q^2/2 of the waves of boxes, Ha.
std::vector<double> kinetic_energies(const OrbitalSetting& setting, const Int3& size, const Vec3& k) {
  return BoxWaves(setting.problem.crystal.lattice, setting.layout.grid(), size, k).kinetic();
}

}  // namespace

template <class S>
SphereOrbitals<S>::SphereOrbitals(const OrbitalSetting& setting, PlaneWaveBands<S>& bands,
                                  const std::vector<double>& radii)
    : setting_(setting),
      bands_(bands),
      rows_(setting.crystal, setting.layout, radii),
      wide_(setting.layout, WideBoxes::with_neighbours),
      near_(setting.layout, WideBoxes::near),
      near_filter_(near_.size(), effort(setting.problem)),
      near_kinetic_(kinetic_energies(setting, near_.size(), bands.basis->sphere.k())),
      projectors_(setting.groups.kpoint_group(), setting.layout, setting.crystal, setting.problem.pseudopotentials,
                  bands.basis->sphere.k(), setting.problem.deterministic) {
  constexpr double flat = 0.7;  // of the radius: farther out the first functions are taken to 0
  const Problem& problem = setting.problem;
  const Vec3& k = bands.basis->sphere.k();
  if (LineKinetic<S>::is_possible(problem.crystal.lattice)) {
    lines_.emplace(problem.crystal.lattice, k, setting.layout, wide_, rows_);
    kinetic_parts_ = lines_->parts();
  } else {
    wide_filter_.emplace(wide_.size(), effort(problem));
    kinetic_kernel_ = wide_filter_->kernel(kinetic_energies(setting, wide_.size(), k));
    kinetic_parts_.push_back(transformed_kinetic());
  }
  std::vector<double> first;  // factors of the first functions
  for (Index a = mine().begin; a < mine().end; ++a) {
    const Atom& atom = setting_.crystal.atoms[static_cast<std::size_t>(a)];
    const double radius = radii[static_cast<std::size_t>(atom.species)];
    for (const double r :
         distances(problem.crystal.lattice, setting.layout.grid(), atom.position, setting.layout.box(a))) {
      const double x = std::clamp((r / radius - flat) / (1 - flat), 0.0, 1.0);
      inside_.push_back(r <= radius ? 1.0 : 0.0);
      first.push_back((1 - x * x) * (1 - x * x));
    }
  }
  const WideLattice around(problem.crystal.lattice, setting.layout.grid(), wide_.size());
  SampledOrbitals<S> sampled(around.lattice(), wide_.size(), problem.ecut, around.in_box(k), setting.species,
                             problem.deterministic);
  const double* factor = first.data();
  functions_ = std::make_unique<BoxOrbitals<S>>(
      setting.groups.kpoint_group(), setting.layout,
      [&](Index a, std::span<S> values) {
        const Atom& atom = setting_.crystal.atoms[static_cast<std::size_t>(a)];
        const Box& box = setting_.layout.box(a);
        sampled.sample(atom.species, around.in_box(atom.position, wide_.box(a)), around.in_box(box, wide_.box(a)),
                       values);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factor[i % static_cast<std::size_t>(box.points())];
        factor += box.points();
      },
      &rows_);
  gradient_ = std::make_unique<BoxOrbitals<S>>(
      setting.groups.kpoint_group(), setting.layout, [](Index /*a*/, std::span<S> /*values*/) {}, &rows_);
  set_fixed();
}

template <class S>
OrbitalOperator<S> SphereOrbitals<S>::transformed_kinetic() {
  return {.box = [this](Index a) { return BoxPart{wide_.box(a)}; },
          .apply =
              [this](Index a, std::span<const S> from, std::span<S> to) {
                const Box& box = setting_.layout.box(a);
                wide_filter_->apply(kinetic_kernel_, common_points(wide_.box(a), box, setting_.layout.grid()),
                                    box.points(), from, to);
              }};
}

template <class S>
void SphereOrbitals<S>::filter(const std::vector<double>& kernel, std::span<S> values) {
  AlignedVector<S> near, back;
  S* at = values.data();
  for (Index a = mine().begin; a < mine().end; ++a) {
    const Box& box = setting_.layout.box(a);
    const Index functions = setting_.layout.functions(a).size();
    const std::span<S> here(at, static_cast<std::size_t>(setting_.layout.values(a)));
    const std::vector<CommonRun> place = common_points(near_.box(a), box, setting_.layout.grid());
    near.resize(static_cast<std::size_t>(functions * near_filter_.points()));
    near_filter_.apply(kernel, place, box.points(), here, near);
    gather_points<S>(near, near_filter_.points(), functions, place, &CommonRun::a, back);
    std::fill(here.begin(), here.end(), S(0));
    add_points<S>(back, box.points(), functions, place, &CommonRun::b, at);
    at += here.size();
  }
  multiply(inside_, values);
}

template <class S>
void SphereOrbitals<S>::multiply(const std::vector<double>& factors, std::span<S> values) const {
  const double* factor = factors.data();
  S* value = values.data();
  for (Index a = mine().begin; a < mine().end; ++a) {
    const Index points = setting_.layout.box(a).points();
    for (Index f = 0; f < setting_.layout.functions(a).size(); ++f)
      for (Index p = 0; p < points; ++p) *value++ *= factor[p];
    factor += points;
  }
}

template <class S>
void SphereOrbitals<S>::set_fixed() {
  s_ = functions_->matrix(std::span<const double>(), setting_.volume_element);
  t_ = functions_->matrix(std::span<const OrbitalOperator<S>>(kinetic_parts_), setting_.volume_element);
  applications_ += setting_.groups.kpoint_group().rank() == 0 ? setting_.layout.num_functions() : 0;
  projections_ = projectors_.overlaps(*functions_, setting_.volume_element);
  fixed_ = t_;
  fixed_->add(S(1), projectors_.energies(projections_));
}

template <class S>
BlockSparse<S> SphereOrbitals<S>::hamiltonian(std::span<const double> potential) {
  BlockSparse<S> h(*fixed_);
  h.add(S(1), functions_->matrix(potential, setting_.volume_element));
  return h;
}

template <class S>
void SphereOrbitals<S>::set_states(const Matrix<S>& c, BandView<S> x) {
  if (!waves_)
    waves_ =
        std::make_unique<GatheredOrbitals<S>>(setting_.groups.kpoint_group(), setting_.layout, bands_.basis->sphere,
                                              bands_.h.waves(), setting_.problem.deterministic);
  for (Index a = mine().begin; a < mine().end; ++a) waves_->project(a, functions_->own(a));
  Bands<S> phi(x.rows, setting_.layout.num_functions());
  waves_->scatter(phi.view());
  rotate<S>(bands_.h.product(), std::as_const(phi).view(), c, x);
}

template <class S>
void SphereOrbitals<S>::add(double factor, BandView<const S> change) {
  const S* d = change.data;
  functions_->set([&](Index /*a*/, std::span<S> values) {
    for (S& value : values) value += factor * *d++;
  });
  set_fixed();
}

template <class S>
std::pair<BlockSparse<S>, BlockSparse<S>> SphereOrbitals<S>::density_matrices(std::span<const double> occupations,
                                                                              const OrbitalStates<S>& solution) const {
  if (solution.vectors.columns() == 0) {  // all states have the same occupation
    std::pair<BlockSparse<S>, BlockSparse<S>> found(*solution.k, *solution.m);
    found.first.scale(static_cast<S>(occupations.front()));
    found.second.scale(static_cast<S>(-occupations.front()));
    return found;
  }
  std::vector<double> weighted(occupations.begin(), occupations.end());
  BlockSparse<S> k = density_matrix(solution.vectors, weighted);
  for (std::size_t n = 0; n < weighted.size(); ++n) weighted[n] *= -solution.values[n];
  return {std::move(k), density_matrix(solution.vectors, weighted)};
}

template <class S>
double SphereOrbitals<S>::find_gradient(std::span<const double> potential, std::span<const double> occupations,
                                        const OrbitalStates<S>& solution, Bands<S>& gradient) {
  const auto [k, minus_m] = density_matrices(occupations, solution);
  Index values = 0;
  for (Index a = mine().begin; a < mine().end; ++a) values += setting_.layout.values(a);
  gradient.reshape(values, 1);
  const std::span<S> g(gradient.view().data, static_cast<std::size_t>(values));
  std::fill(g.begin(), g.end(), S(0));
  functions_->combine({}, k, g);
  multiply({potential.begin(), potential.end()}, g);
  functions_->combine({}, minus_m, g);
  functions_->combine(kinetic_parts_, k, g);
  if (projectors_.num_projectors() > 0) projectors_.combine(projectors_.weights(projections_, k), *functions_, g);
  multiply(inside_, g);
  applications_ += setting_.groups.kpoint_group().rank() == 0 ? setting_.layout.num_functions() : 0;
  return trace_product(*t_, k) / std::accumulate(occupations.begin(), occupations.end(), 0.0);
}

template <class S>
Bands<S> SphereOrbitals<S>::preconditioned(const Bands<S>& gradient, const BlockSparse<S>& x, double kinetic) {
  const double inverse = 1 / (1.5 * kinetic);
  std::vector<double> roots(near_kinetic_);
  for (double& root : roots) root = std::sqrt(2 * inverse * precondition(root * inverse));
  const std::vector<double> kernel = near_filter_.kernel(std::move(roots));
  Bands<S> z(gradient.rows(), 1);
  const std::span<S> sums(z.view().data, static_cast<std::size_t>(z.rows()));
  std::copy_n(gradient.view().data, sums.size(), sums.data());
  filter(kernel, sums);
  const S* from = sums.data();
  gradient_->set([&](Index /*a*/, std::span<S> values) {
    std::copy_n(from, values.size(), values.data());
    from += values.size();
  });
  std::fill(sums.begin(), sums.end(), S(0));
  gradient_->combine({}, x, sums);
  filter(kernel, sums);
  return z;
}

template <class S>
double SphereOrbitals<S>::product(const Bands<S>& a, const Bands<S>& b) const {
  std::vector<double> parts(static_cast<std::size_t>(setting_.layout.num_atoms()), 0.0);
  const S *left = a.view().data, *right = b.view().data;
  for (Index atom = mine().begin; atom < mine().end; ++atom)
    for (Index i = 0; i < setting_.layout.values(atom); ++i)
      parts[static_cast<std::size_t>(atom)] += real_part(conjugate(*left++) * *right++);
  setting_.groups.kpoint_group().merge(std::span<double>(parts));
  return 2 * setting_.volume_element * std::accumulate(parts.begin(), parts.end(), 0.0);
}

template <class S>
void SphereOrbitals<S>::add_forces(std::span<const double> occupations, const SubspaceSolution<S>& solution,
                                   std::vector<double>& forces) {
  const BlockSparse<S> k = density_matrix(solution.vectors, occupations);
  const ProjectorBlocks<S> pk = projectors_.weights(projections_, k);
  const std::array<ProjectorBlocks<S>, 3> slopes = projectors_.slopes(*functions_, setting_.volume_element);
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (Index a = mine().begin; a < mine().end; ++a) {
      const S* weight = pk[static_cast<std::size_t>(a)].data();
      projectors_.for_blocks(a, slopes[axis], [&](Index b, std::span<const S> block) {
        for (const S& slope : block)
          forces[3 * static_cast<std::size_t>(b) + axis] -= 2 * real_part(slope * conjugate(*weight++));
      });
    }
}

template class SphereOrbitals<double>;
template class SphereOrbitals<std::complex<double>>;

}  // namespace wavegrid
