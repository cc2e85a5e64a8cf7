// One propagation of the bands of a calculation: the kick, the steps, and what is observed of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/calculation/magnetic_moment.hpp>
#include <wavegrid/calculation/moving_ions.hpp>
#include <wavegrid/calculation/open_positions.hpp>
#include <wavegrid/calculation/propagation_checkpoints.hpp>
#include <wavegrid/calculation/propagation_result.hpp>
#include <wavegrid/checkpoint/propagation_file.hpp>
#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/problem/field_symmetry.hpp>
#include <wavegrid/propagation/band_propagator.hpp>
#include <wavegrid/propagation/kick.hpp>

namespace wavegrid {

/// What a run needs of its calculation.
template <FieldSpace Space>
struct PropagationHooks {
  /// Velocities of the system's bands with the present vector potential. Collective.
  std::function<std::vector<BandVelocity>()> make_velocities;
  /// Gives operators and bands another vector potential, 1/bohr. Collective.
  std::function<void(const Vec3&)> set_vector_potential;
  /// The density at all points, on rank 0. Collective.
  std::function<void(const Density<Space>&, GatheredFields&)> gather;
  /// Forces on the atoms, Ha/bohr, of the system with bands of this density. Collective.
  std::function<std::vector<Vec3>(const ScfEnd<Space>&)> forces;
  /// The electrons of bands with these occupations that are outside the occupied bands of the start. Collective.
  std::function<double(const BandSums<std::complex<double>, Space>&, const std::vector<double>&)> excited;
  /// The same in each band of the start, of each spin. Collective.
  std::function<std::vector<double>(const BandSums<std::complex<double>, Space>&, const std::vector<double>&)>
      occupations;
  /// Gives the terms of the energy, or the bands' projectors, the atoms of another crystal. Collective.
  std::function<void(const Crystal&)> move_terms, move_atoms;
  /// Saves a state with the system's bands; returns the bytes of the file. Collective.
  std::function<Index(const PropagationHeader&, std::vector<FieldValues>)> save;
};

/// Members are collective over the world.
template <FieldSpace Space>
class PropagationRun {
 public:
  using Complex = std::complex<double>;

  /// All must outlive it. `start`: a potential near that of the bands. `problem` has the vector potential of the bands,
  /// which a hook changes. `exchange`: of a functional with exact exchange.
  PropagationRun(ScfSystem<Complex, Space>& system, const Problem& problem, const ElectronStates& states,
                 const Potential& start, const Propagation& options, PropagationHooks<Space> hooks,
                 std::unique_ptr<StepExchange> exchange)
      : system_(system),
        problem_(problem),
        options_(options),
        hooks_(std::move(hooks)),
        has_current_(norm2(problem.vector_potential) != 0 || options.has_laser(Gauge::velocity)),
        checkpoints_(problem, options_, system.groups.world()),
        ions_(moving(problem, options)),
        bands_(system, states, start, options.tolerance, scheme(options.scheme), drive(), std::move(exchange)) {
    if (options_.absorber) bands_.absorb_with(system.space.to_operators(absorption()));
  }

  PropagationRun(const PropagationRun&) = delete;
  PropagationRun& operator=(const PropagationRun&) = delete;

  /// Goes on from a state, with its bands and atoms; `potentials` as the file has them.
  void resume(const PropagationHeader& header, std::vector<FieldValues> potentials) {
    first_step_ = header.step;
    from_statistics(header, std::move(potentials));
    at_ = static_cast<double>(first_step_) * options_.timestep;
    if (ions_) resume_ions(*ions_, header);
  }
  /// The atoms of a state; none where they stand. Pure.
  [[nodiscard]] static std::optional<Crystal> crystal_of(const Problem& problem, const Propagation& options,
                                                         const PropagationHeader& header) {
    if (!options.moving) return std::nullopt;
    MovingIons ions(problem.crystal, *options.moving);
    resume_ions(ions, header);
    return ions.at(header.step * header.timestep);
  }

