// What a session does, for one discretisation and scalar type of bands.
#pragma once

#include <numeric>
#include <utility>

#include "calculation/choose_kpoints.hpp"
#include "calculation/session.hpp"

namespace wavegrid {

class Session::Implementation {
 public:
  virtual ~Implementation() = default;
  [[nodiscard]] virtual CalculationResult solve(const ScfObserver& observer, const ActivityObserver& activity) = 0;
  virtual std::optional<CheckpointReport> write_checkpoint() = 0;
  virtual void set_geometry(Crystal crystal, const Int3& grid) = 0;
  [[nodiscard]] virtual const Problem& problem() const = 0;
};

/// The operations of `present` with the rotations of `earlier`, by which a list of k-points is irreducible; throws
/// bad_input if one of these is missing.
[[nodiscard]] inline SpaceGroup with_rotations_of(const SpaceGroup& earlier, const SpaceGroup& present) {
  const auto has = [](const SpaceGroup& group, const SymmetryOperation& operation) {
    for (int r = 0; r < group.num_rotations(); ++r)
      if (group.of_rotation(r).rotation == operation.rotation) return true;
    return false;
  };
  for (const SymmetryOperation& operation : earlier.one_per_rotation())
    if (!has(present, operation))
      throw bad_input("the atoms have left the symmetry of " + earlier.symbol() +
                      ", by which the list of k-points is irreducible; valid: a mesh of k-points, or a list without "
                      "symmetry");
  return present.subgroup([&](const SymmetryOperation& operation) { return has(earlier, operation); });
}

/// The problem of another geometry, with the k-points and the symmetry of that if it follows them. Throws bad_input as
/// require_valid() does.
[[nodiscard]] inline Problem at_geometry(Problem problem, Crystal crystal, const Int3& grid) {
  problem.crystal = std::move(crystal);
  problem.grid = grid;
  if (problem.follow_symmetry && !problem.mesh) {
    problem.symmetry = with_rotations_of(
        problem.symmetry, symmetry_on_grid(problem.crystal, problem.initial_magnetic_moments, problem.grid));
  } else if (problem.follow_symmetry) {
    KPointChoice choice =
        choose_kpoints(problem.crystal, problem.initial_magnetic_moments, problem.grid, *problem.mesh, true);
    problem.kpoints = std::move(choice.points);
    problem.symmetry = std::move(choice.group);
    problem.kpoints_description = std::move(choice.sentence);
  }
  require_valid(problem);
  return problem;
}

[[nodiscard]] inline PhaseSeconds operator-(PhaseSeconds a, const PhaseSeconds& b) {
  a.total -= b.total;
  for (std::size_t phase = 0; phase < num_phases; ++phase) a.of_phase[phase] -= b.of_phase[phase];
  return a;
}

/// Seconds by phase so far.
[[nodiscard]] inline PhaseSeconds seconds_of(Profile& profile) {
  PhaseSeconds seconds;
  for (std::size_t phase = 0; phase < num_phases; ++phase)
    seconds.of_phase[phase] = profile.seconds(static_cast<Phase>(phase));
  seconds.total = std::accumulate(seconds.of_phase.begin(), seconds.of_phase.end(), 0.0);
  return seconds;
}

/// What the ranks have sent since the counts `before`, which become the present ones; the seconds are those of this
/// rank. Collective.
[[nodiscard]] inline TrafficByKind traffic_since(TrafficByKind& before, Profile& profile, const Comm& world) {
  const TrafficByKind& so_far = profile.traffic();
  std::array<Index, num_traffic_kinds> exchanges;
  std::array<Index, 2 * num_traffic_kinds> sent;
  std::array<double, num_traffic_kinds> seconds;
  for (std::size_t kind = 0; kind < num_traffic_kinds; ++kind) {
    const Traffic &now = so_far[kind], &last = before[kind];
    exchanges[kind] = now.exchanges - last.exchanges;
    sent[2 * kind] = now.messages - last.messages;
    sent[2 * kind + 1] = now.bytes - last.bytes;
    seconds[kind] = now.seconds - last.seconds;
  }
  before = so_far;
  world.max(std::span<Index>(exchanges));
  world.sum(std::span<Index>(sent));
  TrafficByKind result;
  for (std::size_t kind = 0; kind < num_traffic_kinds; ++kind)
    result[kind] = {exchanges[kind], sent[2 * kind], sent[2 * kind + 1], seconds[kind]};
  return result;
}

}  // namespace wavegrid
