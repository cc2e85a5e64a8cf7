// A trace as text in the Trace Event Format, which Perfetto and chrome://tracing read (JSON object form).
#pragma once

#include <string>
#include <string_view>

#include "base/trace.hpp"

namespace wavegrid {

/// `text` as a JSON string, quotes included.
[[nodiscard]] std::string json_string(std::string_view text);

/// The entries of "traceEvents" that name a rank's process and its thread; processes are sorted by rank.
[[nodiscard]] std::string process_json(int rank, std::string_view name);

/// The entries of event `number` of a rank: one "X" for a phase or a step, "b" and "e" for an exchange. Times are
/// microseconds since the trace's origin.
[[nodiscard]] std::string event_json(const Trace& trace, std::size_t number, int rank);

}  // namespace wavegrid