  [[nodiscard]] PropagationResult run(const PropagationObserver& observer) {
    Index step = first_step_;
    if (ions_) ions_->set_forces(forces(static_cast<double>(step) * options_.timestep));
    if (step == 0) {
      if (options_.kick && options_.kick->gauge == Gauge::dipole) kick();
      if (options_.kick && ions_) ions_->add_momenta(charges_times(-1.0 * options_.kick->momentum));
      result_.first_energy = observe(0, observer);
    }
    result_.last_energy = bands_.energies().total() + ion_kinetic();
    while (step < options_.steps) {
      if (ions_) ions_->begin_step(options_.timestep);
      bands_.step(options_.timestep);
      ++step;
      if (ions_) ions_->end_step(forces(static_cast<double>(step) * options_.timestep));
      result_.phase_error = std::max(result_.phase_error, bands_.error());
      if (step % options_.every == 0 || step == options_.steps) result_.last_energy = observe(step, observer);
      if (checkpoints_.stops_after(step, [&] { return save(step); })) break;
    }
    if (checkpoints_.signal() == 0) checkpoints_.finish(step, [&] { return save(step); });
    result_.steps = step;
    result_.time = static_cast<double>(step) * options_.timestep;
    const double all = static_cast<double>(std::max<Index>(step, 1));
    result_.iterations = static_cast<double>(bands_.iterations()) / all;
    result_.applications = static_cast<double>(system_.groups.world().max(bands_.applications())) / all;
    result_.frequency_error = bands_.frequency_error();
    result_.stop_signal = checkpoints_.signal();
    result_.checkpoint = checkpoints_.report();
    return result_;
  }
  /// The density that was reached. Local.
  [[nodiscard]] const Density<Space>& density() const { return bands_.density().fields; }

 private:
  static constexpr double lost_electrons = 1e-6;  ///< of each electron: beyond it the result has no meaning

  static constexpr std::array parts_of_potential{&Potential::v, &Potential::v_tau, &Potential::v_current};
  [[nodiscard]] int fields_of_potential() const {
    std::size_t fields = 0;
    for (SpinFields Potential::*part : parts_of_potential) fields += (bands_.potential().*part).size();
    return static_cast<int>(fields);
  }

  [[nodiscard]] static StepScheme scheme(TimeScheme of) {
    switch (of) {
      case TimeScheme::magnus4:
        return magnus4();
      case TimeScheme::crank_nicolson:
        return implicit_midpoint();
      case TimeScheme::etrs:
        break;
    }
    return enforced_reversal();
  }
  [[nodiscard]] Vec3 field(double time, Gauge gauge) const {
    Vec3 sum{0, 0, 0};
    for (const Laser& laser : options_.lasers)
      if (laser.gauge == gauge) sum = sum + laser.field(time);
    return sum;
  }
  [[nodiscard]] DrivingField drive() {
    DrivingField all = options_.has_laser(Gauge::dipole) ? dipole_drive() : DrivingField();
    if (ions_)
      all.set_atoms([this](double time) { hooks_.move_terms(ions_->at(time)); },
                    [this](double time) { hooks_.move_atoms(ions_->at(time)); });
    if (!options_.has_laser(Gauge::velocity)) return all;
    double most = 0;
    for (const Laser& laser : options_.lasers)
      if (laser.gauge == Gauge::velocity) most += laser.most_vector_potential();
    all.set_vector_potential([this](double time) { move_to(time); }, most);
    return all;
  }
  /// Adds the lasers' change of the vector potential since the last time.
  void move_to(double time) {
    Vec3 a = problem_.vector_potential;
    for (const Laser& laser : options_.lasers)
      if (laser.gauge == Gauge::velocity) a = a + laser.vector_potential_change(at_, time);
    at_ = time;
    hooks_.set_vector_potential(a);
  }
  [[nodiscard]] DrivingField dipole_drive() const {
    std::array<FieldValues, 3> positions;
    std::array<AtomMatrices, 3> couplings;
    double most = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Vec3 along{0, 0, 0};
      along[axis] = 1;
      positions[axis] = positions_along(system_.space, problem_, along);
      couplings[axis] = augmentation_integrals(positions[axis]);
      double farthest = 0, strength = 0;
      for (const double x : positions[axis]) farthest = std::max(farthest, std::abs(x));
      for (const Laser& laser : options_.lasers)
        if (laser.gauge == Gauge::dipole) strength += std::abs(laser.peak[axis]);
      most += strength * system_.groups.world().max(farthest);
    }
    return {std::move(positions), std::move(couplings), [this](double time) { return field(time, Gauge::dipole); },
            most};
  }

