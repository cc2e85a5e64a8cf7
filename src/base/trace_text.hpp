// A trace as text in the Trace Event Format, which Perfetto and chrome://tracing read (JSON object form).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/trace.hpp>

namespace wavegrid {

/// The entries of "traceEvents" that name a rank's process and its thread; processes are sorted by rank.
[[nodiscard]] std::string process_json(int rank, std::string_view name);

/// The entries of event `number` of a rank: one "X" for a phase or a step, "b" and "e" for an exchange. Times are
/// microseconds since the trace's origin.
[[nodiscard]] std::string event_json(const Trace& trace, std::size_t number, int rank);

/// The object {"hosts": ..., "error_ns": ...}.
[[nodiscard]] std::string clock_json(const Trace::Clock& clock);

/// Integers as a JSON array.
[[nodiscard]] std::string array_json(std::initializer_list<Index> values);

}  // namespace wavegrid
