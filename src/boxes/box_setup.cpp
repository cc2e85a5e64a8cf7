#include <array>

#include <wavegrid/boxes/box_setup.hpp>
#include <wavegrid/mpi/environment.hpp>

namespace wavegrid {

namespace {

std::string to_text(const Int3& sizes) {
  return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " + std::to_string(sizes[2]);
}

void require_sizes(const BoxSetup& setup) {
  const auto refuse = [&](std::size_t b, const std::string& fault) {
    throw bad_input("box " + std::to_string(b) + " of rank " + std::to_string(setup.comm.rank()) + " has " +
                    to_text(setup.boxes[b].size) + " points, " + fault);
  };
  for (std::size_t b = 0; b < setup.boxes.size(); ++b)
    for (std::size_t d = 0; d < 3; ++d) {
      if (setup.boxes[b].size[d] < 0) refuse(b, "a negative size; valid: 0 or more");
      if (setup.boxes[b].size[d] > setup.grid[d])
        refuse(b, "but the cell has " + to_text(setup.grid) + "; valid: at most those of the cell");
    }
}

void require_threads(int threads) {
  if (threads < 1)
    throw bad_input("a box exchange on " + std::to_string(threads) + " threads is impossible; valid: 1 or more");
  require_thread_level(threads);
}

/// All ranks have the grid and the options of rank 0. Collective.
void require_equal(const BoxSetup& setup) {
  constexpr std::array names{"number of points along x", "number of points along y", "number of points along z",
                             "deterministic", "transport"};
  const BoxOptions& options = setup.options;
  const std::array<Index, names.size()> mine{setup.grid[0], setup.grid[1], setup.grid[2], options.deterministic ? 1 : 0,
                                             static_cast<Index>(options.transport)};
  std::array<Index, names.size()> first(mine);
  setup.comm.broadcast(std::span<Index>(first));
  setup.comm.collectively([&] {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (mine[i] != first[i])
        throw bad_input(std::string("box exchange: the ") + names[i] + " is " + std::to_string(mine[i]) + " on rank " +
                        std::to_string(setup.comm.rank()) + " and " + std::to_string(first[i]) +
                        " on rank 0; it must be the same on all ranks");
  });
}

}  // namespace

void BoxSetup::require_valid() const {
  comm.collectively([&] {
    require_sizes(*this);
    require_threads(options.threads);
  });
  require_equal(*this);
}

}  // namespace wavegrid
