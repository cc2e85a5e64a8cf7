#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/discretisation/setting.hpp>
#include <wavegrid/layout/block_layout.hpp>

namespace wavegrid {

Setting::Setting(const Comm& comm, const Problem& problem, const DiscretisationRules& rules, Trace* trace)
    : profile(trace),
      group_choice(rules.groups(problem, comm.size())),
      eigensolver(choose_eigensolver(problem, rules)),
      groups(comm.timed(&profile), group_choice.counts),
      pseudo_atoms(solve_pseudo_atoms(problem.pseudopotentials)),
      electrons(count_electrons(problem.crystal, problem.pseudopotentials) - problem.charge),
      transports(groups.world(), problem.transports_file) {}

Range Setting::my_share(Index sets) const {
  return BlockLayout(sets, groups.counts().kpoint_groups).range(groups.my_kpoint_group());
}

}  // namespace wavegrid
