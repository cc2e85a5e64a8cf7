// In the set because the ONETEP project measured one-sided communication of boxes and found it no faster than messages:
// deposit and extract by every method, on the same boxes, in one run, each result compared with the first method's.
// `wavegrid bench boxes` calls it; directly:
//
//   mpirun -n 4 python/wavegrid/bin/bench_boxes --boxes 64 --size 20 --threads 2 --repeats 5
//
// Prints one JSON object per line: "setup" once, then one per method and operation.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <numeric>
#include <optional>

#include <wavegrid/mpi/window.hpp>

#include "common/memory.hpp"
#include "common/program.hpp"
#include "common/series.hpp"
#include "shared_functions.hpp"
#include "system.hpp"

namespace {

using namespace wavegrid;
using namespace wavegrid::bench;

/// One method with its samples.
struct Competitor {
  ComparedBoxOptions options;
  std::optional<ComparedBoxes> exchange;
  std::vector<double> deposit, extract;
  BoxTraffic traffic;  ///< of one deposit and one extract, of all ranks
  double plan_seconds = 0, mib = 0, difference = 0;

  explicit Competitor(const ComparedBoxOptions& with) : options(with) {}
  [[nodiscard]] std::string name() const {
    const std::string method = to_string(options.method);
    if (options.method != BoxMethod::planned_union) return method;
    return method + (options.deterministic ? ", deterministic" : "") +
           (options.transport == ComparedBoxOptions{}.transport ? ""
                                                                : std::string(", ") + to_string(options.transport));
  }
};

class Bench {
 public:
  Bench(const Comm& comm, const Options& options)
      : comm_(comm),
        options_(options),
        system_(comm, options),
        grid_(static_cast<std::size_t>(system_.points.size()), 0.0),
        seen_(system_.boxes.size()) {
    const Index points = Index{options.size} * options.size * options.size;
    for (Index i = 0; i < points; ++i) pattern_.push_back(1 + std::sin(static_cast<double>(i)));
    for (const BoxMethod method : options.methods) add(method);
  }

  void run() {
    print_setup();
    for (Competitor& one : competitors_) prepare(one);
    in_turn(options_.repeats, competitors_.size(), [this](std::size_t i) {
      Competitor& one = competitors_[i];
      one.deposit.push_back(timed([&] { one.exchange->deposit(fill_, grid_.data()); }));
      one.extract.push_back(timed([&] { one.exchange->extract(grid_.data(), read_); }));
    });
    for (const Competitor& one : competitors_) print(one);
    if (system_.functions > 0)
      for (const FunctionAccess access : {FunctionAccess::window, FunctionAccess::messages}) share(access);
  }

 private:
  void add(BoxMethod method) {
    const ComparedBoxOptions plain{.method = method, .threads = options_.threads, .calls = options_.calls};
    if (method != BoxMethod::planned_union) {
      competitors_.emplace_back(plain);
      return;
    }
    for (const bool deterministic : {false, true})
      for (const Transport transport : options_.transports) {
        if (deterministic && !options_.deterministic) continue;
        ComparedBoxOptions planned(plain);
        planned.deterministic = deterministic;
        planned.transport = transport;
        competitors_.emplace_back(planned);
      }
  }

  /// Plans, and takes the first sample, which is not counted: what memory it needs and whether its result is right.
  void prepare(Competitor& one) {
    std::fill(grid_.begin(), grid_.end(), 0.0);
    const MemoryWatch memory;
    const auto start = Clock::now();
    one.exchange.emplace(comm_, system_.grid, system_.points, system_.boxes, one.options);
    one.plan_seconds = comm_.max(seconds_since(start));
    one.exchange->deposit(fill_, grid_.data());
    one.exchange->extract(grid_.data(), read_);
    constexpr double kib = 1024;
    one.mib = static_cast<double>(comm_.max(static_cast<Index>(memory.grown_mib() * kib))) / kib;
    one.traffic = one.exchange->traffic();
    one.traffic.messages = comm_.sum(one.traffic.messages), one.traffic.bytes = comm_.sum(one.traffic.bytes);
    compare(one);
  }

  /// The largest relative difference from the results of the first method; deposits and extracts.
  void compare(Competitor& one) {
    if (&one == &competitors_.front()) first_grid_ = grid_, first_seen_ = seen_;
    double largest = 0, difference = 0;
    for (const auto& [ours, first] : {std::pair(&grid_, &first_grid_), std::pair(&seen_, &first_seen_)})
      for (std::size_t i = 0; i < ours->size(); ++i) {
        largest = std::max(largest, std::abs((*first)[i]));
        difference = std::max(difference, std::abs((*ours)[i] - (*first)[i]));
      }
    one.difference = comm_.max(difference) / std::max(comm_.max(largest), 1e-300);
    if (one.difference > 1e-12)
      throw internal_error("the methods " + one.name() + " and " + competitors_.front().name() + " differ by " +
                           std::to_string(one.difference));
  }

