// A whole calculation into one file.
#pragma once

#include <filesystem>
#include <vector>

#include "basis/wave_rows.hpp"
#include "checkpoint/checkpoint_header.hpp"
#include "checkpoint/field_blocks.hpp"
#include "mpi/process_groups.hpp"

namespace wavegrid {

/// The bands of one k-point and spin of this rank's k-group: of every plane wave of the sphere one rank of the group
/// has the coefficients of all bands. Normalised: sum over the whole sphere of |c|^2 = 1.
template <class S>
struct CheckpointBands {
  int k = 0;
  int spin = 0;
  const PlaneWaves& waves;    ///< of this rank; may be none
  BandView<const S> bands{};  ///< as many as the header says
};

enum class WriteMethod {
  aggregated,  ///< a few ranks of each k-group write at the same time
  root,        ///< all bands go to one rank, one after the other, as in CASTEP; for comparison
};

struct WriteOptions {
  WriteMethod method = WriteMethod::aggregated;
  int aggregators = 0;  ///< of a k-group; 0: one for each of its nodes
  /// Of a rank, for rows on their way; at least what one block takes. Small, so that they stay in its caches.
  Index buffer_bytes = Index{8} << 20;
  int keep = 1;  ///< files that are kept, the new one among them
};

/// What a write did; the same on all ranks.
struct WriteReport {
  Index bytes = 0;  ///< of the file
  int writers = 0;  ///< ranks that wrote
  double skeleton_seconds = 0, bands_seconds = 0, fields_seconds = 0, sync_seconds = 0, seconds = 0;
};

/// Writes a checkpoint beside `path` and lets it take that name when it is whole and on the disk: whatever happens
/// before, killed runs included, the old file stays. `mine`: all k-points and spins of this rank's k-group in any
/// order; the groups' together are all of the header's.
///
/// Collective over the world of `levels`. Throws on all ranks alike: environment_error where the system refuses (disk
/// full, no permission), bad_input where header, bands and fields do not fit together; nothing is left behind then.
/// A rank takes the buffer and the tables of one block of G-vectors, whatever the size of the system.
template <class S>
WriteReport write_checkpoint(const std::filesystem::path& path, const CheckpointHeader& header,
                             const ProcessGroups& levels, const std::vector<CheckpointBands<S>>& mine,
                             const CheckpointFields& fields, const WriteOptions& options = {});

}  // namespace wavegrid
