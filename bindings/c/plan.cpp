// Plan and run for C.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/exchange/ghosts.hpp>

#include "call.hpp"
#include "wavegrid.h"

using namespace wavegrid;
using namespace wavegrid::c;

namespace {

/// The input of a plan, with the length of the array that each side uses.
struct Pattern {
  std::vector<PartnerRuns> sends, receives;
  Index source_extent = 0, target_extent = 0;
};

}  // namespace

struct wavegrid_plan {
  ExchangePlan plan;
  Index source_extent, target_extent;
};

struct wavegrid_exchange {
  Exchange exchange;
};

namespace {

/// Makes a plan from the result of `pattern(comm)`; `check` checks its arguments. Collective.
int make_plan(const char* function, MPI_Comm comm, const char* transport, int threads, wavegrid_plan** plan,
              const std::function<void(const Comm&)>& check, const std::function<Pattern(const Comm&)>& pattern) {
  return guarded([&] {
    clear(plan);
    const Comm ranks = communicator(comm);
    Transport named = Transport::alltoallv;
    agree(ranks, function, "transports", [&] {
      require_given(plan, "plan");
      named = transport_named(&given(transport, "transport"));
      if (threads < 1) throw bad_input("threads is " + std::to_string(threads) + "; valid: 1 or more");
      check(ranks);
      return Fingerprint().add(named);
    });
    Pattern p = pattern(ranks);
    *plan = new wavegrid_plan{ExchangePlan(ranks, std::move(p.sends), std::move(p.receives), named, threads),
                              p.source_extent, p.target_extent};
  });
}

void require_list(const char* name, const void* data, Index length) {
  if (length < 0) throw bad_input(std::string(name) + " has " + std::to_string(length) + " entries; valid: 0 or more");
  if (length > 0) require_given(data, name);
}

template <class T>
std::span<const T> list(const T* data, Index length) {
  return {data, static_cast<std::size_t>(length)};
}

void require_runs(const char* name, const wavegrid_run* runs, Index length, const Comm& comm) {
  require_list(name, runs, length);
  for (const wavegrid_run& run : list(runs, length)) {
    if (run.partner < 0 || run.partner >= comm.size())
      throw bad_input(std::string(name) + ": partner " + std::to_string(run.partner) + " is no rank; valid: 0 to " +
                      std::to_string(comm.size() - 1));
    if (run.start < 0 || run.length < 0 || run.start > std::numeric_limits<Index>::max() - run.length)
      throw bad_input(std::string(name) + ": start " + std::to_string(run.start) + " and length " +
                      std::to_string(run.length) + " are no run; valid: 0 or more");
  }
}

/// Runs by partner, and the end of the last one in the array.
std::pair<std::vector<PartnerRuns>, Index> by_partner(std::span<const wavegrid_run> runs) {
  std::map<int, RunList> sorted;
  Index extent = 0;
  for (const wavegrid_run& run : runs) {
    if (run.length == 0) continue;
    sorted[run.partner].append({run.start, run.length});
    extent = std::max(extent, run.start + run.length);
  }
  std::vector<PartnerRuns> entries;
  for (auto& [partner, of_partner] : sorted) entries.push_back({partner, std::move(of_partner)});
  return {std::move(entries), extent};
}

/// One array of an exchange, as passed by the caller.
struct Array {
  const char* name;
  void* data;
  Index length, stride, extent;  ///< the length in numbers, the others in elements

