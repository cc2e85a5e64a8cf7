#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <wavegrid/atom/numerical_orbitals.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/boxes/block_transfer.hpp>
#include <wavegrid/orbitals/box_projectors.hpp>
#include <wavegrid/orbitals/common_points.hpp>
#include <wavegrid/orbitals/curve_order.hpp>
#include <wavegrid/orbitals/line_kinetic.hpp>
#include <wavegrid/orbitals/orbital_matrices.hpp>
#include <wavegrid/orbitals/orbital_spheres.hpp>
#include <wavegrid/planewaves/local_orbital_rules.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>

namespace wavegrid {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& valid) {
  throw bad_input("local orbitals: " + what + "; valid: " + valid);
}

void require_radius(const char* name, double radius, double most) {
  constexpr double least = 1;
  if (!(radius >= least && radius <= most))
    refuse(std::string(name) + " is " + to_text(radius) + " bohr", "from 1 to " + to_text(most));
}

void require_valid_electrons(const Problem& problem) {
  for (const auto& potential : problem.pseudopotentials)
    if (const AugmentedDataset* const dataset = potential->augmented(); dataset != nullptr)
      refuse("the pseudopotential of " + potential->element() + " is " + dataset->kind(), "a norm-conserving one");
  if (Xc::parse(problem.xc).needs_tau()) refuse("the functional is a meta-GGA", "an LDA or GGA");
  if (problem.exchange) refuse("exact exchange", "a functional without it");
  if (problem.spinors) refuse("wave functions of two components", "one component");
  if (has_hubbard(problem.pseudopotentials)) refuse("DFT+U", "plane waves");
}

double points(const Int3& size) { return static_cast<double>(size[0]) * size[1] * size[2]; }

/// Points that enter or leave a sphere while its atom moves make steps in the energy.
void require_smooth_energy(const Problem& problem) {
  const LocalOrbitals& orbitals = *problem.local_orbitals;
  if (!has_all_waves(problem) || !problem.derivatives.forces) return;
  const double whole = farthest_point(problem.crystal.lattice);
  if (*orbitals.box_radius < whole)
    refuse("forces of functions optimised in spheres smaller than the cell",
           "without box_radius, or at least " + to_text(whole) + " bohr");
}

/// Of systems whose states are all full.
void require_purifiable(const Problem& problem) {
  constexpr double largest_cutoff = 0.01;
  const auto refuse_purification = [](const std::string& what, const std::string& valid) {
    refuse("purification with " + what, valid + ", or kernel = \"diagonalise\"");
  };
  const double cutoff = problem.local_orbitals->kernel_cutoff;
  if (!(cutoff >= 0 && cutoff <= largest_cutoff)) refuse("kernel_cutoff is " + to_text(cutoff), "from 0 to 0.01");
  if (problem.smearing.kind != SmearingKind::fixed) refuse_purification("smearing", "a system with a gap, without it");
  if (!problem.occupations.empty()) refuse_purification("given occupations", "without them");
  if (problem.spins == 2 && problem.total_magnetisation.value_or(1) != 0)
    refuse_purification("spins whose numbers of electrons may differ", "total_magnetisation = 0");
  const double electrons = count_electrons(problem.crystal, problem.pseudopotentials) - problem.charge;
  const auto states = static_cast<Index>(std::lround(0.5 * electrons));
  if (std::abs(electrons - 2.0 * static_cast<double>(states)) > 1e-9)
    refuse_purification(to_text(electrons) + " electrons", "an even number of them");
  if (problem.bands != states)
    refuse_purification(std::to_string(problem.bands) + " bands, some of them empty",
                        "bands = " + std::to_string(states));
}

}  // namespace

