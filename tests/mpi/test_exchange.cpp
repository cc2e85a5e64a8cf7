// Exchange plans: values that encode their global index are exchanged between random layouts, forward and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/mpi/node.hpp>

namespace wavegrid::test_exchange {
namespace {

struct Place {
  int rank = 0;
  Index local = 0;
};

/// Where each of the global elements is before and after; the same on all ranks.
struct Pattern {
  std::string name;
  std::vector<Place> source, target;
};

Place block_place(Index n, int ranks, Index i) {
  int rank = 0;
  while (!BlockLayout(n, ranks).range(rank).contains(i)) ++rank;
  return {rank, i - BlockLayout(n, ranks).range(rank).begin};
}

/// Element i of a block layout is sent to position `to(i)` of the same block layout.
Pattern between_blocks(const std::string& name, Index n, int ranks, const std::function<Index(Index)>& to) {
  Pattern pattern{name, {}, {}};
  for (Index i = 0; i < n; ++i) {
    pattern.source.push_back(block_place(n, ranks, i));
    pattern.target.push_back(block_place(n, ranks, to(i)));
  }
  return pattern;
}

std::vector<Index> random_permutation(Index n, int seed) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return random_at({seed, a}) < random_at({seed, b}); });
  return order;
}

std::vector<Pattern> patterns(int ranks) {
  std::vector<Pattern> all;
  for (const Index n : {0, 1, 3, 7, 101, 997}) {
    const std::vector<Index> order = random_permutation(n, static_cast<int>(n));
    all.push_back(between_blocks("permutation of " + std::to_string(n), n, ranks,
                                 [&](Index i) { return order[static_cast<std::size_t>(i)]; }));
  }
  all.push_back(between_blocks("identity", 97, ranks, [](Index i) { return i; }));
  all.push_back(between_blocks("all to the next", 101, ranks, [&](Index i) { return (i + 101 / ranks) % 101; }));
  Pattern reversed = between_blocks("each rank reverses its own", 97, ranks, [](Index i) { return i; });
  for (Place& place : reversed.target) place.local = BlockLayout(97, ranks).range(place.rank).size() - 1 - place.local;
  all.push_back(reversed);
  Pattern heavy = between_blocks("all to the last rank", 89, ranks, [](Index i) { return i; });
  for (std::size_t i = 0; i < 89; ++i) heavy.target[i] = {ranks - 1, static_cast<Index>((7 * i) % 89)};
  all.push_back(heavy);
  Pattern gaps = between_blocks("every third place of the target", 101, ranks, [](Index i) { return (5 * i) % 101; });
  for (Place& place : gaps.target) place.local = 3 * place.local + 2;
  all.push_back(gaps);
  Pattern odd = between_blocks("odd ranks are empty", 53, ranks, [](Index i) { return 52 - i; });
  for (auto* side : {&odd.source, &odd.target}) {
    std::vector<Index> used(static_cast<std::size_t>(ranks));
    for (Place& place : *side) {
      place.rank -= place.rank % 2;
      place.local = used[static_cast<std::size_t>(place.rank)]++;
    }
  }
  all.push_back(odd);
  return all;
}

Index local_size(const std::vector<Place>& places, int rank) {
  Index size = 0;
  for (const Place& place : places)
    if (place.rank == rank) size = std::max(size, place.local + 1);
  return size;
}

std::vector<PartnerRuns> runs_of(const std::vector<Place>& mine, const std::vector<Place>& theirs, const Comm& comm) {
  std::vector<PartnerRuns> entries(static_cast<std::size_t>(comm.size()));
  for (int r = 0; r < comm.size(); ++r) entries[static_cast<std::size_t>(r)].partner = r;
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (mine[i].rank == comm.rank()) entries[static_cast<std::size_t>(theirs[i].rank)].runs.append({mine[i].local, 1});
  std::reverse(entries.begin(), entries.end());  // their order must not matter
  return entries;
}

ExchangePlan plan_of(const Comm& comm, const Pattern& pattern, Transport transport) {
  return {comm, runs_of(pattern.source, pattern.target, comm), runs_of(pattern.target, pattern.source, comm),
          transport};
}

constexpr double untouched = -1;

