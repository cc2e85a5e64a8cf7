#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <wavegrid/crystal/extent.hpp>
#include <wavegrid/discretisation/rotated_bands.hpp>
#include <wavegrid/eigen/orthonormalise.hpp>
#include <wavegrid/realspace/mesh_discretisation.hpp>
#include <wavegrid/realspace/mesh_orbitals.hpp>
#include <wavegrid/realspace/mesh_waves.hpp>
#include <wavegrid/scf/choose_preconditioner.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

namespace {

constexpr double orbital_reach = 16;  ///< bohr: with 8 the charge of H in LiH is 0.04 too large

/// The bands, and bands of zeros up to `count`.
template <class S>
Bands<S> filled_up(Bands<S> bands, Index count) {
  if (bands.count() == count) return bands;
  Bands<S> all(bands.rows(), count);
  std::fill_n(all.view().data, all.rows() * count, S(0));
  std::copy_n(bands.view().data, bands.rows() * bands.count(), all.view().data);
  return all;
}

}  // namespace

MeshDiscretisation::MeshDiscretisation(Setting& setting, const Comm& /*comm*/, const Problem& problem)
    : setting_(setting),
      partition_(to_string(problem.mesh_basis->partition)),
      halo_{problem.transport, problem.mesh_basis->overlap} {}

void MeshDiscretisation::make_space(const Problem& problem) {
  grid_ = std::make_unique<MeshSpace>(setting_.groups, problem, halo_, &setting_.profile);
}

std::unique_ptr<MeshSpace> MeshDiscretisation::replace_space(const SolvedGeometry& /*before*/, const Problem& problem) {
  const MeshGrid next = make_mesh_grid(*problem.mesh_basis, problem.crystal, problem.grid);
  if (same_points(grid_->mesh.grid(), next)) {
    grid_->fields.set_symmetry(problem.symmetry);
    return nullptr;
  }
  std::unique_ptr<MeshSpace> old = std::move(grid_);
  halo_.overlap = old->laplacian.overlap();
  make_space(problem);
  carry_transports(exchanges_of(*old), exchanges_of(*grid_));
  return old;
}

SpinFields MeshDiscretisation::moved_density(const MeshSpace& from, SpinFields change) const {
  MeshTransfer transfer(from.mesh, grid_->mesh);
  const double scale = from.mesh.grid().point_volume() / grid_->mesh.grid().point_volume();  // electrons stay
  for (FieldValues& component : change) {
    component = transfer(component);
    for (double& value : component) value *= scale;
  }
  return change;
}

PreconditionerChoice MeshDiscretisation::choose_preconditioner(const Problem& problem, const SpinFields& density) {
  const bool fixed = problem.smearing.kind == SmearingKind::fixed;
  const double smallest = smallest_wave_number(problem.crystal);
  const MeshBasis& basis = *problem.mesh_basis;
  if (basis.num_periodic() > 0 && (basis.is_periodic() || !fixed)) {
    const bool polarised_with_tau = problem.spins == 2 && Xc::parse(problem.xc).needs_tau() &&
                                    is_strongly_polarised(grid_->fields, density[0], density[1]);
    return wavegrid::choose_preconditioner(!basis.is_periodic() || has_vacuum(grid_->fields, density[0]), fixed,
                                           smallest, polarised_with_tau);
  }
  // A Li-H chain of 22 bohr takes 9 steps with the dielectric model, 12 without.
  constexpr double long_wave = 0.2;  // 1/bohr
  if (smallest > long_wave) return {PreconditionerKind::none, "free boundaries, few atoms"};
  if (fixed) return {PreconditionerKind::dielectric, "fixed occupations, many atoms"};
  return {PreconditionerKind::kerker, "smearing, many atoms"};
}

void MeshDiscretisation::gather(const SpinFields& density, GatheredFields& result) {
  const MeshGrid& points = grid_->mesh.grid();
  result.first = points.lower();
  for (std::size_t d = 0; d < 3; ++d) result.counts[d] = points.upper()[d] - points.lower()[d];
  for (const FieldValues& component : density)
    result.values.push_back(gather_field(setting_.groups.world(), grid_->mesh.ids(), points.num_ids(), component));
}

