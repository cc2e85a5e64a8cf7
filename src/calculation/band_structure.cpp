#include <algorithm>
#include <exception>

#include <wavegrid/calculation/band_structure.hpp>
#include <wavegrid/layout/block_layout.hpp>

namespace wavegrid {

BandStructure bands_along_path(const ProcessGroups& groups, const Problem& problem, const PathSolver& solve,
                               const ActivityObserver& activity) {
  const StateTable table{static_cast<Index>(problem.band_path.size()), problem.spins, problem.bands};
  BandStructure path{std::vector<double>(static_cast<std::size_t>(table.size()), 0.0)};
  const Index sets = static_cast<Index>(problem.band_path.size()) * problem.spins;
  const Range mine = BlockLayout(sets, groups.counts().kpoint_groups).range(groups.my_kpoint_group());
  Index failed = 0;
  std::exception_ptr observer_error;  // thrown by one rank alone: kept until the groups are done
  const auto report = [&](Index done) {
    if (!activity || observer_error) return;
    try {
      activity({Stage::bands, done, mine.size(), groups.counts().kpoint_groups});
    } catch (...) {
      observer_error = std::current_exception();
    }
  };
  groups.world().collectively([&] {  // one k-point group may fail
    report(0);
    for (Index i = mine.begin; i < mine.end; ++i) {
      const int k = static_cast<int>(i / problem.spins), spin = static_cast<int>(i % problem.spins);
      const ConvergedBands solved = solve(k, spin);
      path.error = std::max(path.error, solved.error);
      failed += solved.converged ? 0 : 1;
      if (groups.kpoint_group().rank() == 0)
        std::copy(solved.values.begin(), solved.values.end(), path.eigenvalues.begin() + table.first(k, spin));
      report(i + 1 - mine.begin);
    }
  });
  if (observer_error) std::rethrow_exception(observer_error);
  groups.world().merge(std::span<double>(path.eigenvalues));
  path.error = groups.world().max(path.error);
  path.converged = groups.world().max(failed) == 0;
  return path;
}

}  // namespace wavegrid