/// A block of bands on one side of a pattern; elements hold 1000 * global index + band + shift, the rest `untouched`.
template <class T>
std::vector<T> filled(const std::vector<Place>& places, int rank, Index bands, Index stride, double shift) {
  std::vector<T> values(static_cast<std::size_t>(bands * stride), T(untouched));
  for (std::size_t i = 0; i < places.size(); ++i)
    for (Index b = 0; places[i].rank == rank && b < bands; ++b)
      values[static_cast<std::size_t>(b * stride + places[i].local)] =
          T(static_cast<typename std::conditional_t<std::is_same_v<T, std::complex<float>>, float, double>>(
              1000.0 * static_cast<double>(i) + static_cast<double>(b) + shift));
  return values;
}

template <class T>
void expect_exchanged(const Comm& comm, const Pattern& pattern, Transport transport, Index bands) {
  SCOPED_TRACE(pattern.name + ", transport " + std::to_string(static_cast<int>(transport)) + ", bands " +
               std::to_string(bands) + ", ranks " + std::to_string(comm.size()));
  ExchangePlan plan = plan_of(comm, pattern, transport);
  const Batch batch{bands, local_size(pattern.source, comm.rank()) + 3, local_size(pattern.target, comm.rank()) + 2};
  std::vector<T> source(static_cast<std::size_t>(bands * batch.source_stride)), target;
  target.assign(static_cast<std::size_t>(bands * batch.target_stride), T(untouched));
  for (const double shift : {0.0, 100.0}) {  // twice on the same buffers
    source = filled<T>(pattern.source, comm.rank(), bands, batch.source_stride, shift);
    const std::vector<T> sent = source;
    plan.forward(source.data(), target.data(), batch);
    EXPECT_EQ(target, filled<T>(pattern.target, comm.rank(), bands, batch.target_stride, shift));
    EXPECT_EQ(source, sent);
    std::fill(source.begin(), source.end(), T(untouched));
    plan.backward(target.data(), source.data(), batch);
    EXPECT_EQ(source, sent);
  }
}

TEST(ExchangePlan, EveryElementArrivesAndReturns) {
  for (const Pattern& pattern : patterns(Comm::world().size()))
    for (const Transport transport : all_transports())
      for (const Index bands : {1, 5}) {
        expect_exchanged<double>(Comm::world(), pattern, transport, bands);
        expect_exchanged<std::complex<double>>(Comm::world(), pattern, transport, bands);
      }
}

TEST(ExchangePlan, SinglePrecision) {
  for (const Pattern& pattern : patterns(Comm::world().size()))
    expect_exchanged<std::complex<float>>(Comm::world(), pattern, Transport::pairwise, 3);
}

TEST(ExchangePlan, OnRandomSubCommunicators) {
  const Comm world = Comm::world();
  for (int seed = 0; seed < 8; ++seed) {
    const int colour = random_at({seed, world.rank()}) < 0 ? 0 : 1;
    const Comm part = world.split(colour, static_cast<int>(1000 * random_at({seed, world.rank(), 1})));
    for (const Pattern& pattern : patterns(part.size()))
      expect_exchanged<double>(part, pattern, all_transports()[static_cast<std::size_t>(seed)], 2);
  }
}

TEST(ExchangePlan, TransportsGiveTheSameBits) {
  const Comm world = Comm::world();
  for (const Pattern& pattern : patterns(world.size())) {
    const Batch batch{4, local_size(pattern.source, world.rank()), local_size(pattern.target, world.rank())};
    std::vector<double> source;
    for (Index i = 0; i < batch.count * batch.source_stride; ++i) source.push_back(random_at({world.rank(), i}) / 3);
    ExchangePlan plan = plan_of(world, pattern, Transport::alltoallv);
    std::vector<double> expected(static_cast<std::size_t>(batch.count * batch.target_stride), untouched), arrived;
    plan.forward(source.data(), expected.data(), batch);
    for (const Transport transport : all_transports()) {  // one plan serves them all
      arrived.assign(expected.size(), untouched);
      plan.use(transport);
      EXPECT_EQ(plan.transport(), transport);
      plan.forward(source.data(), arrived.data(), batch);
      EXPECT_EQ(expected, arrived) << pattern.name << " " << to_string(transport);
    }
    plan.release_other_transports();
    plan.forward(source.data(), arrived.data(), batch);
    EXPECT_EQ(expected, arrived) << pattern.name;
  }
}

