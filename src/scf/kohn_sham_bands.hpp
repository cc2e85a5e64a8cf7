// The bands of one k-point and spin during the self-consistency loop, and values of all states on all ranks.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <wavegrid/eigen/band_solver.hpp>
#include <wavegrid/electrons/occupied_states.hpp>
#include <wavegrid/mpi/process_groups.hpp>
#include <wavegrid/scf/kohn_sham_operator.hpp>

namespace wavegrid {

/// Must not be moved: other objects hold references to it.
template <class S>
struct KohnShamBands {
  using Scalar = S;

  /// `work` may be shared by the bands of several k-points and spins (BandSolver).
  KohnShamBands(int k_index, int spin_index, KohnShamOperator<S>& hamiltonian, Eigensolver eigensolver,
                std::shared_ptr<Directions<S>> work = std::make_shared<Directions<S>>())
      : k(k_index), spin(spin_index), op(hamiltonian), state(0, 0), solver(eigensolver, std::move(work)) {}
  KohnShamBands(const KohnShamBands&) = delete;
  KohnShamBands& operator=(const KohnShamBands&) = delete;

  int k;     ///< number in the list of k-points
  int spin;  ///< 0, or 1 for down
  KohnShamOperator<S>& op;
  EigenState<S> state;
  BandSolver<S> solver;
};

/// The bands of one k-point group; may be empty.
template <class S>
using BandList = std::vector<KohnShamBands<S>*>;

/// One value per state, gathered from all k-point groups on every rank in the order of the table; `set_values` has one
/// array for each element of `bands`. Collective over the world.
template <class S>
[[nodiscard]] std::vector<double> gather_states(const ProcessGroups& groups, const BandList<S>& bands,
                                                const StateTable& table,
                                                const std::vector<std::vector<double>>& set_values) {
  std::vector<double> all(static_cast<std::size_t>(table.size()), 0.0);
  if (groups.kpoint_group().rank() == 0)
    for (std::size_t i = 0; i < bands.size(); ++i)
      std::copy(set_values[i].begin(), set_values[i].end(), all.begin() + table.first(bands[i]->k, bands[i]->spin));
  groups.world().merge(std::span<double>(all));
  return all;
}

/// The eigenvalues of all k-point groups on every rank, Ha. Collective over the world.
template <class S>
[[nodiscard]] std::vector<double> gather_eigenvalues(const ProcessGroups& groups, const BandList<S>& bands,
                                                     const StateTable& table) {
  std::vector<std::vector<double>> values;
  for (const KohnShamBands<S>* one : bands) values.push_back(one->state.values);
  return gather_states(groups, bands, table, values);
}

}  // namespace wavegrid
