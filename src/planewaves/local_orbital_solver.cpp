#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/scope_timer.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/fft/field_exchange.hpp>
#include <wavegrid/orbitals/curve_order.hpp>
#include <wavegrid/orbitals/orbital_radius.hpp>
#include <wavegrid/planewaves/local_orbital_solver.hpp>
#include <wavegrid/planewaves/sphere_orbitals.hpp>
#include <wavegrid/scf/channel_density.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

namespace {

constexpr double outside = 1e-8;  // share of the squared norm that a box may cut off

/// The radial functions of each species.
std::vector<std::vector<NumericalOrbital>> species_orbitals(const Problem& problem,
                                                            const std::vector<PseudoAtom>& atoms) {
  const LocalXc xc = atomic_xc();
  LocalOrbitals options = problem.local_orbitals.value();
  if (options.optimise && options.box_radius) options.radius = std::min(options.radius, *options.box_radius);
  std::vector<std::vector<NumericalOrbital>> species;
  for (std::size_t s = 0; s < atoms.size(); ++s)
    species.push_back(make_numerical_orbitals(*problem.pseudopotentials[s], atoms[s], xc, options));
  return species;
}

std::vector<Index> function_counts(const Problem& problem) {
  std::vector<Index> counts;
  for (const auto& potential : problem.pseudopotentials)
    counts.push_back(count_numerical_orbitals(*potential, problem.local_orbitals->set));
  return counts;
}

/// The largest radius that makes sense: a box of it is the whole cell.
double whole_cell_radius(const Lattice& lattice) {
  double radius = 0;
  constexpr double more = 1 + 1e-9;  // not less by rounding
  for (const Vec3& b : lattice.reciprocal()) radius = std::max(radius, more * units::pi / norm(b));
  return radius;
}

}  // namespace

template <class S>
LocalOrbitalSolver<S>::LocalOrbitalSolver(ScfSystem<S, GridFields>& system, const MyBands<S>& bands,
                                          const Setting& setting, const Problem& problem)
    : system_(system),
      problem_(problem),
      species_(species_orbitals(problem, setting.pseudo_atoms)),
      order_(curve_order(problem.crystal)),
      crystal_(reordered(problem.crystal, order_)),
      potential_(system),
      sums_(system),
      applications_before_(all_applications()) {
  const LocalOrbitals& options = problem.local_orbitals.value();
  const Lattice& lattice = problem.crystal.lattice;
  report_->radius = options.radius;
  for (const auto& orbitals : species_) {
    const double whole = whole_cell_radius(lattice);
    const double radius = options.box_radius ? *options.box_radius
                          : options.optimise ? whole
                                             : orbital_radius(orbitals, problem.ecut, outside, whole);
    radii_.push_back(radius);
    report_->box_radius = std::max(report_->box_radius, radius);
  }
  const ProcessGroups& groups = system.groups;
  layout_ = std::make_unique<OrbitalLayout>(crystal_, problem.grid, function_counts(problem), radii_,
                                            groups.kpoint_group().size());
  report_->functions = layout_->num_functions();
  if (report_->functions < system.bands_per_k)
    throw bad_input(std::to_string(system.bands_per_k) + " bands of " + std::to_string(report_->functions) +
                    " local orbitals; valid: at most as many bands, or more functions");
  const Range mine = layout_->atoms(groups.kpoint_group().rank());
  std::vector<Box> boxes;
  for (Index a = mine.begin; a < mine.end; ++a) {
    boxes.push_back(layout_->box(a));
    boxes.back().number += groups.my_kpoint_group() * layout_->num_atoms();
  }
  exchange_ = std::make_unique<BoxExchange>(groups.world(), problem.grid, grid_indices(system.space.grid().layout()),
                                            std::move(boxes), BoxOptions{.deterministic = problem.deterministic});
  report_->whole_cell = !has_spheres() || report_->box_radius >= farthest_point(lattice);
  for (Index a = 0; a < layout_->num_atoms(); ++a)
    report_->whole_cell = report_->whole_cell && layout_->box(a).size == problem.grid;
  if (!report_->whole_cell && !has_spheres())
    for (std::size_t s = 0; s < species_.size(); ++s)
      for (const NumericalOrbital& orbital : species_[s])
        report_->lost_norm = std::max(report_->lost_norm, share_outside(orbital, problem.ecut, radii_[s]));
  const OrbitalSetting orbitals{problem, crystal_, groups, species_, *layout_, system.space.grid().volume_element()};
  groups.world().collectively([&] {
    for (const auto& one : bands) {
      const std::pair<int, int> key{one->k, optimises() ? one->spin : 0};
      if (!bases_.contains(key)) bases_.emplace(key, make_functions(orbitals, *one));
      OrbitalFunctions<S>& basis = *bases_.at(key);
      sets_.push_back({one.get(), &basis, optimises() ? make_optimiser(basis, sets_.size()) : nullptr,
                       options.kernel == DensityKernel::purify ? &kernels_[key] : nullptr});
    }
  });
}

