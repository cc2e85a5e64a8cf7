// A calculation that goes on from a checkpoint: of the same crystal or a moved one, on any layout, k-points, cutoff.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atoms/solver/pseudo_atom.hpp"
#include "calculation/plane_wave_bands.hpp"
#include "checkpoint/read_checkpoint.hpp"
#include "fft/grid_fft.hpp"
#include "terms/grid_fields.hpp"

namespace wavegrid {

/// What was taken over. K-points count once for each spin.
struct RestartReport {
  std::string file;
  Index kpoints_found = 0;    ///< in the file as they are
  Index kpoints_rotated = 0;  ///< from an equivalent one
  Index kpoints_missing = 0;  ///< started anew
  Index bands_found = 0;      ///< per k-point
  Index bands_random = 0;     ///< of all k-points: those that the file lacks, or that depend on others in this basis
  double norm_kept = 1;       ///< the least share of a band's norm that this basis holds
  std::string density;        ///< "taken" as it is, or "carried over" to another grid, cell or atoms
  double seconds = 0;
};

/// An opened checkpoint and the crystal that goes on from it.
class Restart {
 public:
  /// Reads the header. Collective. Throws on all ranks alike where the file cannot be read or holds other atoms.
  Restart(const Comm& world, const std::string& file, const Crystal& crystal);

  /// The density to go on from: that of the file where cell, grid and atoms are the same; else `atoms` (superposed
  /// atoms of this crystal) and what the file's density differed from its own superposed atoms. Magnetisation likewise
  /// from the file where it has one. Collective over the ranks of `grid`, the world.
  [[nodiscard]] SpinCoefficients density(GridFft& grid, SpinCoefficients atoms,
                                         const std::vector<PseudoAtom>& pseudo_atoms);

  /// Bands of the file, or of an equivalent k-point's, with HX and Ritz values in the present potential; bands that the
  /// file lacks are random. Empty where the file has no such k-point. Collective over the k-group.
  template <class S>
  [[nodiscard]] std::optional<EigenState<S>> bands(PlaneWaveBands<S>& of_k, Index count);

  /// Added up over the k-groups. Collective over the world.
  [[nodiscard]] RestartReport report(const ProcessGroups& levels) const;

 private:
  /// A k-point of the file and the way from it.
  struct Origin {
    int k;
    WaveMap map;
  };
  [[nodiscard]] std::optional<Origin> origin_of(const Vec3& k) const;

  Comm world_;
  const Crystal& crystal_;
  CheckpointReader reader_;
  bool same_cell_, same_crystal_;
  RestartReport report_;
};

}  // namespace wavegrid
