// The bands of a calculation as solvers and propagators take them.
#pragma once

#include <utility>
#include <vector>

#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/problem/make_tetrahedra.hpp>
#include <wavegrid/scf/scf_system.hpp>

namespace wavegrid {

/// Refers to all arguments. Local.
template <class T, class D>
[[nodiscard]] ScfSystem<T, typename D::Space> band_system(Setting& setting, D& discretisation, const Problem& problem,
                                                          EnergyTerms<typename D::Space>& terms,
                                                          BandSets<D, T>& bands) {
  std::vector<double> weights;
  for (const KPoint& point : problem.kpoints) weights.push_back(point.weight);
  return {setting.groups,
          band_list(bands),
          discretisation.space(),
          terms,
          {setting.electrons, problem.smearing, problem.spins, problem.total_magnetisation, make_tetrahedra(problem),
           problem.components(), problem.has_vector_magnetisation(), problem.occupations},
          std::move(weights),
          problem.bands};
}

}  // namespace wavegrid
