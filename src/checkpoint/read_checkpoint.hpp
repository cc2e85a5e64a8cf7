// Reads a checkpoint file onto any layout.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/checkpoint/band_blocks.hpp>
#include <wavegrid/checkpoint/checkpoint_header.hpp>
#include <wavegrid/checkpoint/field_blocks.hpp>

namespace wavegrid {

struct ReadOptions {
  int aggregators = 0;                  ///< of a communicator that reads; 0: one for each of its nodes
  Index buffer_bytes = Index{8} << 20;  ///< as WriteOptions::buffer_bytes
};

/// What a read did.
struct ReadReport {
  Index bands = 0;  ///< read from the file; further ones are 0
  Index bytes = 0;  ///< read by this rank
};

/// A checkpoint open for reading: the header and the offsets of all arrays are known to all ranks.
///
/// Errors, the same on all ranks: bad_input if the file is not a checkpoint, is truncated or damaged, with the file,
/// what was found and what is valid; environment_error if the system cannot read it.
class CheckpointReader {
 public:
  /// Collective over `world`.
  CheckpointReader(const Comm& world, const std::filesystem::path& path, const ReadOptions& options = {});

  [[nodiscard]] const CheckpointHeader& header() const { return header_; }
  /// G-vectors of a k-point that are in the file: half of the sphere in Mode::gamma.
  [[nodiscard]] Index waves(int k) const { return layout_.waves(k); }

  /// Reads bands 0, 1, ... of one of the file's k-points: as many as each view has; bands and G-vectors that are not in
  /// the file become 0. `map` is the map from that k-point to the one of `target`; the views may be of several spins of
  /// the file.
  ///
  /// Collective over `kpoint_group`, which need not be the world: groups may read different k-points. If one group
  /// fails the others continue, so call this function inside world.collectively(), after which all ranks throw or none.
  template <class S>
  ReadReport read_bands(const Comm& kpoint_group, int k, const WaveMap& map, const PlaneWaves& target,
                        std::vector<SpinBands<S>> spins) const;

  /// All spin components of a field on this rank's block of the same grid, as they were written. Collective over the
  /// world; bad_input if the grid differs.
  [[nodiscard]] std::vector<std::vector<double>> read_field(GridField field, const FftLayout& target) const;

 private:
  struct Contents {
    CheckpointHeader header;
    FileLayout layout;
  };
  static Contents read_contents(const Comm& world, const std::filesystem::path& path);
  CheckpointReader(const Comm& world, const std::filesystem::path& path, const ReadOptions& options, Contents contents);

  Comm world_;
  std::filesystem::path path_;
  ReadOptions options_;
  CheckpointHeader header_;
  FileLayout layout_;
};

}  // namespace wavegrid
