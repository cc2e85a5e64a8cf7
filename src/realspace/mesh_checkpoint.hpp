// Checkpoints of bands and densities on a mesh: in plane waves, so that any calculation can continue from them.
#pragma once

#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/discretisation/restart_file.hpp>
#include <wavegrid/realspace/mesh_bands.hpp>
#include <wavegrid/realspace/mesh_waves.hpp>

namespace wavegrid {

/// Writes these bands and this density, with the potential of the density, in the box around the mesh
/// (realspace/mesh_waves.hpp). The arguments must outlive the result.
template <class S>
[[nodiscard]] WriteState writing_mesh(const Problem& problem, const ProcessGroups& groups, MeshSpace& space,
                                      const MeshPotential& potential, const MeshBands<S>& bands,
                                      const Density<MeshFields>& density);

/// Restart on a mesh from a checkpoint of another mesh or of plane waves, of the same crystal or a moved one.
///
/// Where the region is the cell, waves are taken over by Miller index. Otherwise the file's cell is laid over the
/// points of the mesh, shifted by whole points so that the atoms come nearest to theirs; where its edges are no whole
/// numbers of steps it is stretched to the next ones.
class MeshRestart : public RestartFile {
 public:
  /// As RestartFile. The grid must outlive it.
  MeshRestart(const Comm& world, const Problem& problem, MeshSpace& grid);

  /// The initial density: that of the file if grid and atoms are the same, otherwise superposed atoms and the file's
  /// difference from its own. `initial`: that of superposed atoms. Collective.
  [[nodiscard]] SpinFields density(SpinFields initial, const std::vector<PseudoAtom>& atoms);
  /// The kinetic-energy density of the file, `spins` components; empty if it has none for these atoms.
  /// Collective.
  [[nodiscard]] SpinFields tau(int spins);
  /// Bands of the same or an equivalent k-point of the file, with HX and Ritz values in the present potential; bands
  /// that the file lacks are the lowest states of their complement. Empty if the file has no such k-point. Collective
  /// over the k-point group.
  template <class S>
  [[nodiscard]] std::optional<EigenState<S>> bands(MeshKPointBands<S>& kpoint_bands, Index count);

 private:
  /// The components of a field of the file. Collective.
  [[nodiscard]] SpinFields read_on_mesh(GridField field);
  /// The file's density without its superposed atoms, which are subtracted before it is stretched. Collective.
  [[nodiscard]] SpinFields stretched_change(const std::vector<PseudoAtom>& atoms);

  MeshSpace& grid_;
  std::optional<Mat3> turn_;  ///< of spinors (Problem::restart_turn)
  WaveBox box_;               ///< in which the waves of the file are read
  Crystal placed_;            ///< the file's atoms in the cell of the problem
  bool same_steps_ = false;   ///< nothing is stretched
  bool same_atoms_ = false;
};

}  // namespace wavegrid
