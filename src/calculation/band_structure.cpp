#include "calculation/band_structure.hpp"

#include <algorithm>
#include <exception>

#include "layout/block_layout.hpp"

namespace wavegrid {

BandStructure bands_along_path(const ProcessGroups& groups, const Problem& problem, const PathSolver& solve,
                               const ActivityObserver& activity) {
  const StateTable table{static_cast<Index>(problem.band_path.size()), problem.spins, problem.bands};
  BandStructure path{std::vector<double>(static_cast<std::size_t>(table.size()), 0.0)};
  const Index sets = static_cast<Index>(problem.band_path.size()) * problem.spins;
  const Range mine = BlockLayout(sets, groups.counts().kpoint_groups).range(groups.my_kpoint_group());
  Index failed = 0;
  std::exception_ptr of_observer;  // thrown by one rank alone: kept until the groups are done
  const auto report = [&](Index done) {
    if (!activity || of_observer) return;
    try {
      activity({Stage::bands, done, mine.size(), groups.counts().kpoint_groups});
    } catch (...) {
      of_observer = std::current_exception();
    }
  };
  groups.world().together([&] {  // one k-point group may fail
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
  if (of_observer) std::rethrow_exception(of_observer);
  groups.world().merge(std::span<double>(path.eigenvalues));
  path.error = groups.world().max(path.error);
  path.converged = groups.world().max(failed) == 0;
  return path;
}

template <class S>
BandStructure compute_band_structure(Environment& environment, const Problem& problem, GridFields& fields,
                                     const GridPotential& potential, const Density<GridFields>& density,
                                     const InitialBands<S>& initial, Work& work, const BandVisitor<S>& visit,
                                     const ActivityObserver& activity) {
  const DensityValues values = values_of(fields, density);
  const Potential of_density = potential.potential({density, values});
  std::vector<std::vector<RealOf<S>>> parts;
  for (std::size_t spin = 0; spin < of_density.v.size(); ++spin)
    parts.push_back(operator_potential<RealOf<S>>(fields, of_density, spin));
  const auto solve = [&](int k, int spin) {
    const Vec3& at = problem.band_path[static_cast<std::size_t>(k)].k;
    PlaneWaveBands<S> bands(environment.make_basis<S>(problem, at), k, spin, Eigensolver::lobpcg, &environment.profile);
    bands.h.set_potential({parts[static_cast<std::size_t>(spin)], of_density.num_fields()});
    bands.state = initial(bands, with_guard_bands<S>(problem.bands, bands.h));
    ConvergedBands solved = converge_bands<S>(bands.h, bands.state, bands.solver, problem.bands, path_tolerance);
    if (visit) visit(bands);
    work += work_of(environment.groups, bands);
    return solved;
  };
  return bands_along_path(environment.groups, problem, solve, activity);
}

#define WAVEGRID_INSTANTIATE(S)                                                                                     \
  template BandStructure compute_band_structure<S>(Environment&, const Problem&, GridFields&, const GridPotential&, \
                                                   const Density<GridFields>&, const InitialBands<S>&, Work&,       \
                                                   const BandVisitor<S>&, const ActivityObserver&);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
