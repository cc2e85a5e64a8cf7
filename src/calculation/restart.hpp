// Restart from a checkpoint: of the same crystal or a moved one, with any parallel layout, k-points and cutoff.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atoms/solver/pseudo_atom.hpp"
#include "calculation/carry_over.hpp"
#include "calculation/plane_wave_bands.hpp"
#include "calculation/restart_report.hpp"
#include "checkpoint/read_checkpoint.hpp"
#include "fft/grid_fft.hpp"
#include "terms/grid_fields.hpp"

namespace wavegrid {

/// An opened checkpoint and the crystal of the calculation that restarts from it.
class Restart {
 public:
  /// Reads the header. Collective. Throws on all ranks if the file cannot be read or has other atoms.
  Restart(const Comm& world, const std::string& file, const Crystal& crystal);

  /// The initial density: that of the file if cell, grid and atoms are the same, otherwise that of carried_density().
  /// Collective over the ranks of `grid`, the world.
  [[nodiscard]] SpinCoefficients density(GridFft& grid, SpinCoefficients superposed,
                                         const std::vector<PseudoAtom>& pseudo_atoms);

  /// Bands of the same or an equivalent k-point of the file, with HX and Ritz values in the present potential; bands
  /// that the file lacks are random. Empty if the file has no such k-point. Collective over the k-point group.
  template <class S>
  [[nodiscard]] std::optional<EigenState<S>> bands(PlaneWaveBands<S>& of_k, Index count);

  /// The report, with counts summed over the k-point groups. Collective over the world.
  [[nodiscard]] RestartReport report(const ProcessGroups& levels) const;

 private:
  Comm world_;
  const Crystal& crystal_;
  CheckpointReader reader_;
  bool same_crystal_ = false;
  RestartReport report_;
};

}  // namespace wavegrid
