#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/fingerprint.hpp>
#include <wavegrid/fft/agreed_partition.hpp>
#include <wavegrid/layout/check_partition.hpp>

namespace wavegrid {

namespace {

void require_ranks(const ProcessGrid& ranks, const Partition& partition) {
  const auto grid_of = [](int rows, int columns, int parts) {
    return std::to_string(rows) + " x " + std::to_string(columns) + " of " + std::to_string(parts);
  };
  const std::string found = grid_of(partition.shape.rows, partition.shape.columns, partition.parts);
  const std::string expected = grid_of(ranks.rows(), ranks.columns(), ranks.all().size());
  if (found != expected)
    throw bad_input("the partition is one of " + found + " parts; the process grid has " + expected + " ranks");
}

/// Throws on all ranks if the values of a rank differ from those of rank 0: what(index) names the first that does.
/// Collective; all ranks have the same number of values.
template <class What>
void require_same(const Comm& comm, std::span<const int> mine, What what) {
  std::vector<int> first(mine.begin(), mine.end());
  comm.broadcast(std::span<int>(first));
  comm.collectively([&] {
    const auto [at, other] = std::mismatch(mine.begin(), mine.end(), first.begin());
    if (at != mine.end())
      throw bad_input("the ranks have different partitions: " + what(static_cast<int>(at - mine.begin())) + " " +
                      std::to_string(*other) + " on rank 0 and " + std::to_string(*at) + " on rank " +
                      std::to_string(comm.rank()));
  });
}

/// Numbers on which the lengths of all arrays depend.
struct Sizes {
  static constexpr const char* names[] = {"ny is",
                                          "nz is",
                                          "the number of the scheme is",
                                          "the number of parts is",
                                          "the number of process rows is",
                                          "the number of process columns is",
                                          "the number of entries of stick_owner is",
                                          "the number of entries of plane_row is"};
  std::array<int, std::size(names)> values;

  Sizes(const Partition& partition, const StickCounts& counts)
      : values{counts.ny,
               counts.nz,
               static_cast<int>(partition.scheme),
               partition.parts,
               partition.shape.rows,
               partition.shape.columns,
               static_cast<int>(partition.stick_owner.size()),
               static_cast<int>(partition.plane_row.size())} {}
};

/// Finds what differs in the partitions, if anything does, and throws.
void throw_difference(const Comm& comm, const Partition& partition, const StickCounts& counts) {
  require_same(comm, Sizes(partition, counts).values, [](int i) { return std::string(Sizes::names[i]); });
  require_same(comm, counts.count,
               [&](int stick) { return "the number of plane waves on " + stick_name(stick, counts.ny) + " is"; });
  require_same(comm, partition.stick_owner,
               [&](int stick) { return stick_name(stick, counts.ny) + " belongs to part"; });
  require_same(comm, partition.plane_row,
               [](int iz) { return "the plane iz = " + std::to_string(iz) + " belongs to process row"; });
}

}  // namespace

const Partition& agreed(const ProcessGrid& ranks, const Partition& partition, const GSphere& sphere,
                        const std::optional<Transport>& transport) {
  const StickCounts& counts = sphere.counts();
  Fingerprint print;
  print.add(std::span<const int>(Sizes(partition, counts).values)).add(std::span<const int>(counts.count));
  print.add(std::span<const int>(partition.stick_owner)).add(std::span<const int>(partition.plane_row));
  print.add(transport ? static_cast<int>(*transport) : -1);
  Index bounds[] = {print.value(), -print.value()};
  ranks.all().min(std::span<Index>(bounds));
  if (bounds[0] != -bounds[1]) {
    throw_difference(ranks.all(), partition, counts);
    throw bad_input("the ranks name different transports; all ranks must name the same, or none");
  }
  require_ranks(ranks, partition);
  check_partition(partition, counts);
  return partition;
}

}  // namespace wavegrid