TEST(ExchangePlan, ReportsIdentityAndMessages) {
  const Comm world = Comm::world();
  for (const Pattern& pattern : patterns(world.size())) {
    bool stays = true;
    Index elements = 0;
    std::vector<char> partners(static_cast<std::size_t>(world.size()));
    for (std::size_t i = 0; i < pattern.source.size(); ++i) {
      const Place &from = pattern.source[i], &to = pattern.target[i];
      stays = stays && from.rank == to.rank && from.local == to.local;
      if (from.rank != world.rank() || to.rank == world.rank()) continue;
      ++elements;
      partners[static_cast<std::size_t>(to.rank)] = 1;
    }
    const ExchangePlan plan = plan_of(world, pattern, Transport::pairwise);
    EXPECT_EQ(plan.is_identity(), stays) << pattern.name;
    EXPECT_EQ(plan.elements_sent(), elements) << pattern.name;
    EXPECT_EQ(plan.messages_sent(), std::count(partners.begin(), partners.end(), 1)) << pattern.name;
  }
}

TEST(ExchangePlan, DisagreeingCountsThrowTheSameErrorOnAllRanks) {
  const Comm world = Comm::world();
  const int last = world.size() - 1;
  for (const Transport transport : all_transports())
    for (const Index expected : {0, 2, 5}) {
      std::vector<PartnerRuns> sends, receives;
      if (world.rank() == 0) sends.push_back({last, {{0, 3}}});
      if (world.rank() == last) receives.push_back({0, {{0, expected}}});
      std::string message;
      try {
        const ExchangePlan plan(world, sends, receives, transport);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::bad_input);
        message = error.what();
      }
      EXPECT_NE(message.find("rank 0 sends " + std::to_string(std::abs(3 - expected)) + " elements " +
                             (expected < 3 ? "more" : "fewer")),
                std::string::npos)
          << message;
      std::vector<int> here(message.begin(), message.end());
      here.resize(300);
      std::vector<int> of_root(here);
      world.broadcast(std::span<int>(of_root));
      EXPECT_EQ(here, of_root);
    }
  expect_exchanged<double>(world, patterns(world.size())[4], Transport::alltoallv, 1);  // no message is left
}

/// Every rank sends to every rank: rank r's element p becomes rank p's element r.
ExchangePlan transpose(const Comm& comm, Transport transport) {
  std::vector<PartnerRuns> runs;
  for (int p = 0; p < comm.size(); ++p) runs.push_back({p, {{p, 1}}});
  return {comm, runs, runs, transport};
}

TEST(ExchangePlan, SeveralExchangesAreInProgressTogether) {
  const Comm world = Comm::world();
  const Index n = world.size();
  for (const Transport transport : all_transports()) {
    SCOPED_TRACE(to_string(transport));
    ExchangePlan plan = transpose(world, transport);
    constexpr int together = 4;
    std::vector<std::vector<double>> out(together), in(together);
    for (int round = 0; round < 3; ++round) {
      std::vector<Exchange> exchanges;
      for (int e = 0; e < together; ++e) {
        const auto number = static_cast<std::size_t>(e);
        out[number].assign(static_cast<std::size_t>(n), 0);
        in[number].assign(static_cast<std::size_t>(n), untouched);
        for (Index p = 0; p < n; ++p)
          out[number][static_cast<std::size_t>(p)] =
              static_cast<double>(1000 * round + 100 * e + 10 * world.rank() + p);
        exchanges.push_back(
            plan.start(ExchangeDirection::forward, out[number].data(), in[number].data(), Batch{1, n, n}));
        exchanges.front().test();
      }
      for (int e = 0; e < together; ++e) {
        exchanges[static_cast<std::size_t>(e)].wait();
        for (Index p = 0; p < n; ++p)
          EXPECT_EQ(in[static_cast<std::size_t>(e)][static_cast<std::size_t>(p)],
                    static_cast<double>(1000 * round + 100 * e + 10 * p + world.rank()));
      }
    }
  }
}