template <class S>
std::unique_ptr<OrbitalFunctions<S>> LocalOrbitalSolver<S>::make_functions(const OrbitalSetting& setting,
                                                                           PlaneWaveBands<S>& bands) const {
  if (has_spheres()) return std::make_unique<SphereOrbitals<S>>(setting, bands, radii_);
  return std::make_unique<OrbitalBasis<S>>(setting, bands);
}

template <class S>
std::unique_ptr<OrbitalOptimiser<S>> LocalOrbitalSolver<S>::make_optimiser(OrbitalFunctions<S>& basis,
                                                                           std::size_t set) {
  return std::make_unique<OrbitalOptimiser<S>>(
      basis, [this, set](std::span<const double> potential) { return try_states(sets_[set], potential); });
}

template <class S>
Index LocalOrbitalSolver<S>::all_applications() const {
  double mine = 0;
  for (const auto& [key, functions] : bases_) mine += static_cast<double>(functions->applications());
  for (const KohnShamBands<S>* bands : system_.bands) mine += static_cast<double>(bands->op.applications());
  return static_cast<Index>(std::llround(sums_.over_kpoint_groups(mine)));
}

template <class S>
void LocalOrbitalSolver<S>::begin(ScfPoint<GridFields>& /*at*/, ElectronStates& /*states*/) {
  if (optimises()) contain_bands();
  const bool has_waves = keeps_plane_waves(problem_);
  for (Set& set : sets_) {
    EigenState<S>& state = set.bands->state;
    state = EigenState<S>(set.bands->h.rows(), has_waves ? system_.bands_per_k : 0);
    state.values.assign(static_cast<std::size_t>(system_.bands_per_k), 0.0);
  }
}

template <class S>
void LocalOrbitalSolver<S>::contain_bands() {
  const auto occupied = static_cast<Index>(std::ceil(0.5 * system_.electrons.count));
  system_.groups.world().collectively([&] {
    for (Set& set : sets_) {
      const BandView<const S> psi = std::as_const(set.bands->state.x).view();
      if (psi.count > 0) set.basis->contain(psi.slice(0, std::min(occupied, psi.count)));
      if (set.kernel != nullptr) set.kernel->reset();
    }
  });
}

template <class S>
ElectronErrors LocalOrbitalSolver<S>::solve(ScfPoint<GridFields>& at, ElectronStates& states) {
  const ScopeTimer timer(report_->seconds.total);
  const BoxFields potential = extracted(at.potential.potential);
  diagonalise(potential);
  if (optimises()) optimise(at.potential.potential, potential, states);
  if (purifies()) report_kernel();
  if (problem_.checkpoint) set_states();
  return evaluate(at, states);
}

template <class S>
ElectronErrors LocalOrbitalSolver<S>::evaluate(ScfPoint<GridFields>& at, ElectronStates& states) {
  occupy(states, at.potential.potential);
  density_error_ = system_.terms.change_energy(at.density, output_.fields);
  return {.electrons = orbital_error_, .density = density_error_};
}

template <class S>
typename LocalOrbitalSolver<S>::BoxFields LocalOrbitalSolver<S>::extracted(const Potential& potential) {
  const ScopeTimer timer(report_->seconds.extract);
  BoxFields fields;
  for (const FieldValues& v : potential.v) {
    fields.emplace_back(static_cast<std::size_t>(exchange_->offset(exchange_->boxes().size())));
    exchange_->extract<double>(v.data(), fields.back().data());
  }
  return fields;
}

