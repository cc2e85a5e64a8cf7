// Traces of several ranks: events of a plan, one clock, one file.
#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <wavegrid/base/error.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/mpi/trace_file.hpp>

namespace wavegrid::test_trace {
namespace {

/// Every rank of `comm` sends 10 r + s + 1 elements to each rank s > r, in place r of their arrays, and 2 to itself.
ExchangePlan triangle(const Comm& comm) {
  const int ranks = comm.size(), me = comm.rank();
  std::vector<PartnerRuns> sends{{me, {{0, 2}}}}, receives{{me, {{0, 2}}}};
  for (int s = me + 1; s < ranks; ++s) sends.push_back({s, {{0, 10 * me + s + 1}}});
  for (int r = 0; r < me; ++r) receives.push_back({r, {{100 * (r + 1), 10 * r + me + 1}}});
  return {comm, std::move(sends), std::move(receives), Transport::pairwise};
}

constexpr Index array_size = 1000;

/// Runs the plan forward once with 3 bands of doubles, and backward twice with one.
void exercise(ExchangePlan& plan) {
  std::vector<double> a(3 * array_size, 1), b(3 * array_size, 2);
  plan.forward(a.data(), b.data(), {3, array_size, array_size});
  for (int i = 0; i < 2; ++i) plan.backward(b.data(), a.data(), {1, array_size, array_size});
}

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("wavegrid_" + name + ".json")).string();
}

TEST(Trace, CountsWhatThePlanSends) {
  const Comm world = Comm::world();
  // The ranks of the plan in reverse order: partners are identified by their ranks in the world.
  const Comm reversed = world.split(0, -world.rank());
  Trace trace = start_trace(world);
  Profile profile(&trace);
  ExchangePlan plan = triangle(reversed);
  plan.record(&profile, TrafficKind::bands, world);
  exercise(plan);
  Index bytes = 0;
  for (const Trace::Traffic& sent : trace.traffic()) {
    const int there = world.size() - 1 - sent.partner, here = reversed.rank();
    const Index elements = 10 * std::min(here, there) + std::max(here, there) + 1;
    EXPECT_EQ(sent.bytes, elements * 8 * (here < there ? 3 : 2)) << here << " to " << there;
    EXPECT_EQ(sent.messages, here < there ? 1 : 2);
    bytes += here < there ? sent.bytes : 0;
  }
  EXPECT_EQ(static_cast<int>(trace.traffic().size()), world.size() - 1);
  EXPECT_EQ(bytes, plan.elements_sent() * 3 * 8);

  int exchanges = 0, steps = 0;
  for (const Trace::Event& event : trace.events()) {
    if (event.kind == EventKind::phase) continue;  // that of the whole profile has not ended
    EXPECT_GE(event.begin, trace.clock().origin);
    EXPECT_GE(event.end, event.begin);
    steps += event.kind == EventKind::step;
    if (event.kind != EventKind::exchange) continue;
    EXPECT_STREQ(event.name, "pairwise");
    EXPECT_STREQ(event.detail, "bands");
    if (exchanges++ == 0) {
      EXPECT_EQ(event.bytes, plan.elements_sent() * 3 * 8);
    }
  }
  EXPECT_EQ(exchanges, world.size() > 1 ? 3 : 0);  // on one rank nothing is recorded
  EXPECT_EQ(steps, 3 * exchanges);                 // pack, wait, unpack of each

  const std::size_t before = trace.events().size();
  plan.record(nullptr, TrafficKind::bands, world);
  exercise(plan);
  EXPECT_EQ(trace.events().size(), before);
}

TEST(Trace, OneFileHoldsAllRanks) {
  const Comm world = Comm::world();
  const int ranks = world.size();
  Trace trace = start_trace(world, 40'000);
  Profile profile(&trace);
  ExchangePlan plan = triangle(world);
  plan.record(&profile, TrafficKind::bands, world);
  exercise(plan);
  while (trace.lost() < 3) {  // several pieces of text from each rank
    const TraceSlice slice(&trace, EventKind::phase, "fft");
  }
  const std::string path = temporary("trace"), process = "rank " + std::to_string(world.rank());
  write_trace(world, trace, {path, process, R"({"title":"a"})"});
  if (world.rank() == 0) {
    const std::string text = read(path);
    Index all = 0;
    for (int r = 0; r < ranks; ++r) {
      EXPECT_THAT(text, testing::HasSubstr("\"args\":{\"name\":\"rank " + std::to_string(r) + "\"}"));
      EXPECT_THAT(text, testing::HasSubstr("[" + std::to_string(r) + ",3]"));
      for (int s = 0; s < ranks; ++s) {
        if (s == r) continue;
        const Index bytes = (10 * std::min(r, s) + std::max(r, s) + 1) * 8 * (r < s ? 3 : 2);
        std::ostringstream entry;
        entry << "[" << r << "," << s << "," << bytes << "," << (r < s ? 1 : 2) << "]";
        EXPECT_THAT(text, testing::HasSubstr(entry.str()));
        ++all;
      }
    }
    const std::string list = text.substr(text.find("\"traffic\":["));
    EXPECT_EQ(std::count(list.begin(), list.end(), '['), all + 1);
    EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
    EXPECT_EQ(text.find(",,"), std::string::npos);
    EXPECT_EQ(text.find("}\n{"), std::string::npos);
    EXPECT_TRUE(text.ends_with("]}}\n"));
    std::filesystem::remove(path);
  }
}

TEST(Trace, ARefusedFileIsAnErrorOfAllRanks) {
  const Comm world = Comm::world();
  const Trace trace = start_trace(world);
  for (const char* path : {"/nowhere/at/all.json", "/dev/full"}) {
    try {
      write_trace(world, trace, {path, "rank", "{}"});
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::environment);
      EXPECT_THAT(error.what(), testing::HasSubstr(path));
    }
  }
}

TEST(Trace, ClocksOfOneHostAgree) {
  const ClockOffset clock = compare_clocks(Comm::world());
  EXPECT_LE(std::abs(clock.offset), clock.error);
  EXPECT_EQ(start_trace(Comm::world()).clock().error, 0);
}

TEST(Trace, HostsAreComparedByTheirFirstRanks) {
  const Comm world = Comm::world();
  const Comm host = world.split(world.rank() / 2, world.rank());  // as if every two ranks were a host
  const Trace trace = start_trace(world, host, 10);
  EXPECT_EQ(trace.clock().hosts, (world.size() + 1) / 2);
  Index origin = trace.clock().origin;
  world.broadcast(std::span<Index>(&origin, 1));
  EXPECT_LE(std::abs(trace.clock().origin - origin), trace.clock().error);  // all have the same clock
}

}  // namespace
}  // namespace wavegrid::test_trace