TEST(ExchangePlan, AdjointAddsInTheOrderOfRanksOnEveryTransport) {
  // Every rank needs the same element of every rank; the adjoint adds in the order of the ranks.
  const Comm world = Comm::world();
  std::vector<PartnerRuns> sends, receives;
  for (int p = 0; p < world.size(); ++p) {
    sends.push_back({p, {{1, 2}}});
    receives.push_back({p, {{2 * p, 2}}});
  }
  const auto contribution = [](int from, int to, int i) { return random_at({from, to, i}) / 3; };
  std::vector<double> target, expected{7, 7.5, 8};
  for (int p = 0; p < world.size(); ++p)
    for (int i = 0; i < 2; ++i) {
      target.push_back(contribution(world.rank(), p, i));
      expected[static_cast<std::size_t>(1 + i)] += contribution(p, world.rank(), i);
    }
  ExchangePlan plan(world, sends, receives, Transport::alltoallv);
  for (const Transport transport : all_transports()) {
    plan.use(transport);
    std::vector<double> source{7, 7.5, 8};
    plan.adjoint(target.data(), source.data(), Batch{1, 3, static_cast<Index>(target.size())});
    EXPECT_EQ(source, expected) << to_string(transport);
  }
}

TEST(ExchangePlan, ShortThenLongThenShortBatches) {
  const Comm world = Comm::world();
  const Index n = world.size();
  ExchangePlan plan = transpose(world, Transport::alltoallv);
  for (const Transport transport : all_transports()) {
    plan.use(transport);
    for (const Index bands : {1, 9, 2, 0, 30, 1}) {
      std::vector<double> out(static_cast<std::size_t>(bands * n)), in(out.size());
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = 1000.0 * world.rank() + static_cast<double>(i);
      plan.forward(out.data(), in.data(), Batch{bands, n, n});
      for (Index b = 0; b < bands; ++b)
        for (Index p = 0; p < n; ++p)
          EXPECT_EQ(in[static_cast<std::size_t>(b * n + p)],
                    1000.0 * static_cast<double>(p) + static_cast<double>(b * n + world.rank()));
    }
  }
}

TEST(ExchangePlan, SharedMemoryEndsAtTheNode) {
  setenv("WAVEGRID_RANKS_PER_NODE", "2", 1);
  const Comm ranks = Comm::world().split(0, Comm::world().rank());  // the node is determined once
  EXPECT_EQ(spans_nodes(ranks), ranks.size() > 2);
  for (const Pattern& pattern : patterns(ranks.size()))
    for (const Transport transport : {Transport::shared, Transport::pairwise})
      expect_exchanged<double>(ranks, pattern, transport, 3);
  unsetenv("WAVEGRID_RANKS_PER_NODE");
}

TEST(ExchangePlan, PlansAreMadeAndFreedAThousandTimes) {
  // Leaked communicators would use up the context ids, leaked windows memory or files.
  const Comm world = Comm::world();
  const int cycles = world.size() <= 2 ? 1000 : 100;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    ExchangePlan plan = transpose(world, all_transports()[static_cast<std::size_t>(cycle) % all_transports().size()]);
    std::vector<double> out(static_cast<std::size_t>(world.size()), cycle), in(out.size());
    plan.forward(out.data(), in.data(), Batch{});
    ASSERT_EQ(in, out);
  }
}

TEST(ExchangePlan, ThreeThousandPlansExistTogether) {
  // MPICH has about 2000 context ids for communicators and windows: plans must share theirs.
  const Comm world = Comm::world();
  const int num_plans = world.size() <= 2 ? 3000 : 300;
  std::vector<ExchangePlan> plans;
  plans.reserve(static_cast<std::size_t>(num_plans));
  for (int p = 0; p < num_plans; ++p) plans.push_back(transpose(world, Transport::alltoallv));
  std::vector<double> out(static_cast<std::size_t>(world.size())), in;
  for (int p = 0; p < num_plans; ++p)
    for (const Transport transport : all_transports()) {
      ExchangePlan& plan = plans[static_cast<std::size_t>(p)];
      plan.use(transport);
      in.assign(out.size(), untouched);
      for (std::size_t to = 0; to < out.size(); ++to)
        out[to] = 1e6 * world.rank() + 1e3 * static_cast<double>(to) + p % 1000;
      plan.forward(out.data(), in.data(), Batch{});
      for (std::size_t from = 0; from < in.size(); ++from)
        ASSERT_EQ(in[from], 1e6 * static_cast<double>(from) + 1e3 * world.rank() + p % 1000) << to_string(transport);
    }
}