template <class S>
void LocalOrbitalSolver<S>::diagonalise(const BoxFields& potential) {
  system_.groups.world().collectively([&] {
    for (Set& set : sets_) {
      const BlockSparse<S> h = hamiltonian(set, potential[static_cast<std::size_t>(set.bands->spin)]);
      std::optional<OrbitalStates<S>> solution;
      {
        const ScopeTimer timer(report_->seconds.solution);
        if (set.kernel != nullptr)
          solution = purify(set, h);
        else
          solution = set.basis->solve(h, system_.bands_per_k);
      }
      take(set, std::move(*solution));
    }
  });
}

template <class S>
BlockSparse<S> LocalOrbitalSolver<S>::hamiltonian(const Set& set, std::span<const double> potential) {
  const ScopeTimer timer(report_->seconds.matrices);
  return set.basis->hamiltonian(potential);
}

template <class S>
OrbitalStates<S> LocalOrbitalSolver<S>::purify(Set& set, const BlockSparse<S>& h) {
  std::unique_ptr<OrbitalKernel<S>>& kernel = *set.kernel;
  if (!kernel)
    kernel = std::make_unique<OrbitalKernel<S>>(set.basis->overlaps(), problem_.local_orbitals->kernel_cutoff,
                                                problem_.deterministic);
  const Index bands = system_.bands_per_k;
  PurifiedStates<S> found = kernel->solve(h, bands);
  OrbitalStates<S> states;
  if (has_levels(problem_)) {
    states = kernel->occupied(found.k, h, bands);
  } else {
    states.values.assign(static_cast<std::size_t>(bands), found.energy / static_cast<double>(bands));
    states.m = std::move(found.m);
  }
  const double products = set.figures.block_products;
  set.figures = found.figures;
  set.figures.block_products += products;
  states.k = std::move(found.k);
  return states;
}

template <class S>
OrbitalStates<S> LocalOrbitalSolver<S>::try_states(Set& set, std::span<const double> potential) {
  const BlockSparse<S> h = set.basis->hamiltonian(potential);
  if (set.kernel == nullptr) return set.basis->solve(h, system_.bands_per_k);
  set.kernel->reset();
  try {
    return purify(set, h);
  } catch (const Error& fault) {  // on all ranks
    if (fault.kind() != ErrorKind::bad_input) throw;
    fault_ = fault.what();
    OrbitalStates<S> none;
    none.definite = false;
    return none;
  }
}

template <class S>
void LocalOrbitalSolver<S>::report_kernel() {
  KernelReport all{.cutoff = problem_.local_orbitals->kernel_cutoff};
  for (const Set& set : sets_) {
    const double full = system_.k_weights[static_cast<std::size_t>(set.bands->k)] * system_.electrons.full();
    const KernelReport& one = set.figures;
    all.iterations = std::max(all.iterations, one.iterations);
    all.block_products += one.block_products;
    all.filled = std::max(all.filled, one.filled);
    all.idempotency = std::max(all.idempotency, one.idempotency);
    all.electrons += full * one.electrons;
    all.energy_error += full * one.energy_error;
    all.highest_occupied = std::max(all.highest_occupied, one.highest_occupied);
    all.lowest_empty = std::min(all.lowest_empty, one.lowest_empty);
  }
  const Comm& world = system_.groups.world();
  all.iterations = world.max(all.iterations);
  all.filled = world.max(all.filled);
  all.idempotency = world.max(all.idempotency);
  all.highest_occupied = world.max(all.highest_occupied);
  all.lowest_empty = world.min(all.lowest_empty);
  for (double KernelReport::*sum :
       {&KernelReport::block_products, &KernelReport::electrons, &KernelReport::energy_error})
    all.*sum = sums_.over_kpoint_groups(all.*sum);
  report_->kernel = all;
}

template <class S>
bool LocalOrbitalSolver<S>::verify(const ScfPoint<GridFields>& /*at*/, ElectronStates& /*states*/, bool small) {
  if (small && report_->kernel && !(report_->kernel->lowest_empty > report_->kernel->highest_occupied))
    throw bad_input("purification: a state that is empty lies at " + to_text(report_->kernel->lowest_empty) +
                    " Ha, below an occupied one of another k-point or spin at " +
                    to_text(report_->kernel->highest_occupied) +
                    " Ha: there is no gap; valid: kernel = \"diagonalise\", with smearing");
  return true;
}

