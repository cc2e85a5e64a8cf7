// Restart from a checkpoint: of the same crystal or a moved one, with any parallel layout, k-points and cutoff.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atoms/solver/pseudo_atom.hpp"
#include "base/scope_timer.hpp"
#include "calculation/carry_over.hpp"
#include "calculation/plane_wave_bands.hpp"
#include "calculation/restart_report.hpp"
#include "checkpoint/read_checkpoint.hpp"
#include "fft/grid_fft.hpp"
#include "terms/grid_fields.hpp"

namespace wavegrid {

/// An opened checkpoint and the crystal of the calculation that restarts from it: what plane waves and meshes share.
class RestartFile {
 public:
  /// Reads the header. Collective. Throws on all ranks if the file cannot be read or has other atoms.
  RestartFile(const Comm& world, const std::string& file, const Crystal& crystal);

  [[nodiscard]] const CheckpointHeader& header() const { return reader_.header(); }
  /// The report, with counts summed over the k-point groups. Collective over the world.
  [[nodiscard]] RestartReport report(const ProcessGroups& levels) const;

 protected:
  /// The k-point of the file from which the bands of S at k are obtained, with `symmetry`; counts what was found.
  /// Local.
  template <class S>
  [[nodiscard]] std::optional<BandOrigin> find(const Vec3& k, const SpaceGroup& symmetry);
  /// Reads bands and records what they have lost in this basis; returns how many the file has. `overlap`:
  /// an operator on the basis whose S norms are those of the bands. Collective over `ranks`.
  template <class S>
  Index read(const Comm& ranks, const BandOrigin& origin, int spin, const PlaneWaves& waves,
             const InnerProduct& product, BandView<S> bands, BandOperator<S>* overlap = nullptr);

  Comm world_;
  const Crystal& crystal_;
  CheckpointReader reader_;
  RestartReport report_;
};

/// Restart in plane waves.
class Restart : public RestartFile {
 public:
  /// As RestartFile.
  Restart(const Comm& world, const std::string& file, const Crystal& crystal);

  /// The initial density: that of the file if cell, grid and atoms are the same, otherwise that of carried_density().
  /// Collective over the ranks of `grid`, the world.
  [[nodiscard]] SpinCoefficients density(GridFft& grid, SpinCoefficients superposed,
                                         const std::vector<PseudoAtom>& pseudo_atoms);

  /// Bands of the same or an equivalent k-point of the file, with HX and Ritz values in the present potential; bands
  /// that the file lacks are random. Empty if the file has no such k-point. Collective over the k-point group.
  template <class S>
  [[nodiscard]] std::optional<EigenState<S>> bands(PlaneWaveBands<S>& of_k, Index count);

 private:
  bool same_crystal_ = false;
};

}  // namespace wavegrid