TEST(ExchangePlan, PlansOfDifferentSizesShareBuffersAndWindows) {
  // Exchanges of large and small plans in progress together, and plans that are made and destroyed in between.
  const Comm world = Comm::world();
  const Index n = world.size();
  for (const Transport transport : all_transports()) {
    SCOPED_TRACE(to_string(transport));
    ExchangePlan small = transpose(world, transport);
    for (int round = 0; round < 4; ++round) {
      std::vector<PartnerRuns> runs;
      const Index length = 1 + 500 * ((round * 7 + 3) % 4);
      for (int p = 0; p < world.size(); ++p) runs.push_back({p, {{p * length, length}}});
      ExchangePlan large(world, runs, runs, transport);
      std::vector<double> out(static_cast<std::size_t>(n)), in(out.size()), many, got;
      for (Index p = 0; p < n; ++p) {
        out[static_cast<std::size_t>(p)] = static_cast<double>(100 * world.rank() + p + round);
        for (Index i = 0; i < length; ++i) many.push_back(static_cast<double>(1000 * (100 * world.rank() + p) + i));
      }
      got.assign(many.size(), untouched);
      Exchange first = small.start(ExchangeDirection::forward, out.data(), in.data(), Batch{});
      Exchange second = large.start(ExchangeDirection::forward, many.data(), got.data(), Batch{});
      first.wait();
      second.wait();
      large.backward(got.data(), many.data(), Batch{});
      for (Index p = 0; p < n; ++p) {
        EXPECT_EQ(in[static_cast<std::size_t>(p)], static_cast<double>(100 * p + world.rank() + round));
        for (Index i = 0; i < length; ++i)
          ASSERT_EQ(got[static_cast<std::size_t>(p * length + i)],
                    static_cast<double>(1000 * (100 * p + world.rank()) + i));
      }
    }
  }
}

/// As filled(), with `values` numbers per element: 1000 * (values * global index + number) + band.
std::vector<double> filled_tuples(const std::vector<Place>& places, int rank, Index bands, Index stride, Index values) {
  std::vector<double> data(static_cast<std::size_t>(bands * stride * values), untouched);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (Index b = 0; places[i].rank == rank && b < bands; ++b)
      for (Index v = 0; v < values; ++v)
        data[static_cast<std::size_t>((b * stride + places[i].local) * values + v)] =
            1000.0 * static_cast<double>(static_cast<Index>(i) * values + v) + static_cast<double>(b);
  return data;
}

TEST(ExchangePlan, ElementsMayBeTuplesOfNumbers) {
  const Comm world = Comm::world();
  for (const Pattern& pattern : patterns(world.size())) {
    ExchangePlan plan = plan_of(world, pattern, Transport::alltoallv);
    for (const Transport transport : all_transports())
      for (const Index values : {1, 2, 7})
        for (const Index bands : {1, 3}) {
          SCOPED_TRACE(pattern.name + ", " + to_string(transport) + ", values " + std::to_string(values));
          plan.use(transport);
          const Batch batch{bands, local_size(pattern.source, world.rank()) + 1,
                            local_size(pattern.target, world.rank()) + 2, values};
          const std::vector<double> sent =
              filled_tuples(pattern.source, world.rank(), bands, batch.source_stride, values);
          std::vector<double> source(sent);
          std::vector<double> target(static_cast<std::size_t>(bands * batch.target_stride * values), untouched);
          plan.forward(source.data(), target.data(), batch);
          EXPECT_EQ(target, filled_tuples(pattern.target, world.rank(), bands, batch.target_stride, values));
          std::fill(source.begin(), source.end(), untouched);
          plan.backward(target.data(), source.data(), batch);
          EXPECT_EQ(source, sent);
        }
  }
}

