// The traces of all ranks: one clock at the start, one file at the end.
#pragma once

#include <string>

#include "base/trace.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

/// This rank's clock minus that of rank 0, in ns: `offset` is to be added to rank 0's time.
struct ClockOffset {
  Trace::Time offset = 0;
  Trace::Time error = 0;  ///< the offset is right to +- this
};

/// Compares all clocks with rank 0's, one rank after the other, each by the fastest of a few ping-pongs. Collective.
[[nodiscard]] ClockOffset compare_clocks(const Comm& comm);

/// An empty trace per rank, all with the same zero of time. Ranks of one host share its clock; those of other hosts
/// take the offset of their first rank (compare_clocks). Collective.
[[nodiscard]] Trace start_trace(const Comm& comm, std::size_t max_events = Trace::default_max_events);
/// The same with `host`, the ranks whose clock is the same as this one's.
[[nodiscard]] Trace start_trace(const Comm& comm, const Comm& host, std::size_t max_events);

/// What the file contains in addition to the events.
struct TraceFile {
  std::string path;        ///< of rank 0
  std::string process;     ///< of each rank: how its timeline is called
  std::string run = "{}";  ///< of rank 0: a JSON object about the run, stored as "otherData.run"
};

/// Writes the traces of all ranks to one file in the Trace Event Format, with the rank x rank traffic as
/// "otherData.traffic": [from, to, bytes, messages]. Rank 0 writes and takes the others' text rank by rank in pieces
/// of bounded size. Collective. Throws (environment, on all ranks) where the file system refuses.
void write_trace(const Comm& comm, const Trace& trace, const TraceFile& file);

}  // namespace wavegrid