  void require(Index bands, Index width) const {
    if (length < 0)
      throw bad_input(std::string(name) + "_length is " + std::to_string(length) +
                      "; valid: 0 or more (in Fortran: an array without gaps)");
    if (bands == 0 || extent == 0) return;
    constexpr Index most = std::numeric_limits<Index>::max();
    const bool countable = extent <= most / width && (bands == 1 || stride <= (most / width - extent) / (bands - 1));
    const Index needed = !countable ? most : width * ((bands > 1 ? (bands - 1) * stride : 0) + extent);
    if (length < needed)
      throw bad_input(std::string(name) + " has " + std::to_string(length) + " elements; the plan needs " +
                      std::to_string(needed) + " for this number of bands, " + std::to_string(bands) +
                      (width == 1 ? "" : ", and " + std::to_string(width) + " numbers per element"));
    require_given(data, name);
    if (bands > 1 && stride < extent)
      throw bad_input(std::string(name) + "_stride is " + std::to_string(stride) +
                      "; valid: " + std::to_string(extent) + " or more, the elements of a band");
  }
  /// 0 if the plan uses no element of the array, which may then be NULL: no offset is added to the pointer.
  [[nodiscard]] Index used_stride() const { return extent == 0 ? 0 : stride; }
};

ExchangeDirection direction_of(int direction) {
  if (direction == WAVEGRID_FORWARD) return ExchangeDirection::forward;
  if (direction == WAVEGRID_BACKWARD) return ExchangeDirection::backward;
  if (direction == WAVEGRID_ADJOINT) return ExchangeDirection::adjoint;
  throw bad_input("unknown direction " + std::to_string(direction) + "; valid: WAVEGRID_FORWARD, _BACKWARD, _ADJOINT");
}

void require_type(int type) {
  if (type < WAVEGRID_FLOAT || type > WAVEGRID_INT64)
    throw bad_input("unknown type " + std::to_string(type) +
                    "; valid: WAVEGRID_FLOAT, _DOUBLE, _COMPLEX_FLOAT, _COMPLEX_DOUBLE, _INT64");
}

static_assert(WAVEGRID_FLOAT == static_cast<int>(NumberType::float32) &&
              WAVEGRID_DOUBLE == static_cast<int>(NumberType::float64) &&
              WAVEGRID_COMPLEX_FLOAT == static_cast<int>(NumberType::complex64) &&
              WAVEGRID_COMPLEX_DOUBLE == static_cast<int>(NumberType::complex128) &&
              WAVEGRID_INT64 == static_cast<int>(NumberType::int64));

}  // namespace

int wavegrid_plan_from_indices(MPI_Comm comm, const int64_t* source, int64_t source_length, const int64_t* target,
                               int64_t target_length, const char* transport, int threads, wavegrid_plan** plan) {
  const auto check = [&](const Comm&) {
    require_list("source", source, source_length);
    require_list("target", target, target_length);
  };
  return make_plan("wavegrid_plan_from_indices", comm, transport, threads, plan, check, [&](const Comm& ranks) {
    MatchedRuns runs =
        match_layouts(ranks, IndexList::of(list(source, source_length)), IndexList::of(list(target, target_length)));
    return Pattern{std::move(runs.sends), std::move(runs.receives), source_length, target_length};
  });
}

int wavegrid_plan_from_indices_f(MPI_Fint comm, const int64_t* source, int64_t source_length, const int64_t* target,
                                 int64_t target_length, const char* transport, int threads, wavegrid_plan** plan) {
  return wavegrid_plan_from_indices(MPI_Comm_f2c(comm), source, source_length, target, target_length, transport,
                                    threads, plan);
}

int wavegrid_plan_from_runs(MPI_Comm comm, const wavegrid_run* sends, int64_t num_sends, const wavegrid_run* receives,
                            int64_t num_receives, const char* transport, int threads, wavegrid_plan** plan) {
  const auto check = [&](const Comm& ranks) {
    require_runs("sends", sends, num_sends, ranks);
    require_runs("receives", receives, num_receives, ranks);
  };
  return make_plan("wavegrid_plan_from_runs", comm, transport, threads, plan, check, [&](const Comm&) {
    Pattern pattern;
    std::tie(pattern.sends, pattern.source_extent) = by_partner(list(sends, num_sends));
    std::tie(pattern.receives, pattern.target_extent) = by_partner(list(receives, num_receives));
    return pattern;
  });
}

int wavegrid_plan_from_runs_f(MPI_Fint comm, const wavegrid_run* sends, int64_t num_sends, const wavegrid_run* receives,
                              int64_t num_receives, const char* transport, int threads, wavegrid_plan** plan) {
  return wavegrid_plan_from_runs(MPI_Comm_f2c(comm), sends, num_sends, receives, num_receives, transport, threads,
                                 plan);
}

int wavegrid_plan_from_ghosts(MPI_Comm comm, const int64_t* own, int64_t num_own, const int64_t* ghosts,
                              int64_t num_ghosts, const char* transport, int threads, wavegrid_plan** plan) {
  const auto check = [&](const Comm&) {
    require_list("own", own, num_own);
    require_list("ghosts", ghosts, num_ghosts);
  };
  return make_plan("wavegrid_plan_from_ghosts", comm, transport, threads, plan, check, [&](const Comm& ranks) {
    MatchedRuns runs = match_ghosts(ranks, IndexList::of(list(own, num_own)), IndexList::of(list(ghosts, num_ghosts)));
    return Pattern{std::move(runs.sends), std::move(runs.receives), num_own + num_ghosts, num_own + num_ghosts};
  });
}

