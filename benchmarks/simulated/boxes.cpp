// Deposits and extractions between boxes and the grid of the cell, by the library's planned method and by those of
// ONETEP: messages box by box, and one-sided calls box by box.
#include "boxes/shared_functions.hpp"
#include "boxes/system.hpp"
#include "studies.hpp"

namespace wavegrid::bench {

namespace {

/// Simulated seconds of the slowest rank.
struct BoxTimes {
  double deposit = 0, extract = 0;
  Index messages = 0;  ///< of the rank with most, of both
};

BoxTimes measure(const Comm& comm, const BoxSystem& system, const ComparedBoxOptions& options) {
  ComparedBoxes exchange(comm, system.grid, system.points, system.boxes, options);
  std::vector<double> grid(static_cast<std::size_t>(system.points.size()), 0.0);
  const FillBox<double> fill = [](Index, std::span<double> values) { std::fill(values.begin(), values.end(), 1.0); };
  const ReadBox<double> read = [](Index, std::span<const double>) {};
  const auto slowest = [&](const auto& work) {
    comm.barrier();
    const double start = now();
    work();
    return comm.max(now() - start);
  };
  exchange.extract(grid.data(), read);  // makes buffers and windows
  const BoxTraffic before = exchange.traffic();
  BoxTimes times;
  times.deposit = slowest([&] { exchange.deposit(fill, grid.data()); });
  times.extract = slowest([&] { exchange.extract(grid.data(), read); });
  times.messages = comm.max(exchange.traffic().messages - before.messages);
  return times;
}

/// Functions of boxes near those of a rank, by both ways.
std::string shared_functions(const Comm& comm, const BoxSystem& system) {
  std::string fields;
  for (const auto& [name, access] :
       {std::pair("get", FunctionAccess::window), std::pair("request", FunctionAccess::messages)}) {
    SharedFunctions functions(comm, system, access);
    functions.set();
    comm.barrier();
    const double start = now();
    functions.visit();
    const double seconds = comm.max(now() - start);
    fields += text(R"(, "%s_us": %.6g, "%s_functions": %lld)", name, 1e6 * seconds, name,
                   static_cast<long long>(comm.max(functions.traffic().fetched)));
  }
  return fields;
}

}  // namespace

void study_boxes(const Comm& comm, const Words& words) {
  Options options = parse_options(words);
  const BoxSystem system(comm, options);
  std::string rows;
  for (const BoxMethod method : options.methods) {
    const BoxTimes times = measure(comm, system, {.method = method, .transport = options.transports.front()});
    rows += text(R"(%s{"method": "%s", "deposit_us": %.6g, "extract_us": %.6g, "messages": %lld})",
                 rows.empty() ? "" : ", ", to_string(method), 1e6 * times.deposit, 1e6 * times.extract,
                 static_cast<long long>(times.messages));
  }
  print_result(comm, text(R"({"ranks": %d, "grid": [%d, %d, %d], "boxes": %lld, "rows": [)", comm.size(),
                          system.grid[0], system.grid[1], system.grid[2], static_cast<long long>(system.all_boxes)) +
                         rows + "]" + (system.functions > 0 ? shared_functions(comm, system) : "") + "}");
}

}  // namespace wavegrid::bench
