#include "calculation/problem.hpp"

#include "base/error.hpp"
#include "basis/g_sphere.hpp"
#include "xc/xc.hpp"

namespace wavegrid {

void require_valid(const Problem& problem) {
  constexpr double smallest_distance = 0.01;  // bohr
  require_valid(problem.crystal);
  require_separated(problem.crystal, smallest_distance);
  if (problem.pseudopotentials.size() != problem.crystal.species.size())
    throw bad_input("there are " + std::to_string(problem.pseudopotentials.size()) + " pseudopotentials for " +
                    std::to_string(problem.crystal.species.size()) + " species; give one for each");
  if (problem.bands < 1) throw bad_input("the number of bands must be at least 1");
  if (problem.threads < 1) throw bad_input("the number of threads must be at least 1");
  if (!(problem.scf.energy_tolerance > 0)) throw bad_input("the energy tolerance must be positive");
  if (problem.kpoints.empty()) throw bad_input("there are no k-points; give at least one");
  if (problem.spins != 1 && problem.spins != 2)
    throw bad_input("there are " + std::to_string(problem.spins) + " spin channels; 1 or 2 are possible");
  const std::size_t moments = problem.initial_magnetic_moments.size();
  if (moments != 0 && moments != problem.crystal.atoms.size())
    throw bad_input("there are " + std::to_string(moments) + " magnetic moments for " +
                    std::to_string(problem.crystal.num_atoms()) + " atoms; give one for each");
  if (problem.deterministic && problem.precision == Precision::mixed)
    throw bad_input(
        "a deterministic calculation has double precision throughout; precision may be auto or double then");
  if (problem.follow_symmetry && !problem.mesh)
    throw bad_input("symmetry can be followed on a mesh of k-points only; the k-points are a list");
  (void)Xc::parse(problem.xc, problem.spins);
  for (const auto* points : {&problem.kpoints, &problem.band_path})
    for (const KPoint& point : *points)
      (void)GSphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode, point.k);
}

bool begins_in_single(const Problem& problem) {
  if (problem.precision == Precision::double_only || problem.deterministic || problem.scf.max_steps < 2) return false;
  if (problem.precision == Precision::mixed) return true;
  // Mixed precision converged with 324 electrons (Al108) and stagnated above the tolerance with 1500 (Al500).
  constexpr double most_electrons = 500;
  const double electrons = count_electrons(problem.crystal, problem.pseudopotentials);
  return electrons <= most_electrons && problem.scf.energy_tolerance >= single_precision_reach * electrons;
}

}  // namespace wavegrid