template <class S>
std::shared_ptr<const MeshProjectors<S>> MeshDiscretisation::make_projectors(const Problem& problem, const Vec3& k) {
  return std::make_shared<const MeshProjectors<S>>(grid_->operator_mesh(), k, problem.crystal, problem.pseudopotentials,
                                                   grid_->fields.box().largest_g());
}

template <class S>
MeshBands<S> MeshDiscretisation::make_bands(const Problem& problem,
                                            const std::function<void(MeshKPointBands<S>&)>& prepare) {
  MeshBands<S> bands;
  const Range mine = setting_.my_share(num_band_sets(problem));
  std::shared_ptr<const MeshProjectors<S>> projectors;
  for (Index i = mine.begin; i < mine.end; ++i) {
    const int k = static_cast<int>(i / problem.spins), spin = static_cast<int>(i % problem.spins);
    const Vec3 point = problem.kpoints[static_cast<std::size_t>(k)].k + problem.kpoint_shift();
    if (i == mine.begin || spin == 0) projectors = make_projectors<S>(problem, point);
    bands.push_back(std::make_unique<MeshKPointBands<S>>(*grid_, &setting_.profile, point, projectors,
                                                         problem.components(), k, spin, setting_.eigensolver.kind));
    if (prepare) prepare(*bands.back());
  }
  return bands;
}

template <class S>
std::unique_ptr<MeshKPointBands<S>> MeshDiscretisation::make_path_bands(const Problem& problem, int k, int spin) {
  const Vec3& point = problem.band_path[static_cast<std::size_t>(k)].k;
  return std::make_unique<MeshKPointBands<S>>(*grid_, &setting_.profile, point, make_projectors<S>(problem, point),
                                              problem.components(), k, spin, setting_.eigensolver.kind);
}

template <class S>
void MeshDiscretisation::move_atoms(MeshBands<S>& bands, const Problem& problem) {
  std::shared_ptr<const MeshProjectors<S>> projectors;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    if (i == 0 || bands[i]->k != bands[i - 1]->k) projectors = make_projectors<S>(problem, bands[i]->h.kpoint());
    bands[i]->h.set_projectors(projectors);
  }
}

template <class S>
void MeshDiscretisation::rotate(std::vector<DetachedBands<S, Rows>>& bands, const Problem& problem,
                                const SolvedGeometry& before, const MeshSpace* old) const {
  const Mesh& mesh = old ? old->band_mesh() : grid_->band_mesh();
  std::vector<KPoint> all(before.kpoints);
  all.insert(all.end(), problem.kpoints.begin(), problem.kpoints.end());
  const WaveBox box = WaveBox::around(mesh.grid());
  const double ecut = box.largest_cutoff(all);
  const Range earlier = setting_.my_share(static_cast<Index>(before.kpoints.size()) * problem.spins);
  const Range mine = setting_.my_share(num_band_sets(problem));
  std::vector<WaveBands<S>> from, to;
  std::vector<std::unique_ptr<MeshWaves<S>>> new_waves;
  const auto waves_at = [&](const std::vector<KPoint>& points, Index set) {
    return std::make_unique<MeshWaves<S>>(mesh, box, ecut, points[static_cast<std::size_t>(set / problem.spins)].k,
                                          problem.components());
  };
  setting_.groups.world().collectively([&] {  // one k-point group may fail
    for (Index set = earlier.begin; set < earlier.end; ++set) {
      Bands<S>& x = bands[static_cast<std::size_t>(set - earlier.begin)].x;
      const auto waves = waves_at(before.kpoints, set);
      from.push_back({waves->waves(), filled_up(waves->to_waves(std::as_const(x).view()), problem.bands)});
      x = {};
    }
    for (Index set = mine.begin; set < mine.end; ++set)
      to.push_back({new_waves.emplace_back(waves_at(problem.kpoints, set))->waves()});
  });
  rotate_bands<S>(setting_.groups, problem, before, from, to);
  bands.clear();
  for (std::size_t i = 0; i < to.size(); ++i)
    bands.push_back(
        {{}, to[i].x.count() > 0 ? new_waves[i]->to_mesh(std::as_const(to[i].x).view()) : Bands<S>(), {}, false});
}

