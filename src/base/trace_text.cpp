#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <wavegrid/base/trace_text.hpp>

namespace wavegrid {

namespace {

using Buffer = rapidjson::StringBuffer;
using Writer = rapidjson::Writer<Buffer>;
constexpr std::size_t capacity = 512, depth = 4;  // initial values for one event; both grow if necessary

const char* category(EventKind kind) {
  switch (kind) {
    case EventKind::phase:
      return "phase";
    case EventKind::step:
      return "step";
    case EventKind::exchange:
      break;
  }
  return "exchange";
}

/// Nanoseconds as microseconds, exactly.
void microseconds(Writer& out, const char* key, Trace::Time time) {
  char text[40];
  const int size =
      std::snprintf(text, sizeof text, "%s%lld.%03lld", time < 0 ? "-" : "",
                    static_cast<long long>(std::abs(time) / 1000), static_cast<long long>(std::abs(time) % 1000));
  out.Key(key);
  out.RawValue(text, static_cast<std::size_t>(size), rapidjson::kNumberType);
}

void string(Writer& out, const char* key, std::string_view value) {
  out.Key(key);
  out.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void number(Writer& out, const char* key, Index value) {
  out.Key(key);
  out.Int64(value);
}

/// One object; `members(writer)` writes its members.
template <class Members>
void object(Buffer& buffer, Members members) {
  Writer out(buffer, nullptr, depth);
  out.StartObject();
  members(out);
  out.EndObject();
}

/// Separates two objects of a list.
void separator(Buffer& buffer) {
  buffer.Put(',');
  buffer.Put('\n');
}

std::string to_text(const Buffer& buffer) { return {buffer.GetString(), buffer.GetSize()}; }

/// Metadata about a rank's process: {"name": what, ..., "args": {key: value}}.
template <class Argument>
void metadata(Buffer& buffer, int rank, const char* what, Argument argument) {
  object(buffer, [&](Writer& out) {
    string(out, "name", what);
    string(out, "ph", "M");
    number(out, "pid", rank);
    number(out, "tid", 0);
    out.Key("args");
    out.StartObject();
    argument(out);
    out.EndObject();
  });
}

}  // namespace

std::string process_json(int rank, std::string_view name) {
  Buffer buffer(nullptr, capacity);
  metadata(buffer, rank, "process_name", [&](Writer& out) { string(out, "name", name); });
  separator(buffer);
  metadata(buffer, rank, "process_sort_index", [&](Writer& out) { number(out, "sort_index", rank); });
  separator(buffer);
  metadata(buffer, rank, "thread_name", [&](Writer& out) { string(out, "name", "phases"); });
  return to_text(buffer);
}

std::string event_json(const Trace& trace, std::size_t i, int rank) {
  const Trace::Event& event = trace.events()[i];
  const Trace::Time origin = trace.clock().origin, end = std::max(event.begin, event.end);
  const auto common = [&](Writer& out, const char* phase, Trace::Time at) {
    string(out, "name", event.name);
    string(out, "cat", category(event.kind));
    number(out, "pid", rank);
    number(out, "tid", 0);
    microseconds(out, "ts", at - origin);
    string(out, "ph", phase);
  };
  const auto id = [&](Writer& out) {
    out.Key("id2");
    out.StartObject();
    string(out, "local", std::to_string(i));
    out.EndObject();
  };
  Buffer buffer(nullptr, capacity);
  if (event.kind != EventKind::exchange) {
    object(buffer, [&](Writer& out) {
      common(out, "X", event.begin);
      microseconds(out, "dur", end - event.begin);
    });
    return to_text(buffer);
  }
  object(buffer, [&](Writer& out) {
    common(out, "b", event.begin);
    id(out);
    out.Key("args");
    out.StartObject();
    string(out, "of", event.detail);
    number(out, "bytes", event.bytes);
    number(out, "messages", event.messages);
    out.EndObject();
  });
  separator(buffer);
  object(buffer, [&](Writer& out) {
    common(out, "e", end);
    id(out);
  });
  return to_text(buffer);
}

std::string clock_json(const Trace::Clock& clock) {
  Buffer buffer(nullptr, capacity);
  object(buffer, [&](Writer& out) {
    number(out, "hosts", clock.hosts);
    number(out, "error_ns", clock.error);
  });
  return to_text(buffer);
}

std::string array_json(std::initializer_list<Index> values) {
  Buffer buffer(nullptr, capacity);
  Writer out(buffer, nullptr, depth);
  out.StartArray();
  for (const Index value : values) out.Int64(value);
  out.EndArray();
  return to_text(buffer);
}

}  // namespace wavegrid
