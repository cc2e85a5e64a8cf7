// The tetrahedra of the k-points of a problem.
#pragma once

#include <memory>
#include <vector>

#include <wavegrid/electrons/tetrahedra.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// For each point of the problem's mesh, the third index fastest, the number of its k-point; empty for a list. Pure.
[[nodiscard]] std::vector<Index> kpoint_numbers(const Problem& problem);

/// Null where the occupations need none. Pure.
[[nodiscard]] std::shared_ptr<const Tetrahedra> make_tetrahedra(const Problem& problem);

/// Those of the problem's mesh. Pure.
[[nodiscard]] Tetrahedra make_tetrahedra(const Problem& problem, TetrahedronLevels levels);

}  // namespace wavegrid
