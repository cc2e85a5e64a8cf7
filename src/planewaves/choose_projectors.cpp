#include <algorithm>
#include <cmath>
#include <functional>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/hamiltonian/nonlocal_potential.hpp>
#include <wavegrid/planewaves/choose_projectors.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>

namespace wavegrid {

namespace {

using SolvedAtoms = std::function<std::vector<PseudoAtom>()>;

/// Spheres of all atoms, filtered to the accuracy of the problem.
ProjectorChoice filtered_choice(const Problem& problem, const std::vector<PseudoAtom>& pseudo_atoms) {
  const Lattice& lattice = problem.crystal.lattice;
  const GridWaves waves = grid_waves(lattice, problem.grid, problem.ecut);
  const double points_per_volume =
      static_cast<double>(problem.grid[0]) * problem.grid[1] * problem.grid[2] / lattice.volume();
  const FilterGoal goal{problem.projector_accuracy, lattice.volume() / problem.crystal.num_atoms()};
  ProjectorChoice choice{.in_real_space = true, .reason = {}};
  for (int s = 0; s < problem.crystal.num_species(); ++s) {
    const auto i = static_cast<std::size_t>(s);
    const FilteredProjectors found = filter_to_accuracy(*problem.pseudopotentials[i], pseudo_atoms[i], waves, goal);
    const double share = static_cast<double>(problem.crystal.species_atoms(s).size()) / problem.crystal.num_atoms();
    choice.error += share * found.error.energy;
    choice.points += share * 4.0 / 3.0 * units::pi * found.radius * found.radius * found.radius * points_per_volume;
    choice.radius = std::max(choice.radius, found.radius);
  }
  return choice;
}

/// Products of real numbers of a projector with a band in reciprocal space, divided by the bands of an array on the
/// grid relative to Gamma.
double products_of_projector(const Problem& problem) {
  const double volume = std::pow(2.0 * problem.ecut, 1.5) * problem.crystal.lattice.volume();
  const double waves = volume / (6.0 * units::pi * units::pi);
  return problem.mode == Mode::gamma ? waves : 2.0 * waves;  // four products of reals, and half as many bands
}

/// The time of a point of a sphere for all projectors of an atom, with its share of the passes over the grid, in
/// products of a row and a projector: 36 on Al108 (one rank), 53 on Al500 (two ranks), decision 0020.
constexpr double products_per_point = 45;
/// How much shorter the time has to be: below this the estimate is not certain enough.
constexpr double least_gain = 1.2;

/// The products of a band with all projectors in reciprocal space, divided by the time in real space.
double gain(const Problem& problem, double points) {
  const auto atoms = static_cast<double>(problem.crystal.num_atoms());
  const auto projectors = static_cast<double>(count_projectors(problem.crystal, problem.pseudopotentials));
  return products_of_projector(problem) * projectors / (products_per_point * points * atoms);
}

std::string text_of_gain(double found) {
  return found < 1.05 ? "no less time" : to_text(std::round(10 * found) / 10) + " times less time";
}

ProjectorChoice automatic_choice(const Problem& problem, const SolvedAtoms& pseudo_atoms) {
  constexpr double smallest_radius = 2;  // bohr, of usual projectors at usual accuracies
  const double density =
      static_cast<double>(problem.grid[0]) * problem.grid[1] * problem.grid[2] / problem.crystal.lattice.volume();
  const double fewest = 4.0 / 3.0 * units::pi * std::pow(smallest_radius, 3) * density;
  if (gain(problem, fewest) < least_gain)  // without the time of filtering
    return {.reason = "automatic: the cell is too small for spheres of points to save time"};
  const auto& atoms = pseudo_atoms();  // their errors are those of the potentials
  try {
    ProjectorChoice choice = filtered_choice(problem, atoms);
    const double found = gain(problem, choice.points);
    if (found >= least_gain) {
      choice.reason = "automatic: " + text_of_gain(found) + " than on the plane waves, by estimate";
      return choice;
    }
    return {.reason = "automatic: spheres of " + to_text(std::round(choice.points)) + " points would take " +
                      text_of_gain(found)};
  } catch (const Error&) {
    return {.reason = "automatic: the FFT grid is too coarse for the accuracy in real space"};
  }
}

ProjectorChoice choose(const Problem& problem, const SolvedAtoms& pseudo_atoms) {
  if (count_projectors(problem.crystal, problem.pseudopotentials) == 0) return {.reason = "there are none"};
  if (has_augmentation(problem.pseudopotentials)) return {.reason = "an ultrasoft or PAW dataset needs them there"};
  if (has_hubbard(problem.pseudopotentials)) return {.reason = "DFT+U needs them there"};
  if (problem.spinors) return {.reason = "spinors need them there"};
  if (problem.projectors == ProjectorSpace::automatic) return automatic_choice(problem, pseudo_atoms);
  if (problem.projectors == ProjectorSpace::reciprocal) return {.reason = "set in the input"};
  ProjectorChoice choice = filtered_choice(problem, pseudo_atoms());
  choice.reason = "set in the input";
  return choice;
}

}  // namespace

ProjectorChoice choose_projectors(const Problem& problem, const std::vector<PseudoAtom>& pseudo_atoms) {
  return choose(problem, [&] { return pseudo_atoms; });
}

ProjectorChoice choose_projectors(const Problem& problem) {
  return choose(problem, [&] { return solve_pseudo_atoms(problem.pseudopotentials); });
}

}  // namespace wavegrid