/// A ring of points in blocks over the ranks, each block followed by `width` ghosts on either side: [mine, left,
/// right].
struct Ring {
  static constexpr Index width = 2, per_rank = 5;
  explicit Ring(const Comm& of) : comm(of) {
    const int left = (comm.rank() + comm.size() - 1) % comm.size(), right = (comm.rank() + 1) % comm.size();
    add(sends, left, {0, width});
    add(sends, right, {per_rank - width, width});
    // The part from the right was sent first: if both neighbours are one rank, the order matters.
    add(receives, right, {per_rank + width, width});
    add(receives, left, {per_rank, width});
  }
  static void add(std::vector<PartnerRuns>& entries, int partner, Run run) {
    for (PartnerRuns& entry : entries)
      if (entry.partner == partner) return entry.runs.append(run);
    entries.push_back({partner, {run}});
  }
  [[nodiscard]] Index point(Index i) const {
    const Index n = per_rank * comm.size();
    return (per_rank * comm.rank() + i + n) % n;
  }
  /// Global points of the local elements.
  [[nodiscard]] std::vector<Index> points() const {
    std::vector<Index> all;
    for (Index i = 0; i < per_rank; ++i) all.push_back(point(i));
    for (Index i = -width; i < 0; ++i) all.push_back(point(i));
    for (Index i = per_rank; i < per_rank + width; ++i) all.push_back(point(i));
    return all;
  }

  Comm comm;
  std::vector<PartnerRuns> sends, receives;
};

TEST(ExchangePlan, GhostsAreFilledInPlace) {
  const Ring ring(Comm::world());
  const std::vector<Index> points = ring.points();
  const auto size = static_cast<Index>(points.size());
  ExchangePlan plan(ring.comm, ring.sends, ring.receives, Transport::alltoallv);
  for (const Transport transport : all_transports())
    for (const Index values : {1, 3})
      for (const Index count : {1, 4}) {
        SCOPED_TRACE(std::string(to_string(transport)) + ", values " + std::to_string(values));
        plan.use(transport);
        std::vector<double> data(static_cast<std::size_t>(count * size * values)), expected(data.size());
        for (Index b = 0; b < count; ++b)
          for (Index i = 0; i < size; ++i)
            for (Index v = 0; v < values; ++v) {
              const auto at = static_cast<std::size_t>((b * size + i) * values + v);
              expected[at] = static_cast<double>(100 * points[static_cast<std::size_t>(i)] + 10 * b + v);
              data[at] = i < Ring::per_rank ? expected[at] : untouched;
            }
        plan.forward(data.data(), data.data(), {count, size, size, values});
        EXPECT_EQ(data, expected);
        // The adjoint adds each ghost to its point.
        plan.adjoint(data.data(), data.data(), {count, size, size, values});
        for (Index i = 0; i < Ring::per_rank; ++i) {
          const double times = 1.0 + (i < Ring::width) + (i >= Ring::per_rank - Ring::width);
          EXPECT_EQ(data[static_cast<std::size_t>(i * values)], times * expected[static_cast<std::size_t>(i * values)]);
        }
      }
}

TEST(ExchangePlan, InPlaceIsRefusedIfAnElementIsReadAndWritten) {
  const Comm world = Comm::world();
  ExchangePlan plan = transpose(world, Transport::alltoallv);
  std::vector<double> data(static_cast<std::size_t>(world.size()), 1.0);
  if (plan.is_identity())
    plan.forward(data.data(), data.data(), Batch{});
  else
    EXPECT_THROW(plan.forward(data.data(), data.data(), Batch{}), Error);
  const Ring ring(world);
  ExchangePlan ghosts(world, ring.sends, ring.receives, Transport::alltoallv);
  std::vector<double> bands(100);
  EXPECT_THROW(ghosts.forward(bands.data(), bands.data(), {2, 9, 10}), Error);
}

TEST(ExchangePlan, InPlaceIsRefusedOnAllRanksIfOneRankOverlaps) {
  const Comm world = Comm::world();
  const int next = (world.rank() + 1) % world.size(), before = (world.rank() + world.size() - 1) % world.size();
  const Index to = world.rank() == 0 ? 0 : 1;  // rank 0 reads and writes element 0
  ExchangePlan plan(world, {{next, {{0, 1}}}}, {{before, {{to, 1}}}}, Transport::alltoallv);
  if (plan.is_identity()) return;
  std::vector<double> data(2, 1.0);
  EXPECT_THROW(plan.forward(data.data(), data.data(), Batch{}), Error);
}

