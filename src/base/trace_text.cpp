#include "base/trace_text.hpp"

#include <algorithm>
#include <cstdio>

namespace wavegrid {

namespace {

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
std::string microseconds(Trace::Time time) {
  char text[40];
  std::snprintf(text, sizeof text, "%s%lld.%03lld", time < 0 ? "-" : "", static_cast<long long>(std::abs(time) / 1000),
                static_cast<long long>(std::abs(time) % 1000));
  return text;
}

std::string number(Index value) { return std::to_string(value); }

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string process_json(int rank, std::string_view name) {
  const std::string pid = R"("ph":"M","pid":)" + number(rank) + R"(,"tid":0,"args":{)";
  return R"({"name":"process_name",)" + pid + R"("name":)" + json_string(name) + "}},\n" +
         R"({"name":"process_sort_index",)" + pid + R"("sort_index":)" + number(rank) + "}},\n" +
         R"({"name":"thread_name",)" + pid + R"("name":"phases"}})";
}

std::string event_json(const Trace& trace, std::size_t i, int rank) {
  const Trace::Event& event = trace.events()[i];
  const Trace::Time origin = trace.clock().origin, end = std::max(event.begin, event.end);
  const std::string head = R"({"name":)" + json_string(event.name) + R"(,"cat":")" + category(event.kind) +
                           R"(","pid":)" + number(rank) + R"(,"tid":0,"ts":)";
  const std::string begin = head + microseconds(event.begin - origin);
  if (event.kind != EventKind::exchange) return begin + R"(,"ph":"X","dur":)" + microseconds(end - event.begin) + "}";
  const std::string id = R"("id2":{"local":")" + number(static_cast<Index>(i)) + R"("})";
  return begin + R"(,"ph":"b",)" + id + R"(,"args":{"of":)" + json_string(event.detail) + R"(,"bytes":)" +
         number(event.bytes) + R"(,"messages":)" + number(event.messages) + "}},\n" + head +
         microseconds(end - origin) + R"(,"ph":"e",)" + id + "}";
}

}  // namespace wavegrid