template <class S>
void LocalOrbitalSolver<S>::report_sharing() {
  LocalOrbitalSeconds& seconds = report_->seconds;
  seconds.sharing = seconds.get = seconds.request = 0;
  for (const auto& [key, basis] : bases_) {
    const FunctionTraffic traffic = basis->traffic();
    seconds.sharing += traffic.seconds;
    seconds.get += traffic.window_seconds;
    seconds.request += traffic.message_seconds;
  }
}

template <class S>
void LocalOrbitalSolver<S>::take(Set& set, OrbitalStates<S> solution) const {
  if (!solution.definite)
    throw bad_input(!fault_.empty() ? fault_
                                    : "the local orbitals are linearly dependent; valid: fewer functions, or a smaller "
                                      "radius");
  set.states = std::move(solution);
  set.bands->state.values = set.states.values;
}

template <class S>
void LocalOrbitalSolver<S>::set_states() {
  const ScopeTimer timer(report_->seconds.bands);
  system_.groups.world().collectively([&] {
    for (Set& set : sets_) set.basis->set_states(set.states.vectors, set.bands->state.x.view());
  });
}

template <class S>
void LocalOrbitalSolver<S>::finish_energies(const ScfPoint<GridFields>& at, ElectronStates& states,
                                            Energies& /*energies*/) {
  if (purifies()) {
    const BoxFields potential = extracted(at.potential.potential);
    system_.groups.world().collectively([&] {
      for (Set& set : sets_) finish(set, potential[static_cast<std::size_t>(set.bands->spin)]);
    });
    report_kernel();
  }
  if (leaves_out_levels(problem_)) return set_edges(states);
  if (!has_levels(problem_)) {
    minus_ts_ = occupy_bands(system_, states);
    states.residuals.assign(states.eigenvalues.size(), 0.0);
  }
  if (keeps_plane_waves(problem_)) set_states();
}

template <class S>
void LocalOrbitalSolver<S>::finish(Set& set, std::span<const double> potential) {
  const BlockSparse<S> h = hamiltonian(set, potential);
  const ScopeTimer timer(report_->seconds.bands);
  const OrbitalKernel<S>& kernel = **set.kernel;  // of the present functions, as K
  kernel.complete(set.figures, *set.states.k, h);
  if (has_levels(problem_) || leaves_out_levels(problem_)) return;
  static_cast<SubspaceSolution<S>&>(set.states) = kernel.occupied(*set.states.k, h, system_.bands_per_k);
  set.bands->state.values = set.states.values;
}

template <class S>
void LocalOrbitalSolver<S>::set_edges(ElectronStates& states) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  std::fill(states.fermi.begin(), states.fermi.end(), none);
  for (Set& set : sets_) {
    double& fermi = states.fermi[states.fermi.size() == 2 ? static_cast<std::size_t>(set.bands->spin) : 0];
    fermi = std::max(fermi, set.figures.highest_occupied);
    set.bands->state.values.clear();
  }
  system_.groups.world().max(std::span<double>(states.fermi));
}

template <class S>
void LocalOrbitalSolver<S>::optimise(const Potential& potential, const BoxFields& in_boxes, ElectronStates& states) {
  const ScopeTimer timer(report_->seconds.optimisation);
  constexpr int first_steps = 4, most_steps = 12;
  constexpr double share = 0.1;  // of the error of the density, which better functions do not lower
  potential_.set(potential);
  minus_ts_ = occupy_bands(system_, states);
  const double num_sets = static_cast<double>(system_.k_weights.size()) * system_.electrons.spins;
  const double least = share * std::max(density_error_, problem_.scf.energy_tolerance) / num_sets;
  const int most = std::exchange(is_first_, false) ? first_steps : most_steps;
  double left = 0;
  Index steps = 0;
  system_.groups.world().collectively([&] {
    for (Set& set : sets_) {
      OrbitalStates<S> solution = std::move(set.states);
      set.optimiser->improve(in_boxes[static_cast<std::size_t>(set.bands->spin)],
                             sums_.state_values(*set.bands, states.occupations), least, most, solution);
      take(set, std::move(solution));
      left += set.optimiser->remaining();
      steps += set.optimiser->steps();
    }
  });
  orbital_error_ = sums_.over_kpoint_groups(left);
  report_->error = orbital_error_;
  report_->steps = static_cast<Index>(std::llround(sums_.over_kpoint_groups(static_cast<double>(steps))));
  double mine = 0;
  for (const auto& [key, functions] : bases_) mine += static_cast<double>(functions->applications());
  report_->applications = static_cast<Index>(std::llround(sums_.over_kpoint_groups(mine)));
}

