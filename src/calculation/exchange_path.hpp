// Bands along a path with the exact exchange of converged bands.
//
// V_x of those bands acts on bands of any k. It is compressed for the bands of each point of the path, in turns with
// the eigensolver, until both agree; levels are <psi|H|psi> with V_x itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <wavegrid/calculation/band_structure.hpp>
#include <wavegrid/calculation/exact_exchange.hpp>
#include <wavegrid/electrons/occupied_states.hpp>
#include <wavegrid/layout/block_layout.hpp>

namespace wavegrid {

/// Occupations 0 to 1 of levels of one spin at any k, by the Fermi levels of a result; with fixed occupations of as
/// many bands as the result has, tetrahedra count as a step. Pure.
[[nodiscard]] inline std::vector<double> occupations_between(const std::vector<double>& levels, int spin,
                                                             const ScfResult& result, const Problem& problem) {
  const double fermi = result.fermi[result.fermi.size() == 2 ? static_cast<std::size_t>(spin) : 0];
  const SmearingKind kind = problem.smearing.kind;
  const StateTable table{static_cast<Index>(problem.kpoints.size()), problem.spins, problem.bands};
  const auto first = static_cast<std::size_t>(table.first(0, spin));
  const Index filled =
      num_occupied(std::span(result.occupations).subspan(first, static_cast<std::size_t>(problem.bands)));
  std::vector<double> occupied;
  if (!problem.occupations.empty()) {
    occupied = problem.occupations[static_cast<std::size_t>(spin)];
    for (double& f : occupied) f *= problem.spins / 2.0;
    occupied.resize(levels.size(), 0.0);
    return occupied;
  }
  for (std::size_t i = 0; i < levels.size(); ++i)
    occupied.push_back(kind == SmearingKind::fixed ? (static_cast<Index>(i) < filled ? 1.0 : 0.0)
                       : is_tetrahedra(kind)       ? (levels[i] < fermi ? 1.0 : 0.0)
                                                   : occupation(kind, (fermi - levels[i]) / problem.smearing.width));
  return occupied;
}

/// The bands of `problem.band_path`. `begin(k, spin)` makes those of a point with initial states, without exchange;
/// `visit` is shown each with its final ones. Collective over the world.
template <class D, class S>
[[nodiscard]] BandStructure bands_along_path_with_exchange(
    const ProcessGroups& groups, const Problem& problem, ExactExchange<D, S>& exchange, const ExchangeStates<S>& states,
    const ScfResult& result,
    const std::function<std::unique_ptr<typename D::template KPointBands<S>>(int k, int spin)>& begin,
    const std::function<void(typename D::template KPointBands<S>&)>& visit, const ActivityObserver& activity) {
  constexpr int most_turns = 12;
  constexpr double accuracy = 1e-7;  // Ha, of a level
  const StateTable table{static_cast<Index>(problem.band_path.size()), problem.spins, problem.bands};
  const Comm& world = groups.world();
  BandStructure path{std::vector<double>(static_cast<std::size_t>(table.size()), 0.0)};
  const Range mine =
      BlockLayout(table.num_k * problem.spins, groups.counts().kpoint_groups).range(groups.my_kpoint_group());
  const Index rounds = world.max(mine.size());
  for (Index round = 0; round < rounds; ++round) {
    if (activity) activity({Stage::bands, std::min(round, mine.size()), mine.size(), groups.counts().kpoint_groups});
    const Index set = mine.begin + round;
    const int k = static_cast<int>(set / problem.spins), spin = static_cast<int>(set % problem.spins);
    std::unique_ptr<typename D::template KPointBands<S>> bands;
    world.collectively([&] {
      if (set < mine.end) bands = begin(k, spin);
    });
    ConvergedBands solved;
    std::vector<double> change(static_cast<std::size_t>(problem.bands), 0.0);
    bool done = bands == nullptr;
    for (int turn = 0; turn < most_turns; ++turn) {
      std::vector<FockBands<S>> targets;
      if (!done) {
        targets.push_back(D::template fock_bands<S>(*bands));
        targets[0].off_mesh = exchange.off_mesh(targets[0].k)
                                  ? occupations_between(bands->state.values, spin, result, problem)
                                  : std::vector<double>{};
      }
      const std::vector<Bands<S>> w = exchange.fock().apply(states, targets);
      if (!done) {
        const BandView<const S> psi = targets[0].psi;
        const InnerProduct& product = bands->op.product();
        const std::vector<double> energies = diagonal_overlaps<S>(product, psi, w[0].view()),
                                  before = bands->op.exchange_energies(psi);
        double largest = 0;
        for (std::size_t i = 0; i < change.size(); ++i) {
          change[i] = energies[i] - before[i];
          largest = std::max(largest, std::abs(change[i]));
        }
        done = turn > 0 && largest < accuracy;
        if (!done)
          bands->op.set_exchange(std::make_shared<const CompressedExchange<S>>(
              CompressedExchange<S>::compress(product, psi, w[0].view())));
      }
      if (world.min(done ? 1 : 0) == 1) break;
      world.collectively([&] {
        if (done) return;
        bands->solver.restart();
        apply_h_and_s<S>(bands->op, bands->state.view());
        rayleigh_ritz<S>(bands->op, bands->state);
        solved = converge_bands<S>(bands->op, bands->state, bands->solver, problem.bands, path_tolerance);
      });
    }
    if (!bands) continue;
    path.converged = path.converged && done && solved.converged;
    path.error = std::max(path.error, solved.error);
    for (std::size_t i = 0; i < change.size(); ++i) solved.values[i] += change[i];
    std::sort(solved.values.begin(), solved.values.end());
    if (groups.kpoint_group().rank() == 0)
      std::copy(solved.values.begin(), solved.values.end(), path.eigenvalues.begin() + table.first(k, spin));
    visit(*bands);
  }
  world.merge(std::span<double>(path.eigenvalues));
  path.error = world.max(path.error);
  path.converged = world.min(path.converged ? 1 : 0) == 1;
  return path;
}

}  // namespace wavegrid