template <class S>
MeshDiscretisation::BandTransfer<S>::BandTransfer(const Mesh& from, const Mesh& to)
    : transfer_(from, to), scale_(std::sqrt(from.grid().point_volume() / to.grid().point_volume())) {}

template <class S>
Bands<S> MeshDiscretisation::BandTransfer<S>::operator()(const Rows& /*rows*/, const Bands<S>& x,
                                                         MeshKPointBands<S>& to) {
  Bands<S> answer = transfer_(x, to.components());
  std::for_each_n(answer.view().data, answer.rows() * answer.count(), [&](S& value) { value *= scale_; });
  complete<S>(to, answer);
  return answer;
}

template <class S>
void MeshDiscretisation::change_gauge(BandView<S> x, const Vec3& change) const {
  if constexpr (ScalarTraits<S>::is_real) {
    throw internal_error("real bands in a vector potential");
  } else {
    const MeshGrid& grid = grid_->mesh.grid();
    const std::vector<Int3> points = grid_->band_mesh().points();
    for (std::size_t p = 0; p < points.size(); ++p) {
      const S phase = std::polar(1.0, dot(change, grid.position(points[p])));
      for (Index b = 0; b < x.count; ++b) x.band(b)[p] *= phase;
    }
  }
}

template <class S>
void MeshDiscretisation::set_vector_potential(MeshBands<S>& bands, const Problem& problem, const Vec3& /*change*/) {
  std::shared_ptr<const MeshProjectors<S>> projectors;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    MeshKPointBands<S>& one = *bands[i];
    const Vec3 point = problem.kpoints[static_cast<std::size_t>(one.k)].k + problem.kpoint_shift();
    if (i == 0 || one.k != bands[i - 1]->k) projectors = make_projectors<S>(problem, point);
    one.h.set_kpoint(point, projectors);
  }
}

/// Central differences of <psi|H(A)|psi> by A: of second order, with an error of about the square of the step.
BandVelocity MeshDiscretisation::make_velocity(MeshKPointBands<std::complex<double>>& bands, const Problem& problem) {
  using Complex = std::complex<double>;
  constexpr double step = 1e-3;  // 1/bohr
  struct Shifted {
    Vec3 change;
    std::unique_ptr<MeshKPointBands<Complex>> bands;
  };
  const auto shifted = std::make_shared<std::vector<Shifted>>();
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const double sign : {1.0, -1.0}) {
      Vec3 change{0, 0, 0};
      change[axis] = sign * step;
      const Vec3 k = bands.h.kpoint() + problem.crystal.lattice.reduced(change);
      shifted->push_back({change, std::make_unique<MeshKPointBands<Complex>>(
                                      *grid_, &setting_.profile, k, make_projectors<Complex>(problem, k),
                                      problem.components(), bands.k, bands.spin, setting_.eigensolver.kind)});
    }
  return [this, shifted](BandView<const Complex> psi) {
    std::vector<Vec3> found(static_cast<std::size_t>(psi.count), Vec3{0, 0, 0});
    Bands<Complex> turned(psi.rows, psi.count);
    for (const Shifted& one : *shifted) {
      std::copy_n(psi.data, psi.rows * psi.count, turned.view().data);
      change_gauge<Complex>(turned.view(), one.change);
      const BandView<const Complex> x = std::as_const(turned).view();
      const std::vector<double> kinetic = one.bands->op.kinetic_energies(x),
                                nonlocal = one.bands->op.nonlocal_energies(x);
      for (std::size_t b = 0; b < found.size(); ++b)
        found[b] = found[b] + (kinetic[b] + nonlocal[b]) / (2 * step * step) * one.change;
    }
    return found;
  };
}

template <class S>
void MeshDiscretisation::complete(MeshKPointBands<S>& to, Bands<S>& x) {
  x = orthonormal_part<S>(to.op, std::move(x));
}

template <class S>
EigenState<S> MeshDiscretisation::initial_bands(MeshKPointBands<S>& bands, const Problem& problem, Index count) const {
  const bool orbitals = problem.initial_wavefunctions == InitialWavefunctions::lcao;
  return wavegrid::initial_bands<S>(bands.op, grid_->band_mesh(), bands.h.kpoint(), problem.crystal,
                                    orbitals ? setting_.pseudo_atoms : std::vector<PseudoAtom>(), count,
                                    problem.components(), common_axis(problem.initial_moment_vectors));
}

