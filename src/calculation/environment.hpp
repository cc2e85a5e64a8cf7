// What a session keeps from its first solve to its last: groups of ranks, their process grids, the solved atoms.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "atoms/solver/pseudo_atom.hpp"
#include "calculation/choose_eigensolver.hpp"
#include "calculation/parallel_layout.hpp"
#include "calculation/plane_wave_bands.hpp"
#include "fft/wisdom.hpp"
#include "mpi/process_grid.hpp"

namespace wavegrid {

/// Made for the problem's first geometry; ranks stay where they are when the geometry changes. Does not move.
class Environment {
 public:
  /// Collective over `comm`. Throws on all ranks alike.
  Environment(const Comm& comm, const Problem& problem, Trace* trace);

  Profile profile;
  Wisdom wisdom;
  ParallelLayout layout;
  EigensolverChoice eigensolver;
  ProcessGroups groups;
  PartitionChoice partition;  ///< of the first k-point's sphere over a band group
  ProcessGrid ranks;          ///< of the band group
  ProcessGrid field_ranks;    ///< that share densities and potentials: those of the one band group, or all in slabs
  Scheme field_scheme;        ///< of the FFT box over them
  std::vector<PseudoAtom> pseudo_atoms;  ///< one per species
  std::shared_ptr<FftWorkspace> workspace =
      std::make_shared<FftWorkspace>();  ///< of all transforms: one runs at a time
  double electrons;

  /// k-points and spins of this rank's k-point group: a block of all `sets`, both spins of a k-point in a row. Local.
  [[nodiscard]] Range my_share(Index sets) const;
  /// The k-point group that has set `i` of `sets`. Local.
  [[nodiscard]] int kpoint_group_of(Index i, Index sets) const;
  [[nodiscard]] FftOptions fft_options(const Problem& problem, PlanEffort effort);
  /// The partition of a sphere over the band group, alike that of the first k-point.
  [[nodiscard]] Partition partition_of(const GSphere& sphere) const;
  /// This rank's plane waves, in linear algebra, of a k-point in a cell.
  [[nodiscard]] PlaneWaves rows_of(const Problem& problem, const Lattice& lattice, const Vec3& k) const;

  /// The bands of one k-point and spin after another of this rank's share, without states. Both spins share a basis,
  /// and all share the work arrays of the eigensolver and, with many bands, the memory of projectors. `prepare` gets
  /// each before the next one is made. Collective over the k-point group.
  template <class S>
  [[nodiscard]] MyBands<S> make_bands(const Problem& problem,
                                      const std::function<void(PlaneWaveBands<S>&)>& prepare = {});
  template <class S>
  [[nodiscard]] std::shared_ptr<KPointBasis<S>> make_basis(const Problem& problem, const Vec3& k,
                                                           std::shared_ptr<ProjectorMemory<S>> projectors = nullptr);
};

}  // namespace wavegrid
