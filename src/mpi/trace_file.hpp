// The traces of all ranks: clocks are compared at the start, one file is written at the end.
#pragma once

#include <string>

#include <wavegrid/base/trace.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// This rank's clock minus that of rank 0, in ns: `offset` is to be added to rank 0's time.
struct ClockOffset {
  Trace::Time offset = 0;
  Trace::Time error = 0;  ///< largest error of the offset
};

/// Compares all clocks with rank 0's, one rank after the other, each by the fastest of a few ping-pongs. Collective.
[[nodiscard]] ClockOffset compare_clocks(const Comm& comm);

/// An empty trace per rank, all with the same zero of time. The ranks of a host share one clock; the offset of each
/// host is measured on its first rank (compare_clocks()). Collective.
[[nodiscard]] Trace start_trace(const Comm& comm, std::size_t max_events = Trace::default_max_events);
/// The same for a given `host`: the ranks that share this rank's clock.
[[nodiscard]] Trace start_trace(const Comm& comm, const Comm& host, std::size_t max_events);

/// What the file contains in addition to the events.
struct TraceFile {
  std::string path;        ///< of rank 0
  std::string process;     ///< of each rank: the name of its timeline
  std::string run = "{}";  ///< of rank 0: a JSON object about the run, stored as "otherData.run"
};

/// Writes the traces of all ranks to one file in the Trace Event Format, with the rank x rank traffic as
/// "otherData.traffic": [from, to, bytes, messages]. Rank 0 writes; it receives the text of the other ranks one after
/// the other, in pieces of bounded size. Collective. Throws environment_error on all ranks if the file cannot be
/// written.
void write_trace(const Comm& comm, const Trace& trace, const TraceFile& file);

}  // namespace wavegrid