template <class S>
Bands<S> MeshDiscretisation::atomic_orbitals(const MeshKPointBands<S>& bands, const Problem& problem,
                                             const std::vector<PseudoAtom>& atoms, Index count) const {
  Bands<S> orbitals(grid_->band_mesh().num_points(), count);
  place_on_atoms<S>(grid_->band_mesh(), bands.h.kpoint(), problem.crystal, atoms, orbital_reach, orbitals.view());
  return orbitals;
}

template <class S>
WriteState MeshDiscretisation::writing(const Problem& problem, const EnergyTerms<MeshFields>& potential,
                                       const MeshBands<S>& bands, const Density<MeshFields>& density) {
  return writing_mesh<S>(problem, setting_.groups, *grid_, potential, bands, density);
}

TunedExchanges MeshDiscretisation::exchanges_of(MeshSpace& grid) {
  TunedExchanges all;
  TunedPlan<ExchangePlan>& halo = grid.laplacian.halo().plan();
  if (halo.comm().size() > 1) all.push_back(tuned_exchange("halo", halo, halo.comm(), {&halo}, sizeof(double)));
  if (grid.exchange && !grid.exchange->plan().is_identity()) {
    TunedPlan<ExchangePlan>& bands = grid.exchange->plan();
    all.push_back(tuned_exchange("band groups", bands, bands.comm(), {&bands}, sizeof(double)));
  }
  std::ranges::move(tuned_exchanges(grid.fields.box().fft(), grid.fields.exchange()), std::back_inserter(all));
  return all;
}

void MeshDiscretisation::report(DiscretisationReport& report) {
  const Comm& world = setting_.groups.world();
  const Mesh& mesh = grid_->operator_mesh();
  const MeshOperator& laplacian = grid_->laplacian;
  if (!laplacian.reason().empty()) overlap_reason_ = laplacian.reason();
  const double hidden = world.sum(laplacian.hidden_share()) / world.size();
  report.parallel.partition = partition_;
  report.parallel.partition_reason = partition_reason;
  report.mesh = MeshReport{mesh.num_all_points(),
                           world.max(mesh.num_points()),
                           world.min(mesh.num_points()),
                           world.max(mesh.num_ghosts()),
                           world.max(mesh.num_neighbours()),
                           mesh.pattern().highest_kinetic_energy(),
                           laplacian.overlap(),
                           overlap_reason_,
                           hidden};
}

#define WAVEGRID_INSTANTIATE(S)                                                                                  \
  template MeshBands<S> MeshDiscretisation::make_bands<S>(const Problem&,                                        \
                                                          const std::function<void(MeshKPointBands<S>&)>&);      \
  template std::unique_ptr<MeshKPointBands<S>> MeshDiscretisation::make_path_bands<S>(const Problem&, int, int); \
  template void MeshDiscretisation::move_atoms<S>(MeshBands<S>&, const Problem&);                                \
  template void MeshDiscretisation::rotate<S>(std::vector<DetachedBands<S, Rows>>&, const Problem&,              \
                                              const SolvedGeometry&, const MeshSpace*) const;                    \
  template void MeshDiscretisation::change_gauge<S>(BandView<S>, const Vec3&) const;                             \
  template void MeshDiscretisation::set_vector_potential<S>(MeshBands<S>&, const Problem&, const Vec3&);         \
  template class MeshDiscretisation::BandTransfer<S>;                                                            \
  template void MeshDiscretisation::complete<S>(MeshKPointBands<S>&, Bands<S>&);                                 \
  template EigenState<S> MeshDiscretisation::initial_bands<S>(MeshKPointBands<S>&, const Problem&, Index) const; \
  template Bands<S> MeshDiscretisation::atomic_orbitals<S>(const MeshKPointBands<S>&, const Problem&,            \
                                                           const std::vector<PseudoAtom>&, Index) const;         \
  template WriteState MeshDiscretisation::writing<S>(const Problem&, const EnergyTerms<MeshFields>&,             \
                                                     const MeshBands<S>&, const Density<MeshFields>&);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