template <class S>
void LocalOrbitalSolver<S>::occupy(ElectronStates& states, const Potential& potential) {
  minus_ts_ = occupy_bands(system_, states);
  if (!has_levels(problem_)) states.eigenvalues.clear();  // until the end
  states.residuals.assign(states.eigenvalues.size(), 0.0);
  SpinFields channels;
  for (int spin = 0; spin < system_.electrons.spins; ++spin)
    channels.push_back(channel_density(spin, states.occupations));
  output_ = density_of_channels(system_.space, std::move(channels), potential.v);
  report_sharing();
}

template <class S>
BlockSparse<S> LocalOrbitalSolver<S>::density_matrix(const Set& set, const std::vector<double>& weights) const {
  if (!set.states.k) return set.basis->density_matrix(set.states.vectors, weights);
  BlockSparse<S> k(*set.states.k);
  k.scale(static_cast<S>(weights.front()));  // all states have the same
  return k;
}

template <class S>
FieldValues LocalOrbitalSolver<S>::channel_density(int spin, const std::vector<double>& weights) {
  std::vector<double> values(static_cast<std::size_t>(exchange_->offset(exchange_->boxes().size())), 0.0);
  system_.groups.world().collectively([&] {
    const ScopeTimer timer(report_->seconds.density);
    for (const Set& set : sets_)
      if (set.bands->spin == spin)
        set.basis->add_density(density_matrix(set, sums_.state_values(*set.bands, weights)), values);
  });
  const ScopeTimer timer(report_->seconds.deposit);
  FieldValues density(static_cast<std::size_t>(system_.space.grid().grid_size()), 0.0);
  exchange_->deposit<double>(values.data(), density.data());
  return density;
}

template <class S>
FieldValues LocalOrbitalSolver<S>::local_density_of_states(const ElectronStates& states) {
  if (purifies()) return FieldValues(static_cast<std::size_t>(system_.space.grid().grid_size()), 0.0);
  return states_at_fermi_level(
      system_, states, [this](int spin, const std::vector<double>& slopes) { return channel_density(spin, slopes); });
}

template <class S>
double LocalOrbitalSolver<S>::expectation(const BlockSparse<S>& (OrbitalFunctions<S>::*matrix)() const,
                                          const std::vector<double>& occupations) {
  double sum = 0;
  for (const Set& set : sets_)
    sum += trace_product((set.basis->*matrix)(), density_matrix(set, sums_.state_values(*set.bands, occupations)));
  return sums_.over_kpoint_groups(sum);
}

template <class S>
NamedValues<double> LocalOrbitalSolver<S>::energies(const ElectronStates& states) {
  NamedValues<double> all;
  all["kinetic"] = expectation(&OrbitalFunctions<S>::kinetic, states.occupations);
  all["nonlocal"] = expectation(&OrbitalFunctions<S>::fixed, states.occupations) - all["kinetic"];
  all["entropy"] = minus_ts_;
  return all;
}

template <class S>
void LocalOrbitalSolver<S>::add_gradients(const Potential& potential, const ElectronStates& states, Gradients& sum) {
  if (!sum.with_forces) return;
  potential_.set(potential);
  const std::size_t num_atoms = problem_.crystal.atoms.size();
  std::vector<double> mine(3 * num_atoms, 0.0);
  for (Set& set : sets_) {
    const SubspaceSolution<S> solution{.values = set.bands->state.values, .vectors = set.states.vectors};
    set.basis->add_forces(sums_.state_values(*set.bands, states.occupations), solution, mine);
  }
  system_.groups.world().sum(std::span<double>(mine));
  std::vector<Vec3>& forces = sum.forces[has_spheres() ? "nonlocal" : "orbitals"];
  forces.resize(num_atoms);
  for (std::size_t a = 0; a < num_atoms; ++a)
    forces[static_cast<std::size_t>(order_[a])] = {mine[3 * a], mine[3 * a + 1], mine[3 * a + 2]};
}

template class LocalOrbitalSolver<double>;
template class LocalOrbitalSolver<std::complex<double>>;

}  // namespace wavegrid
