// Writes a whole calculation into one file.
#pragma once

#include <filesystem>
#include <vector>

#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/checkpoint/checkpoint_header.hpp>
#include <wavegrid/checkpoint/field_blocks.hpp>
#include <wavegrid/mpi/process_groups.hpp>

namespace wavegrid {

/// The bands of one k-point and spin of this rank's k-point group: every plane wave of the sphere is on one rank of the
/// group, with its coefficients of all bands. Normalised: sum over the whole sphere of |c|^2 = 1, or
/// with the overlap of ultrasoft and PAW datasets.
template <class S>
struct CheckpointBands {
  int k = 0;
  int spin = 0;
  const PlaneWaves& waves;    ///< of this rank; may be empty
  BandView<const S> bands{};  ///< as many as CheckpointHeader::bands
};

enum class WriteMethod {
  aggregated,  ///< a few ranks of each k-point group write at the same time
  root,        ///< one rank gathers and writes all bands, one after the other, as in CASTEP; for comparison
};

struct WriteOptions {
  WriteMethod method = WriteMethod::aggregated;
  int aggregators = 0;  ///< of a k-point group; 0: one for each of its nodes
  /// Of a rank, for rows that are exchanged; at least the size of one block. Small, so that it fits into the caches.
  Index buffer_bytes = Index{8} << 20;
  int keep = 1;  ///< files that are kept, the new one among them
};

/// What a write did; the same on all ranks.
struct WriteReport {
  Index bytes = 0;  ///< of the file
  int writers = 0;  ///< ranks that wrote
  double skeleton_seconds = 0, bands_seconds = 0, fields_seconds = 0, sync_seconds = 0, seconds = 0;
};

/// Writes a checkpoint under another name in the directory of `path` and renames it when it is complete and on the
/// disk: the old file is kept until then, also if the run is killed. `mine`: the bands of all k-points and spins of
/// this rank's k-point group, in any order; all groups together have all k-points and spins of the header.
///
/// Collective over the world of `levels`. Throws the same on all ranks: environment_error if the system cannot write
/// the file (disk full, no permission), bad_input if header, bands and fields are inconsistent; no new file is left
/// then. Memory of a rank: the buffer and the tables of one block of G-vectors, independent of the size of the system.
template <class S>
WriteReport write_checkpoint(const std::filesystem::path& path, const CheckpointHeader& header,
                             const ProcessGroups& levels, const std::vector<CheckpointBands<S>>& mine,
                             const CheckpointFields& fields, const WriteOptions& options = {});

}  // namespace wavegrid
