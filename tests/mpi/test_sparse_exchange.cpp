// Sparse exchange: every item reaches its rank, and none is received by another call.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/mpi/sparse_exchange.hpp>

namespace wavegrid::test_sparse_exchange {
namespace {

struct Item {
  int call = 0, from = 0, to = 0, number = 0;
  friend bool operator==(const Item&, const Item&) = default;
};

/// The number of items from one rank to another in a call; the same on all ranks, often none.
int items_between(int call, int from, int to) {
  const double r = random_at({call, from, to});
  return r < 0.2 ? 0 : static_cast<int>(r * 40);
}

std::vector<Item> items(int call, int from, int to) {
  std::vector<Item> list;
  for (int i = 0; i < items_between(call, from, to); ++i) list.push_back({call, from, to, i});
  return list;
}

std::vector<PartnerItems<Item>> outgoing(const Comm& comm, int call) {
  std::vector<PartnerItems<Item>> out;
  for (int to = comm.size(); to-- > 0;) out.push_back({to, items(call, comm.rank(), to)});  // some of them empty
  return out;
}

std::vector<PartnerItems<Item>> expected(const Comm& comm, int call) {
  std::vector<PartnerItems<Item>> in;
  for (int from = 0; from < comm.size(); ++from)
    if (items_between(call, from, comm.rank()) > 0) in.push_back({from, items(call, from, comm.rank())});
  return in;
}

TEST(SparseExchange, SuccessiveCallsDoNotMix) {
  const Comm world = Comm::world();
  for (int call = 0; call < 100; ++call)
    EXPECT_EQ(sparse_exchange(world, outgoing(world, call)), expected(world, call));
}

TEST(SparseExchange, OnSubCommunicatorsAtTheSameTime) {
  const Comm world = Comm::world();
  const Comm part = world.split(world.rank() % 2, -world.rank());
  for (int call = 0; call < 20; ++call) EXPECT_EQ(sparse_exchange(part, outgoing(part, call)), expected(part, call));
}

TEST(SparseExchange, NothingToSend) {
  const Comm world = Comm::world();
  EXPECT_TRUE(sparse_exchange(world, std::vector<PartnerItems<double>>{}).empty());
  EXPECT_TRUE(sparse_exchange(world, std::vector<PartnerItems<double>>{{0, {}}}).empty());
}

TEST(SparseExchange, SeveralMessagesToOnePartnerArriveAsOne) {
  const Comm world = Comm::world();
  const int next = (world.rank() + 1) % world.size(), previous = (world.rank() + world.size() - 1) % world.size();
  const std::vector<PartnerItems<int>> out{{next, {1, 2}}, {next, {}}, {next, {3}}, {next, {world.rank()}}};
  EXPECT_EQ(sparse_exchange(world, out), (std::vector<PartnerItems<int>>{{previous, {1, 2, 3, previous}}}));
}

TEST(SparseExchange, LongMessagesAreTiledInOrder) {
  const Comm world = Comm::world();
  const std::string text = "a message of rank " + std::to_string(world.rank()) + " that is longer than a tile";
  std::vector<OutgoingBytes> out;
  for (int to = 0; to < world.size(); ++to)
    out.push_back({to, reinterpret_cast<const std::byte*>(text.data()), static_cast<Index>(text.size())});
  std::vector<std::string> arrived(static_cast<std::size_t>(world.size()));
  const auto allocate = [&](int partner, Index bytes) {
    EXPECT_LE(bytes, 7);
    std::string& from = arrived[static_cast<std::size_t>(partner)];
    from.resize(from.size() + static_cast<std::size_t>(bytes));
    return reinterpret_cast<std::byte*>(from.data() + from.size() - bytes);
  };
  sparse_exchange_bytes(world, out, allocate, 7);
  for (int from = 0; from < world.size(); ++from)
    EXPECT_EQ(arrived[static_cast<std::size_t>(from)],
              "a message of rank " + std::to_string(from) + " that is longer than a tile");
}

TEST(SparseExchange, APartnerThatDoesNotExistThrowsOnAllRanks) {
  const Comm world = Comm::world();
  for (const int wrong : {-1, world.size()}) {
    std::vector<PartnerItems<int>> out{{0, {1}}};
    if (world.rank() == world.size() - 1) out.push_back({wrong, {1}});
    try {
      const auto arrived = sparse_exchange(world, out);
      ADD_FAILURE() << "no error for rank " << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_NE(std::string(error.what()).find("sends to rank " + std::to_string(wrong)), std::string::npos);
    }
  }
  EXPECT_EQ(sparse_exchange(world, outgoing(world, 1)), expected(world, 1));  // no message is left
}

}  // namespace
}  // namespace wavegrid::test_sparse_exchange
