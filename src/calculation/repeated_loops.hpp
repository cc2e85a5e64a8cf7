// A self-consistency loop that is repeated with more bands while the highest one stays occupied.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <wavegrid/calculation/choose_discretisation.hpp>
#include <wavegrid/eigen/missed_states.hpp>
#include <wavegrid/scf/solve_scf.hpp>

namespace wavegrid {

/// The most bands that can be reached from those of the problem: of the complement of all bands
/// (eigen/missed_states.hpp). Collective over the world.
template <class S>
[[nodiscard]] Index most_bands_of(const Comm& world, const BandList<S>& bands, const Problem& problem) {
  Index most = std::numeric_limits<Index>::max();
  for (const KohnShamBands<S>* one : bands) most = std::min(most, most_bands(problem.bands, one->op.dimension()));
  return world.min(most);
}

/// Calls loop(steps of the loops before), which returns its own steps, until it no longer ends to ask for bands; raises
/// the number of bands of the problem in between, and the next loop adds them to those it finds. Throws as
/// require_memory_for() does. Collective over the world.
template <class S, FieldSpace Space, class Loop>
void repeat_with_more_bands(const Comm& world, const BandList<S>& bands, Space& space, Problem& problem,
                            ScfOptions& options, std::optional<EarlierSteps<Space>>& earlier, const Loop& loop) {
  for (;;) {
    const Index most = most_bands_of(world, bands, problem);
    options.asks_for_bands = problem.may_add_bands && most > problem.bands;
    earlier.emplace(loop(std::move(earlier)));
    const ScfResult& last = earlier->last;
    if (!options.asks_for_bands || !last.wants_bands() || last.stopped || last.steps + 1 >= options.max_steps) return;
    const Index more = std::min(last.enough_bands, most);
    require_memory_for(world, problem, more);
    problem.bands = more;
    earlier->mixer = {space, options.mixer};  // the pairs of too few bands do not continue those of more
  }
}

}  // namespace wavegrid