  /// W at this rank's points, Ha.
  [[nodiscard]] FieldValues absorption() const {
    const OpenAxes axes(problem_);
    std::array<FieldValues, 3> r;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Vec3 along{0, 0, 0};
      along[axis] = 1;
      r[axis] = positions_along(system_.space, problem_, along);
    }
    FieldValues w(r[0].size());
    for (std::size_t i = 0; i < w.size(); ++i) {
      double nearest = problem_.mesh_basis->radius;  // of the atoms
      for (const Atom& atom : problem_.crystal.atoms)
        nearest = std::min(nearest, norm(Vec3{r[0][i], r[1][i], r[2][i]} - axes.position(atom.position)));
      const Absorber& absorber = *options_.absorber;
      const double inside = nearest - (problem_.mesh_basis->radius - absorber.width);
      const double wave = inside > 0 ? std::sin(0.5 * units::pi * inside / absorber.width) : 0.0;
      w[i] = absorber.strength * wave * wave;
    }
    return w;
  }

  /// Of a function over the augmentation charges; empty without.
  [[nodiscard]] AtomMatrices augmentation_integrals(const FieldValues& function) const {
    const auto* const augmentation = system_.terms.augmentation();
    return augmentation != nullptr ? augmentation->integrals(function) : AtomMatrices();
  }
  void kick() {
    const FieldValues x = positions_along(system_.space, problem_, options_.kick->momentum);
    const AtomMatrices change = augmentation_integrals(x);
    FieldValues at_points = system_.space.to_operators(x);
    at_points.resize(at_points.size() * static_cast<std::size_t>(bands_.potential().num_fields()));
    bands_.change_bands([&](KohnShamBands<Complex>& bands, BandView<Complex> psi) {
      if (!change.empty()) {
        AtomMatrices d = bands_.potential().couplings[static_cast<std::size_t>(bands.spin)];
        bands.op.set_couplings(d);
        add(1.0, change, d);
        bands.op.set_couplings(d);  // apply_change() has the last change
      }
      kick_bands(bands.op, at_points, psi);
    });
  }

  [[nodiscard]] Vec3 current() {
    if (velocities_.empty() || options_.has_laser(Gauge::velocity)) velocities_ = hooks_.make_velocities();
    bands_.set_present_potential();
    Vec3 sum{0, 0, 0};
    for (std::size_t i = 0; i < velocities_.size(); ++i) {
      const KohnShamBands<Complex>& bands = *system_.bands[i];
      const std::vector<Vec3> found = velocities_[i](bands.state.x.view());
      const std::vector<double> f = bands_.sums().state_values(bands, bands_.occupations());
      for (std::size_t b = 0; b < found.size(); ++b) sum = sum + f[b] * found[b];
    }
    for (double& component : sum)
      component = -bands_.sums().over_kpoint_groups(component) / problem_.crystal.lattice.volume();
    return symmetrise_vector(problem_.symmetry, problem_.crystal.lattice, sum);
  }

  /// Of the electrons and ions, and of lasers.
  [[nodiscard]] std::vector<Vec3> forces(double time) {
    ScfResult states;
    states.occupations = bands_.occupations();
    std::vector<Vec3> all = hooks_.forces({states, bands_.density().fields, bands_.potential()});
    if (options_.lasers.empty()) return all;
    const std::vector<Vec3> driving = charges_times(field(time, Gauge::dipole) + field(time, Gauge::velocity));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] + driving[i];
    return all;
  }
  /// A vector times the charge of each ion.
  [[nodiscard]] std::vector<Vec3> charges_times(const Vec3& vector) const {
    std::vector<Vec3> all;
    for (const Atom& atom : problem_.crystal.atoms)
      all.push_back(problem_.pseudopotentials[static_cast<std::size_t>(atom.species)]->valence_charge() * vector);
    return all;
  }
  [[nodiscard]] double ion_kinetic() const { return ions_ ? ions_->kinetic_energy() : 0.0; }
  [[nodiscard]] static std::optional<MovingIons> moving(const Problem& problem, const Propagation& options) {
    if (!options.moving) return std::nullopt;
    return MovingIons(problem.crystal, *options.moving);
  }
  static void resume_ions(MovingIons& ions, const PropagationHeader& header) {
    std::vector<Vec3> positions, velocities;
    const std::size_t atoms = header.atoms.size() / 6;
    if (atoms != ions.positions().size()) throw bad_input("the state of a propagation has other moving atoms");
    for (std::size_t i = 0; i < 2 * atoms; ++i)
      (i < atoms ? positions : velocities)
          .push_back({header.atoms[3 * i], header.atoms[3 * i + 1], header.atoms[3 * i + 2]});
    ions.resume(header.step * header.timestep, std::move(positions), std::move(velocities));
  }

  /// Returns the energy.
  double observe(Index step, const PropagationObserver& observer) {
    const FieldValues& density = bands_.density().values.n.front();
    PropagationStep now{.step = step, .time = static_cast<double>(step) * options_.timestep};
    now.ion_kinetic = ion_kinetic();
    now.energy = bands_.energies().total() + now.ion_kinetic;
    if (ions_) now.positions = ions_->positions();
    now.electrons = system_.space.integrate([&](std::size_t i) { return density[i]; });
    now.dipole = electric_dipole(system_.space, problem_, density);
    if (has_current_) now.current = current();
    if (options_.magnetic_moment)
      now.magnetic_moment =
          magnetic_moment(system_, bands_.sums(), problem_, bands_.occupations(), bands_.potential().num_fields());
    if (options_.density_every > 0 && step % options_.density_every == 0)
      hooks_.gather(bands_.density().fields, now.density);
    if (options_.forces) now.forces = ions_ ? ions_->forces() : forces(now.time);
    if (options_.occupations) now.occupations = hooks_.occupations(bands_.sums(), bands_.occupations());
    if (options_.excited) now.excited = hooks_.excited(bands_.sums(), bands_.occupations());
    if (!options_.lasers.empty()) now.field = field(now.time, Gauge::dipole) + field(now.time, Gauge::velocity);
    const double lost = std::abs(now.electrons - system_.electrons.count);
    if (!options_.absorber && !(lost <= lost_electrons * system_.electrons.count))
      throw internal_error("the propagation has lost " + to_text(lost) + " electrons at step " + std::to_string(step));
    result_.electrons = std::max(result_.electrons, lost);
    if (observer) observer(now);
    return now.energy;
  }

  [[nodiscard]] Index save(Index step) {
    const auto memory = bands_.memory();
    PropagationHeader header{
        .identity = options_.identity,
        .step = static_cast<int>(step),
        .timestep = options_.timestep,
        .vector_potential = problem_.vector_potential,
        .occupations = bands_.occupations(),
        .statistics = {result_.first_energy, result_.electrons, result_.phase_error,
                       static_cast<double>(memory.iterations), memory.change_squares, memory.bend_squares,
                       static_cast<double>(memory.followed), static_cast<double>(memory.applications)},
        .potentials = static_cast<int>(memory.history.size()),
        .fields = fields_of_potential()};
    if (ions_)
      for (const auto* all : {&ions_->positions(), &ions_->velocities()})
        for (const Vec3& one : *all) header.atoms.insert(header.atoms.end(), one.begin(), one.end());
    std::vector<FieldValues> potentials;
    for (const Potential& one : memory.history.all()) {
      for (SpinFields Potential::*part : parts_of_potential)
        potentials.insert(potentials.end(), (one.*part).begin(), (one.*part).end());
      for (const SpinMatrices* part : {&one.matrices, &one.couplings})
        for (const AtomMatrices& matrices : *part) {
          const std::vector<double> numbers = numbers_of(matrices);
          header.matrices.insert(header.matrices.end(), numbers.begin(), numbers.end());
        }
    }
    return hooks_.save(header, std::move(potentials));
  }
  void from_statistics(const PropagationHeader& header, std::vector<FieldValues> potentials) {
    constexpr std::size_t count = 8;
    const std::vector<double>& s = header.statistics;
    if (s.size() != count) throw bad_input("the state of a propagation has numbers that this program does not know");
    result_.first_energy = s[0];
    result_.electrons = s[1];
    result_.phase_error = s[2];
    typename BandPropagator<Space>::Memory memory{.timestep = header.timestep,
                                                  .time = header.step * header.timestep,
                                                  .iterations = static_cast<Index>(s[3]),
                                                  .applications = static_cast<Index>(s[7]),
                                                  .change_squares = s[4],
                                                  .bend_squares = s[5],
                                                  .followed = static_cast<int>(s[6])};
    if (header.fields != fields_of_potential()) throw bad_input("the state of a propagation is of another functional");
    const auto fields = static_cast<std::size_t>(header.fields);
    for (std::size_t n = potentials.size() / fields; n-- > 0;) {  // the oldest first
      Potential one;
      auto next = potentials.begin() + static_cast<std::ptrdiff_t>(n * fields);
      for (SpinFields Potential::*part : parts_of_potential)
        while ((one.*part).size() < (bands_.potential().*part).size()) (one.*part).push_back(std::move(*next++));
      read_matrices(header.matrices, n, static_cast<std::size_t>(problem_.spins), one);
      memory.history.add(std::move(one));
    }
    bands_.resume(std::move(memory));
  }

  /// Those of the `n`th potential of a state.
  void read_matrices(const std::vector<double>& numbers, std::size_t n, std::size_t spins, Potential& potential) const {
    const auto* const augmentation = system_.terms.augmentation();
    std::vector<SpinMatrices*> parts;
    if (system_.terms.needs_matrices()) parts.push_back(&potential.matrices);
    if (augmentation != nullptr) parts.push_back(&potential.couplings);
    if (parts.empty()) return;
    const AtomMatrices zeros = augmentation->zeros();
    const std::size_t size = numbers_of(zeros).size();
    if (numbers.size() < (n + 1) * parts.size() * spins * size)
      throw bad_input("the state of a propagation is of other pseudopotentials");
    auto from = numbers.begin() + static_cast<std::ptrdiff_t>(n * parts.size() * spins * size);
    for (SpinMatrices* part : parts)
      for (std::size_t spin = 0; spin < spins; ++spin, from += static_cast<std::ptrdiff_t>(size))
        set_numbers({from, from + static_cast<std::ptrdiff_t>(size)}, part->emplace_back(zeros));
  }

  ScfSystem<Complex, Space>& system_;
  const Problem& problem_;
  Propagation options_;
  PropagationHooks<Space> hooks_;
  bool has_current_;
  std::vector<BandVelocity> velocities_;
  PropagationCheckpoints checkpoints_;
  PropagationResult result_;
  std::optional<MovingIons> ions_;
  Index first_step_ = 0;
  double at_ = 0;  ///< time of the vector potential
  BandPropagator<Space> bands_;
};

}  // namespace wavegrid