void require_valid_local_orbitals(const Problem& problem) {
  constexpr double largest_radius = 30, largest_box = 100;  // bohr
  const LocalOrbitals& orbitals = *problem.local_orbitals;
  require_radius("the radius", orbitals.radius, largest_radius);
  if (orbitals.box_radius) require_radius("the radius of the boxes", *orbitals.box_radius, largest_box);
  require_valid_electrons(problem);
  if (problem.periodic_waves != Periodic{true, true, true}) refuse("a free boundary", "a periodic one");
  if (problem.density_grid) refuse("a grid of the density of its own", "one grid, without density_ecut");
  if (problem.scf.method == ScfMethod::direct) refuse("direct minimisation", "mixing");
  if (problem.eigensolver) refuse("an eigensolver is given, but the equations are solved exactly", "none");
  if (problem.precision == Precision::mixed)
    refuse("mixed precision", "\"double\", or \"auto\", which then is \"double\"");
  require_smooth_energy(problem);
  if (problem.derivatives.stress) refuse("stress", "no stress, and a cell that is fixed");
  if (!problem.band_path.empty()) refuse("bands along a path", "another task");
  if (orbitals.optimise && !problem.occupations.empty())
    refuse("functions optimised with given occupations, whose energy is not the lowest",
           "optimise = false, or smearing");
  if (problem.field_response) refuse("response to electric fields", "another task");
  if (problem.propagation) refuse("propagation in time", "another task");
  if (problem.casida) refuse("Casida's equation", "another task");
  const Index functions = count_numerical_orbitals(problem.crystal, problem.pseudopotentials, orbitals.set);
  if (functions < problem.bands)
    refuse(std::to_string(problem.bands) + " bands of " + std::to_string(functions) + " orbitals",
           "at most as many bands as orbitals, or more functions");
  if (orbitals.kernel == DensityKernel::purify) require_purifiable(problem);
}

double farthest_point(const Lattice& lattice) {
  double sum = 0;
  for (const Vec3& vector : lattice.vectors()) sum += 0.5 * norm(vector);
  return sum;
}

bool leaves_out_levels(const Problem& problem) {
  const LocalOrbitals& orbitals = *problem.local_orbitals;
  const bool needs_states = orbitals.optimise && !orbitals.box_radius;  // for the gradient
  if (orbitals.kernel != DensityKernel::purify || needs_states || problem.projections || problem.derivatives.any())
    return false;
  return count_numerical_orbitals(problem.crystal, problem.pseudopotentials, problem.local_orbitals->set) >
         most_functions_with_levels;
}

bool has_levels(const Problem& problem) {
  if (leaves_out_levels(problem)) return false;
  return !has_all_waves(problem) || problem.local_orbitals->kernel != DensityKernel::purify || problem.checkpoint ||
         problem.derivatives.any();
}

namespace {

/// The ranks that have an atom with points in common with another, which is not theirs, rising.
std::vector<int> ranks_near(const OrbitalLayout& layout, const std::vector<int>& owners, Index atom) {
  std::vector<int> found;
  for (const Index a : layout.neighbours(atom)) {
    const int owner = owners[static_cast<std::size_t>(a)];
    if (owner != owners[static_cast<std::size_t>(atom)] && (found.empty() || found.back() != owner))
      found.push_back(owner);
  }
  return found;
}

/// Sets what a rank needs of others.
void set_remote(const OrbitalLayout& layout, int ranks, LocalOrbitalSizes& sizes) {
  std::vector<int> owners;
  for (int rank = 0; rank < ranks; ++rank)
    owners.insert(owners.end(), static_cast<std::size_t>(layout.atoms(rank).size()), rank);
  std::vector<double> values(static_cast<std::size_t>(ranks), 0.0);
  std::vector<Index> atoms(values.size(), 0);
  for (Index a = 0; a < layout.num_atoms(); ++a)
    for (const int rank : ranks_near(layout, owners, a)) {
      values[static_cast<std::size_t>(rank)] += static_cast<double>(layout.values(a));
      ++atoms[static_cast<std::size_t>(rank)];
    }
  sizes.remote_values = *std::max_element(values.begin(), values.end());
  sizes.remote_atoms = *std::max_element(atoms.begin(), atoms.end());
}

}  // namespace

