// What a session keeps from its first solve to its last: groups of ranks, their process grids, the pseudo-atoms.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "atoms/solver/pseudo_atom.hpp"
#include "calculation/choose_eigensolver.hpp"
#include "calculation/choose_projectors.hpp"
#include "calculation/parallel_layout.hpp"
#include "calculation/plane_wave_bands.hpp"
#include "fft/wisdom.hpp"
#include "mpi/process_grid.hpp"

namespace wavegrid {

/// Made for the problem's first geometry; the groups of ranks do not change with the geometry. Must not be moved.
class Environment {
 public:
  /// Collective over `comm`. Throws on all ranks or none.
  Environment(const Comm& comm, const Problem& problem, Trace* trace);

  Profile profile;
  Wisdom wisdom;
  ParallelLayout layout;
  EigensolverChoice eigensolver;
  ProcessGroups groups;
  PartitionChoice partition;             ///< of the first k-point's sphere over a band group
  ProcessGrid ranks;                     ///< of the band group
  ProcessGrid field_ranks;               ///< of densities and potentials: the only band group, or all ranks in slabs
  Scheme field_scheme;                   ///< of the FFT box over field_ranks
  std::vector<PseudoAtom> pseudo_atoms;  ///< one per species
  std::shared_ptr<FftWorkspace> workspace =
      std::make_shared<FftWorkspace>();  ///< shared by all transforms: one runs at a time
  double electrons;
  ProjectorChoice projectors;  ///< for the first geometry

  /// The range of this rank's k-point group: a block of all `sets` (k-points times spins, the spins of a k-point
  /// consecutive). Local.
  [[nodiscard]] Range my_share(Index sets) const;
  [[nodiscard]] FftOptions fft_options(const Problem& problem, PlanEffort effort);
  /// The partition of a sphere over the band group, with the scheme and shape chosen for the first k-point. Local.
  [[nodiscard]] Partition partition_of(const GSphere& sphere) const;
  /// This rank's plane waves of a k-point in a cell, in the distribution for linear algebra. Local.
  [[nodiscard]] PlaneWaves rows_of(const Problem& problem, const Lattice& lattice, const Int3& grid,
                                   const Vec3& k) const;

  /// Makes the bands of all k-points and spins of this rank's range, without states. Both spins share a basis, and all
  /// share the work arrays of the eigensolver and, with many bands, the memory of projectors. `prepare` is called for
  /// each before the next one is made. Collective over the k-point group.
  template <class S>
  [[nodiscard]] MyBands<S> make_bands(const Problem& problem,
                                      const std::function<void(PlaneWaveBands<S>&)>& prepare = {});
  template <class S>
  [[nodiscard]] std::shared_ptr<KPointBasis<S>> make_basis(const Problem& problem, const Vec3& k,
                                                           std::shared_ptr<ProjectorMemory<S>> projectors = nullptr);

 private:
  /// Made at their first use, kept for all k-points and geometries.
  template <class Real>
  [[nodiscard]] std::shared_ptr<ProjectorSpheres<Real>> spheres(const Problem& problem);

  std::shared_ptr<ProjectorSpheres<double>> spheres_;
  std::shared_ptr<ProjectorSpheres<float>> single_spheres_;
};

}  // namespace wavegrid
