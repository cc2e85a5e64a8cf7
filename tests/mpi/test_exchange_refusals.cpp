// What plans, exchanges and halos refuse: faults of one rank are the same error on all, and nothing waits for ever.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/exchange/candidates.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/mesh/halo.hpp>

namespace wavegrid::test_exchange_refusals {
namespace {

int next_rank(const Comm& comm) { return (comm.rank() + 1) % comm.size(); }
int rank_before(const Comm& comm) { return (comm.rank() + comm.size() - 1) % comm.size(); }
bool is_last(const Comm& comm) { return comm.rank() == comm.size() - 1; }

/// Every rank throws bad_input with this part in its message, and all the same one.
void expect_refused_on_all(const std::string& part, const std::function<void()>& work) {
  std::string message(300, ' ');
  try {
    work();
    message.replace(0, 8, "accepted");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    message.replace(0, std::string(error.what()).size(), error.what());
  }
  message.resize(300);
  EXPECT_NE(message.find(part), std::string::npos) << message << "\nexpected: " << part;
  std::string first(message);
  Comm::world().broadcast(std::span<char>(first));
  EXPECT_EQ(message, first);
}

/// Every rank sends its elements 0 to 2 to the next rank, which stores them at 1 to 3.
ExchangePlan shift(const Comm& comm, Transport transport) {
  return {comm, {{next_rank(comm), {{0, 3}}}}, {{rank_before(comm), {{1, 3}}}}, transport};
}

TEST(ExchangeRefusals, OfAPlanAreTheSameOnAllRanks) {
  const Comm world = Comm::world();
  const PartnerRuns send{next_rank(world), {{0, 3}}}, receive{rank_before(world), {{1, 3}}};
  const auto expect_refused = [&](const std::string& part, const std::vector<PartnerRuns>& sends,
                                  const std::vector<PartnerRuns>& receives) {
    expect_refused_on_all(part, [&] {
      const ExchangePlan plan(world, is_last(world) ? sends : std::vector{send},
                              is_last(world) ? receives : std::vector{receive}, Transport::pairwise);
    });
  };
  const std::string last = std::to_string(world.size() - 1), ranks = std::to_string(world.size());
  expect_refused("the sends of rank " + last + " have several entries for rank 0", {send, send}, {receive});
  expect_refused("the receives of rank " + last + " have several entries", {send}, {receive, receive});
  expect_refused("the sends of rank " + last + " have a run of 3 elements from element -1 on", {{0, {{-1, 3}}}},
                 {receive});
  expect_refused("the receives of rank " + last + " have a run of -3 elements", {send}, {{0, {{5, -3}}}});
  expect_refused("have an entry for rank " + ranks, {{world.size(), {{0, 3}}}}, {receive});
  expect_refused("have an entry for rank -1", {send}, {{-1, {{1, 3}}}});
}

TEST(ExchangeRefusals, TransportsDiffer) {
  const Comm world = Comm::world();
  if (world.size() == 1) return;
  const Transport mine = is_last(world) ? Transport::pairwise : Transport::alltoallv;
  expect_refused_on_all("different transports", [&] { (void)shift(world, mine); });
  ExchangePlan plan = shift(world, Transport::ring);
  expect_refused_on_all("different transports", [&] { plan.use(mine); });
  EXPECT_EQ(plan.transport(), Transport::ring);
  std::vector<double> source(3, world.rank()), target(4);
  plan.use_agreed(mine);
  expect_refused_on_all("transports", [&] { plan.forward(source, target, {}); });
  plan.use(Transport::shared);
  plan.forward(source, target, {});
  EXPECT_EQ(target[3], rank_before(world));
}

TEST(ExchangeRefusals, VectorsAreExchangedDifferently) {
  const Comm world = Comm::world();
  if (world.size() == 1) return;
  for (const Transport transport : {Transport::alltoallv, Transport::shared}) {
    ExchangePlan plan = shift(world, transport);
    std::vector<double> source(12), target(16);
    const std::string part = "different directions, types of numbers";
    expect_refused_on_all(part, [&] {
      const ExchangeDirection mine = is_last(world) ? ExchangeDirection::adjoint : ExchangeDirection::forward;
      (void)plan.start(mine, source, target, {});
    });
    expect_refused_on_all(part, [&] {
      plan.forward(source, target, {.count = is_last(world) ? 2 : 1, .source_stride = 3, .target_stride = 4});
    });
    expect_refused_on_all(part, [&] { plan.forward(source, target, {.values = is_last(world) ? 2 : 1}); });
    expect_refused_on_all(part, [&] {
      if (!is_last(world)) return plan.forward(source, target, {});
      std::vector<float> other(4);
      plan.forward(std::vector<float>(3), other, {});
    });
    plan.forward(source, target, {2, 3 + world.rank(), 4});  // strides are those of a rank
  }
}

TEST(ExchangeRefusals, ABatchThatCannotBe) {
  const Comm world = Comm::world();
  ExchangePlan plan = shift(world, Transport::pairwise);
  std::vector<double> source(6), target(8);
  const auto expect_refused = [&](const std::string& part, const Batch& batch) {
    EXPECT_THROW(plan.forward(source.data(), target.data(), batch), Error);
    const Batch right{2, 3, 4};
    expect_refused_on_all(part, [&] { plan.backward(target, source, is_last(world) ? batch : right); });
  };
  expect_refused("there are -1 bands", {.count = -1});
  expect_refused("an element has 0 numbers", {.values = 0});
  expect_refused("source stride is 0; valid: 3 or more", {.count = 2});
  expect_refused("source stride is 2; valid: 3 or more", {.count = 2, .source_stride = 2, .target_stride = 4});
  expect_refused("target stride is 3; valid: 4 or more", {.count = 2, .source_stride = 3, .target_stride = 3});
  plan.forward(source.data(), target.data(), {.count = 0});
}

TEST(ExchangeRefusals, ArraysOverlap) {
  const Comm world = Comm::world();
  ExchangePlan plan = shift(world, Transport::pairwise);
  std::vector<double> values(20);
  const auto numbers = [&](std::size_t first, std::size_t count) { return std::span(values).subspan(first, count); };
  EXPECT_THROW(plan.forward(values.data(), values.data() + 1, {}), Error);
  EXPECT_THROW(plan.backward(values.data(), values.data() + 3, {}), Error);
  expect_refused_on_all("the source and the target array of rank " + std::to_string(world.size() - 1) + " overlap",
                        [&] { plan.forward(numbers(0, 3), numbers(is_last(world) ? 1 : 3, 4), {}); });
  // The bands of one array lie between those of the other.
  for (std::size_t i = 0; i < 6; ++i) values[i / 3 * 7 + i % 3] = static_cast<double>(10 * world.rank()) + i;
  plan.forward(numbers(0, 10), numbers(3, 11), {2, 7, 7});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(values[4 + i / 3 * 7 + i % 3], 10 * rank_before(world) + i);
  EXPECT_THROW(plan.forward(values.data(), values.data() + 3, {2, 6, 6}), Error);
}

TEST(ExchangePlan, MayBeDestroyedOrMovedBeforeItsExchangeEnds) {
  const Comm world = Comm::world();
  for (const Transport transport : library_transports()) {
    auto plan = std::make_unique<ExchangePlan>(shift(world, transport));
    std::vector<double> source{10.0 * world.rank(), 1, 2}, target(4), second(4);
    Exchange one = plan->start(ExchangeDirection::forward, source, target, {});
    ExchangePlan moved = std::move(*plan);
    Exchange two = moved.start(ExchangeDirection::forward, source, second, {});
    one.test();
    plan.reset();
    { const ExchangePlan destroyed = std::move(moved); }
    one.wait();
    two.wait();
    two.wait();
    EXPECT_EQ(target, (std::vector<double>{0, 10.0 * rank_before(world), 1, 2})) << to_string(transport);
    EXPECT_EQ(second, target) << to_string(transport);
  }
}

/// Two points of a ring on each rank, with the point before and the one after as ghosts.
struct Ring {
  Comm comm = Comm::world();
  Index points = 2 * comm.size(), first = 2 * comm.rank();
  IndexList own{{first, first + 2}};
  std::vector<Index> neighbours{(first + points - 1) % points, (first + 2) % points};
  [[nodiscard]] Halo halo() const { return {comm, own, IndexList::of(neighbours), Transport::pairwise}; }
};

TEST(Halo, FaultsAreThoseOfOwnPointsAndGhosts) {
  const Ring ring;
  const std::vector<Index> far{ring.points + 5};
  expect_refused_on_all("ghost points: index " + std::to_string(ring.points + 5) + " is wanted by rank",
                        [&] { (void)Halo(ring.comm, ring.own, IndexList::of(far)); });
  expect_refused_on_all("own points of rank " + std::to_string(ring.comm.size() - 1) + ": [-2, 3)", [&] {
    (void)Halo(ring.comm, is_last(ring.comm) ? IndexList{{-2, 3}} : ring.own, {});
  });
  if (ring.comm.size() > 1)
    expect_refused_on_all("own points: index 0 is owned twice", [&] { (void)Halo(ring.comm, {{0, 2}}, {}); });
}

TEST(Halo, ChecksTheLengthOfVectors) {
  const Ring ring;
  Halo halo = ring.halo();
  std::vector<double> values(8), wrong(is_last(ring.comm) ? 7 : 8);
  const std::string part =
      "exchange: the array of rank " + std::to_string(ring.comm.size() - 1) + " has 7 numbers; needed are 8";
  expect_refused_on_all(part, [&] { halo.fill(wrong, 2); });
  expect_refused_on_all(part, [&] { (void)halo.start(wrong, 2); });
  expect_refused_on_all(part, [&] { halo.adjoint(wrong, 2); });
  expect_refused_on_all(part, [&] { (void)halo.start_adjoint(std::span(wrong), 2); });
  if (ring.comm.size() > 1)
    expect_refused_on_all("numbers of bands or of values", [&] { halo.fill(values, is_last(ring.comm) ? 1 : 2); });
  for (std::size_t i = 0; i < 4; ++i) values[i] = static_cast<double>(2 * ring.first + static_cast<Index>(i));
  HaloExchange<double> exchange = halo.start(values, 2);
  exchange.wait();
  for (std::size_t g = 0; g < 2; ++g)
    for (std::size_t s = 0; s < 2; ++s)
      EXPECT_EQ(values[4 + 2 * g + s], static_cast<double>(2 * ring.neighbours[g]) + static_cast<double>(s));
  halo.adjoint(values, 2);  // each point is a ghost once
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(values[i], 2.0 * static_cast<double>(2 * ring.first + i));
  halo.fill(values, 0);  // no states: nothing is moved
}

TEST(TransportCandidates, IsTheGivenOneWhereNothingIsSent) {
  const Comm world = Comm::world();
  const ExchangePlan local(world, {{world.rank(), {{0, 3}}}}, {{world.rank(), {{1, 3}}}}, Transport::ring);
  EXPECT_EQ(transport_candidates(world, {&local}, 8), std::vector{Transport::ring});
  const ExchangePlan plan = shift(world, Transport::ring);
  EXPECT_EQ(transport_candidates(world, {&plan}, 8).size() > 1, world.size() > 1);
}

}  // namespace
}  // namespace wavegrid::test_exchange_refusals
