// What a calculation keeps from its first solve to its last, whatever the discretisation.
#pragma once

#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/base/profile.hpp>
#include <wavegrid/discretisation/discretisation_rules.hpp>
#include <wavegrid/discretisation/transport_choice.hpp>
#include <wavegrid/mpi/process_groups.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Made for the first geometry of a problem; the groups of ranks do not change with it. Must not be moved.
class Setting {
 public:
  /// Collective over `comm`. If a trace is given, the phases of this rank are recorded in it.
  Setting(const Comm& comm, const Problem& problem, const DiscretisationRules& rules, Trace* trace);

  Profile profile;
  GroupChoice group_choice;
  EigensolverChoice eigensolver;
  ProcessGroups groups;
  std::vector<PseudoAtom> pseudo_atoms;  ///< one per species
  double electrons;
  TransportFile transports;

  /// The range of this rank's k-point group: a block of all `sets` (k-points times spins, the spins of a k-point
  /// consecutive). Local.
  [[nodiscard]] Range my_share(Index sets) const;
};

/// K-points times spins of a problem.
[[nodiscard]] inline Index num_band_sets(const Problem& problem) {
  return static_cast<Index>(problem.kpoints.size()) * problem.spins;
}

}  // namespace wavegrid