LocalOrbitalSizes local_orbital_sizes(const Problem& problem, int ranks) {
  constexpr double reach = 1.5;  // of functions, over that of their confinement
  constexpr double whole = 1e5;  // bohr: boxes of it are the cell
  const LocalOrbitals& orbitals = *problem.local_orbitals;
  std::vector<Index> functions;
  for (const auto& potential : problem.pseudopotentials)
    functions.push_back(count_numerical_orbitals(*potential, orbitals.set));
  const double radius = orbitals.box_radius.value_or(orbitals.optimise ? whole : reach * orbitals.radius);
  const std::vector<double> radii(functions.size(), radius);
  const OrbitalLayout layout(reordered(problem.crystal, curve_order(problem.crystal)), problem.grid, functions, radii,
                             ranks);
  // Where vectors are perpendicular only the preconditioner takes transforms (LineKinetic).
  const bool has_lines = LineKinetic<double>::is_possible(problem.crystal.lattice);
  const WideBoxes transforms(layout, has_lines ? WideBoxes::near : WideBoxes::with_neighbours);
  LocalOrbitalSizes sizes{.functions = layout.num_functions(), .wide_points = points(transforms.size())};
  for (Index a = 0; a < layout.num_atoms(); ++a) {
    sizes.box_values += static_cast<double>(layout.values(a));
    for (const Index b : layout.neighbours(a)) {
      const auto block = static_cast<double>(layout.functions(a).size() * layout.functions(b).size());
      sizes.block_values += block;
      if (b <= a)
        sizes.pair_values += block * static_cast<double>(num_common_points(layout.box(a), layout.box(b), problem.grid));
    }
  }
  if (ranks > 1) set_remote(layout, ranks, sizes);
  return sizes;
}

namespace {

/// Of functions in spheres: the present ones, two gradients, one that others see, a direction and a change of it; those
/// of other ranks that are kept; projectors; those of an atom in a wide box with the work of its transform.
double sphere_bytes(const Problem& problem, const LocalOrbitalSizes& sizes, double sets, double scalar, int ranks) {
  constexpr double arrays = 6, transforms = 5;
  double projectors = 0, most = 0;
  for (const Atom& atom : problem.crystal.atoms) {
    const Pseudopotential& potential = *problem.pseudopotentials[static_cast<std::size_t>(atom.species)];
    projectors += num_projectors_per_atom(potential);
    most = std::max(most, static_cast<double>(count_numerical_orbitals(potential, problem.local_orbitals->set)));
  }
  const double near = 1.0 / ranks + static_cast<double>(sizes.remote_atoms) / problem.crystal.num_atoms();
  projectors *=
      std::min(1.0, near) * points(projector_box(problem.crystal.lattice, problem.grid, problem.pseudopotentials));
  return sets * scalar * (arrays * sizes.box_values / ranks + sizes.remote_values + projectors) +
         sizes.wide_points * (scalar * most + sets * transforms * sizeof(std::complex<double>));
}

/// Matrices: sparse ones by rows of a rank, and whole ones on each rank where states are
/// computed one by one.
double matrices_bytes(const Problem& problem, const LocalOrbitalSizes& sizes, double sets, double scalar, int ranks) {
  constexpr double fixed = 6, density = 2, products = 12, whole = 8;
  constexpr double wider = 4;  // blocks of K, for each of S
  const bool purifies = problem.local_orbitals->kernel == DensityKernel::purify;
  const double all = static_cast<double>(sizes.functions) * static_cast<double>(sizes.functions);
  const int shares = has_few_rows(problem.crystal.num_atoms(), ranks) ? 1 : ranks;
  const double of_kernel = purifies ? (density * sets + products) * std::min(all, wider * sizes.block_values) : 0;
  return scalar *
         ((fixed * sets * sizes.block_values + of_kernel) / shares + (leaves_out_levels(problem) ? 0 : whole * all));
}

}  // namespace

double local_orbital_bytes(const Problem& problem, Index rows, double bytes_per_row, int kpoints, int ranks) {
  // Of each set, where they are optimised: two gradients, a direction, the whole functions of a rank's atoms; both
  // spins then have their own. Once: some scaled functions, or two preconditioned gradients and residuals.
  const bool optimise = problem.local_orbitals->optimise;
  const LocalOrbitalSizes found = local_orbital_sizes(problem, ranks);
  const auto n = static_cast<double>(found.functions);
  const double sets = kpoints * (optimise ? problem.spins : 1), arrays = optimise ? 5 : 1;
  const double copies = optimise ? 3 * n : std::min(n, static_cast<double>(most_functions_at_once));
  const double scalar = problem.mode == Mode::gamma ? sizeof(double) : 2 * sizeof(double);
  const double matrices = matrices_bytes(problem, found, sets, scalar, ranks);
  if (has_all_waves(problem)) return sphere_bytes(problem, found, sets, scalar, ranks) + matrices;
  return matrices + (sets * arrays * n + copies) * static_cast<double>(rows) * bytes_per_row +
         sets * scalar * (found.box_values / ranks + found.remote_values);
}

}  // namespace wavegrid