  /// Visits of the functions in the boxes near this rank's, after each has changed.
  void share(FunctionAccess access) {
    SharedFunctions functions(comm_, system_, access);
    std::vector<double> samples;
    for (int i = 0; i <= options_.repeats; ++i) {
      functions.set();
      const double seconds = timed([&] { functions.visit(); });
      if (i > 0) samples.push_back(seconds);
    }
    const FunctionTraffic traffic = functions.traffic();
    const Index fetched = comm_.sum(traffic.fetched), bytes = comm_.sum(traffic.bytes), visits = options_.repeats + 1;
    const Figure figure = figure_of(samples);
    if (comm_.rank() == 0)
      std::printf(R"({"functions": "%s", "seconds": %.6g, "least": %.6g, "spread": %.6g, "fetched": %lld, )"
                  R"("bytes": %lld})"
                  "\n",
                  access == FunctionAccess::window ? "get" : "request", figure.median,
                  *std::min_element(samples.begin(), samples.end()), figure.spread,
                  static_cast<long long>(fetched / visits), static_cast<long long>(bytes / visits));
  }

  template <class Work>
  double timed(Work work) {
    comm_.barrier();
    const auto start = Clock::now();
    work();
    return comm_.max(seconds_since(start));
  }

  void print_setup() const {
    const Window window = Window::allocate(comm_, 64);
    const std::string name = window.name();  // Open MPI's component for ranks that share memory gives none
    const BoxExchange plan(comm_, system_.grid, system_.points, system_.boxes);
    const Index size = plan.union_size(), values = plan.offset(system_.boxes.size());
    const Index all = comm_.sum(values), united = comm_.sum(size);
    if (comm_.rank() != 0) return;
    std::printf(R"({"setup": "%d x %d x %d", "boxes": %lld, "values": %lld, "union_points": %lld, )"
                R"("thread_level": "%s", "one_sided": "%s"})"
                "\n",
                system_.grid[0], system_.grid[1], system_.grid[2], static_cast<long long>(system_.all_boxes),
                static_cast<long long>(all), static_cast<long long>(united), mpi_thread_level().c_str(),
                name.empty() ? "sm" : name.substr(0, name.find(' ')).c_str());
  }

  void print(const Competitor& one) const {
    if (comm_.rank() != 0) return;
    for (const auto& [operation, samples] : {std::pair("deposit", &one.deposit), std::pair("extract", &one.extract)}) {
      const Figure figure = figure_of(*samples);
      std::printf(
          R"({"method": "%s", "calls": "%s", "operation": "%s", "seconds": %.6g, "least": %.6g, "spread": %.6g, )"
          R"("plan_seconds": %.6g, "messages": %lld, "bytes": %lld, "extra_mib_per_rank": %.6g, )"
          R"("difference": %.3g})"
          "\n",
          one.name().c_str(), options_.calls == MpiCalls::at_once ? "at_once" : "in_turn", operation, figure.median,
          *std::min_element(samples->begin(), samples->end()), figure.spread, one.plan_seconds,
          static_cast<long long>(one.traffic.messages / 2), static_cast<long long>(one.traffic.bytes / 2), one.mib,
          one.difference);
    }
  }

  Comm comm_;
  Options options_;
  BoxSystem system_;
  std::vector<double> pattern_;  ///< the values of each box
  std::deque<Competitor> competitors_;
  std::vector<double> grid_, seen_;  ///< this rank's points; for each box the sum of what was extracted
  std::vector<double> first_grid_, first_seen_;
  const FillBox<double> fill_ = [this](Index, std::span<double> values) {
    std::copy_n(pattern_.begin(), values.size(), values.begin());
  };
  const ReadBox<double> read_ = [this](Index box, std::span<const double> values) {
    seen_[static_cast<std::size_t>(box)] = std::accumulate(values.begin(), values.end(), 0.0);
  };
};

void run(const Comm& comm, const std::vector<std::string>& words) { Bench(comm, parse_options(words)).run(); }

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool at_once = std::find(words.begin(), words.end(), "at_once") != words.end();
  return wavegrid::bench::run_program(argc, argv, run, at_once ? MpiCalls::at_once : MpiCalls::in_turn);
}