TEST(ExchangePlan, AdjointAddsInTheOrderOfTheCaller) {
  const Comm world = Comm::world();
  std::vector<PartnerRuns> sends, receives;
  for (int p = 0; p < world.size(); ++p) {
    sends.push_back({p, {{0, 1}}});
    receives.push_back({p, {{p, 1}}});
  }
  const auto contribution = [](int from, int to) { return random_at({from, to}) / 3; };
  std::vector<double> target;
  for (int p = 0; p < world.size(); ++p) target.push_back(contribution(world.rank(), p));
  ExchangePlan plan(world, sends, receives, Transport::alltoallv);
  for (int seed = 0; seed < 4; ++seed) {
    std::vector<int> order;
    for (const Index rank : random_permutation(world.size(), 10 * seed + world.rank()))
      order.push_back(static_cast<int>(rank));
    plan.add_in_order(order);
    double expected = 0.5;
    for (const int rank : order) expected += contribution(rank, world.rank());
    for (const Transport transport : all_transports()) {
      plan.use(transport);
      double source = 0.5;
      plan.adjoint(target.data(), &source, Batch{1, 1, static_cast<Index>(target.size())});
      EXPECT_EQ(source, expected) << to_string(transport);
    }
  }
  EXPECT_THROW(plan.add_in_order({}), Error);
  EXPECT_THROW(plan.add_in_order(std::vector<int>(static_cast<std::size_t>(world.size()), world.size())), Error);
}

TEST(Transport, NamesAreReadBackAndOthersRefused) {
  for (const Transport transport : all_transports()) EXPECT_EQ(transport_named(to_string(transport)), transport);
  try {
    (void)transport_named("teleport");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        ("unknown transport 'teleport'; valid: alltoallv, alltoall_padded, neighbor, pairwise, ring, one_sided, "
         "one_sided_get, shared, alltoallv_blocking, alltoall_padded_blocking, neighbor_blocking" +
         std::string(all_transports().size() > 11 ? ", neighbor_persistent" : ""))
            .c_str());
  }
  EXPECT_THROW((void)add_transport("ring", nullptr), Error);
  EXPECT_THROW((void)add_transport("neighbor_blocking", nullptr), Error);
  EXPECT_EQ(library_transports().size(), 8U);
}

TEST(ExchangePlan, ArraysTooShortOnOneRankAreAnErrorOnAll) {
  const Comm world = Comm::world();
  const int next = (world.rank() + 1) % world.size(), before = (world.rank() + world.size() - 1) % world.size();
  ExchangePlan plan(world, {{next, {{0, 1}, {3, 1}}}}, {{before, {{2, 2}}}}, Transport::pairwise);
  EXPECT_EQ(plan.source_extent(), 4);
  EXPECT_EQ(plan.target_extent(), 4);
  const Batch batch{.count = 2, .source_stride = 4, .target_stride = 5};
  std::vector<double> source(8), target(9);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = 10.0 * world.rank() + static_cast<double>(i);
  plan.forward(source, target, batch);
  EXPECT_EQ(target[8], 10.0 * before + 7);
  std::vector<double> back(8);
  plan.backward(target, back, batch);
  EXPECT_EQ(back[7], source[7]);
  if (world.rank() == world.size() - 1) target.resize(8);
  EXPECT_THROW(plan.forward(source, target, batch), Error);
  EXPECT_THROW(plan.adjoint(std::span(target), std::span(source), batch), Error);
}

TEST(ExchangePlan, AdjacentRunsAreMerged) {
  using Piece = wavegrid::Run;  // testing::Test has a Run too
  const RunList runs{{3, 2}, {5, 1}, {6, 0}, {7, 4}, {0, 3}, {3, 1}};
  EXPECT_EQ(runs.expanded(), (std::vector<Piece>{{3, 3}, {7, 4}, {0, 4}}));
}

}  // namespace
}  // namespace wavegrid::test_exchange
