#include <algorithm>

#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/irreducible_kpoints.hpp>
#include <wavegrid/problem/make_tetrahedra.hpp>

namespace wavegrid {

std::vector<Index> kpoint_numbers(const Problem& problem) {
  if (!problem.mesh) return {};
  std::vector<Index> numbers =
      irreducible_numbers(*problem.mesh, problem.symmetry, !problem.has_vector_magnetisation());
  if (*std::ranges::max_element(numbers) + 1 != static_cast<Index>(problem.kpoints.size()))
    throw internal_error("the k-points of the problem are not the irreducible ones of its mesh");
  return numbers;
}

std::shared_ptr<const Tetrahedra> make_tetrahedra(const Problem& problem) {
  if (!is_tetrahedra(problem.smearing.kind)) return nullptr;
  const bool is_bloechl = problem.smearing.kind == SmearingKind::tetrahedra;
  return std::make_shared<const Tetrahedra>(
      make_tetrahedra(problem, is_bloechl ? TetrahedronLevels::bloechl : TetrahedronLevels::optimised));
}

Tetrahedra make_tetrahedra(const Problem& problem, TetrahedronLevels levels) {
  return {problem.mesh->size, problem.crystal.lattice.reciprocal(), kpoint_numbers(problem), levels};
}

}  // namespace wavegrid
