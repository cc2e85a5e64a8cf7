// How electrons are found in a potential: what the self-consistency loop knows of them.
//
//   Density --terms--> Potential --ElectronSolver--> Density'
//
// The loop (scf_loop.hpp) mixes the two densities to the next one. It knows neither bands nor what they stand on. Bands
// by an eigensolver (kohn_sham_solver.hpp) are one solver. A minimiser of the energy (direct_minimiser.hpp) is another:
// it goes from the density to one of a lower energy, whose potential it knows, and nothing is mixed. Any other class
// will do, such as that of tests/mpi/test_orbital_free.cpp.
#pragma once

#include <optional>

#include <wavegrid/base/error.hpp>
#include <wavegrid/fields/energy_terms.hpp>
#include <wavegrid/scf/scf_result.hpp>

namespace wavegrid {

/// Where a self-consistency loop is: a density and its potential.
template <FieldSpace Space>
struct ScfPoint {
  Density<Space>& density;
  LinearPotential potential{};
};

/// The density of electrons in a potential, as fields of the space and as values at points, averaged over the symmetry.
template <FieldSpace Space>
struct ElectronDensity {
  Density<Space> fields;
  DensityValues values;
  /// Ha, sum_s int (v_s n_s + v_tau,s tau_s) + sum_ij h_ij rho_ij before the average over the symmetry.
  double potential_energy = 0;

  [[nodiscard]] DensityView<Space> view() const { return {fields, values}; }
};

/// Errors of the free energy, Ha.
struct ElectronErrors {
  double electrons = 0;  ///< of the electrons in their potential
  /// EnergyTerms::change_energy from the density of the potential to theirs: an upper bound of the error by its
  /// difference from the self-consistent one.
  double density = 0;
};

/// Members are collective over the space unless they say "local". States, errors and energies are the same on all
/// ranks.
template <FieldSpace Space>
class ElectronSolver {
 public:
  ElectronSolver() = default;
  ElectronSolver(const ElectronSolver&) = delete;
  ElectronSolver& operator=(const ElectronSolver&) = delete;
  virtual ~ElectronSolver() = default;

  /// Makes initial electrons where there are none.
  virtual void begin(ScfPoint<Space>& at, ElectronStates& states) = 0;
  /// One step: finds the electrons in the potential of `at`, as accurately as this step of the loop needs them. A
  /// solver that minimises the energy moves `at` to the density that it finds, with its potential.
  virtual ElectronErrors solve(ScfPoint<Space>& at, ElectronStates& states) = 0;
  /// The same for the electrons as they are, without finding better ones.
  virtual ElectronErrors evaluate(ScfPoint<Space>& at, ElectronStates& states) = 0;
  /// Called when the loop has gone on to another density, with its potential: updates what is kept of the last one.
  virtual void potential_changed(const Potential& /*potential*/) {}

  /// The density of the electrons that were found last. Local.
  [[nodiscard]] virtual ElectronDensity<Space>& density() = 0;
  /// Their energies that are no terms of the density, Ha, by names, in the order of results: the first one comes before
  /// the terms of the density, such as `kinetic`, the others after them.
  [[nodiscard]] virtual NamedValues<double> energies(const ElectronStates& states) = 0;
  /// The terms of their density, where the solver has these energies already or an approximation that its accuracy
  /// allows. None: the loop computes them.
  [[nodiscard]] virtual std::optional<TermEnergies> term_energies(const ScfPoint<Space>& /*at*/) { return {}; }
  /// Called after a step that may be the last one: replaces energies that were deduced from others by those of the
  /// electrons themselves.
  virtual void finish_energies(const ScfPoint<Space>& /*at*/, ElectronStates& /*states*/, Energies& /*energies*/) {}
  /// Called then, too: whether these are the electrons of the lowest energy, and no data that the solver keeps is
  /// inaccurate. If not, the next step begins with better ones. `small`: the error is; otherwise the loop ends because
  /// of its number of steps.
  [[nodiscard]] virtual bool verify(const ScfPoint<Space>& /*at*/, ElectronStates& /*states*/, bool /*small*/) {
    return true;
  }

  /// Adds derivatives of the energy of the electrons that neither the terms nor their bands have: those of functions
  /// that they are sums of and that move with the atoms or the cell. `potential`: that in which they were found.
  virtual void add_gradients(const Potential& /*potential*/, const ElectronStates& /*states*/, Gradients& /*sum*/) {}

  /// Whether the density of the electrons is that of `at` after each step: nothing is mixed. Local.
  [[nodiscard]] virtual bool is_self_consistent() const { return false; }
  /// Whether the errors of the last step are bounds.
  [[nodiscard]] virtual bool is_reliable() const { return true; }
  /// Whether the electrons have the rounding of single precision. Local.
  [[nodiscard]] virtual bool is_single_precision() const { return false; }
  /// The local density of states at the Fermi level, 1/(Ha bohr^3), at this rank's points: for mixing with
  /// PreconditionerKind::ldos. The default throws internal_error.
  [[nodiscard]] virtual FieldValues local_density_of_states(const ElectronStates& /*states*/) {
    throw internal_error("a solver without a local density of states");
  }
  /// Bands per k-point and spin. Local.
  [[nodiscard]] virtual Index num_bands() const = 0;
  /// Applications of H to a band since the solver was made, of all k-points.
  [[nodiscard]] virtual Index applications() const { return 0; }
};

}  // namespace wavegrid