int wavegrid_plan_from_ghosts_f(MPI_Fint comm, const int64_t* own, int64_t num_own, const int64_t* ghosts,
                                int64_t num_ghosts, const char* transport, int threads, wavegrid_plan** plan) {
  return wavegrid_plan_from_ghosts(MPI_Comm_f2c(comm), own, num_own, ghosts, num_ghosts, transport, threads, plan);
}

void wavegrid_plan_destroy(wavegrid_plan** plan) {
  if (!plan) return;
  delete *plan;
  *plan = nullptr;
}

int wavegrid_plan_use(wavegrid_plan* plan, const char* transport) {
  return guarded([&] {
    ExchangePlan& p = given(plan, "plan").plan;
    Transport named = p.transport();
    agree(p.comm(), "wavegrid_plan_use", "transports", [&] {
      named = transport_named(&given(transport, "transport"));
      return Fingerprint().add(named);
    });
    p.use_agreed(named);
  });
}

const char* wavegrid_plan_transport(const wavegrid_plan* plan) {
  return plan ? to_string(plan->plan.transport()) : nullptr;
}

int wavegrid_plan_sent(const wavegrid_plan* plan, int64_t* elements, int64_t* messages) {
  return guarded([&] {
    const ExchangePlan& p = given(plan, "plan").plan;
    given(elements, "elements") = p.elements_sent();
    given(messages, "messages") = p.messages_sent();
  });
}

int wavegrid_exchange_start_tuples(wavegrid_plan* plan, int direction, int type, int64_t width, void* source,
                                   int64_t source_length, int64_t source_stride, void* target, int64_t target_length,
                                   int64_t target_stride, int64_t bands, wavegrid_exchange** exchange) {
  return guarded([&] {
    clear(exchange);
    wavegrid_plan& p = given(plan, "plan");
    const Array from{"source", source, source_length, source_stride, p.source_extent};
    const Array to{"target", target, target_length, target_stride, p.target_extent};
    const Batch batch{bands, from.used_stride(), to.used_stride(), width};
    agree(p.plan.comm(), "wavegrid_exchange_start", "directions, types, widths or numbers of bands", [&] {
      require_given(exchange, "exchange");
      (void)direction_of(direction);
      require_type(type);
      if (bands < 0) throw bad_input("the number of bands is " + std::to_string(bands) + "; valid: 0 or more");
      if (width < 1) throw bad_input("the width is " + std::to_string(width) + "; valid: 1 or more");
      from.require(bands, width);
      to.require(bands, width);
      p.plan.require_valid(static_cast<NumberType>(type), source, target, batch);
      return Fingerprint().add(direction).add(type).add(width).add(bands);
    });
    *exchange = new wavegrid_exchange{
        p.plan.start(direction_of(direction), static_cast<NumberType>(type), source, target, batch)};
  });
}

int wavegrid_exchange_start(wavegrid_plan* plan, int direction, int type, void* source, int64_t source_length,
                            int64_t source_stride, void* target, int64_t target_length, int64_t target_stride,
                            int64_t bands, wavegrid_exchange** exchange) {
  return wavegrid_exchange_start_tuples(plan, direction, type, 1, source, source_length, source_stride, target,
                                        target_length, target_stride, bands, exchange);
}

int wavegrid_exchange_test(wavegrid_exchange* exchange, int* arrived) {
  return guarded([&] {
    int& answer = given(arrived, "arrived");
    answer = 0;
    answer = given(exchange, "exchange").exchange.test() ? 1 : 0;
  });
}

int wavegrid_exchange_wait(wavegrid_exchange** exchange) {
  return guarded([&] {
    wavegrid_exchange*& handle = given(exchange, "exchange");
    const std::unique_ptr<wavegrid_exchange> ended(&given(handle, "exchange"));
    handle = nullptr;
    ended->exchange.wait();
  });
}

int wavegrid_exchange_run(wavegrid_plan* plan, int direction, int type, int64_t width, void* source,
                          int64_t source_length, void* target, int64_t target_length) {
  wavegrid_exchange* exchange = nullptr;
  const int status = wavegrid_exchange_start_tuples(plan, direction, type, width, source, source_length, 1, target,
                                                    target_length, 1, 1, &exchange);
  return status == WAVEGRID_OK ? wavegrid_exchange_wait(&exchange) : status;
}
