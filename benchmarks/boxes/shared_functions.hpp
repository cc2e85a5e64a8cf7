// Local orbitals of other ranks, by both ways, as a calculation gets them.
#pragma once

#include <vector>

#include <wavegrid/boxes/function_store.hpp>

#include "system.hpp"

namespace wavegrid::bench {

/// A rank visits those of all boxes near its own.
class SharedFunctions {
 public:
  /// Collective.
  SharedFunctions(const Comm& comm, const BoxSystem& system, FunctionAccess access)
      : near_(system.near), store_(comm, sizes(system), {.access = access, .cache_bytes = Index{256} << 20}) {}

  /// Sets all functions, which is not part of a visit. Collective.
  void set() {
    store_.set([](Index /*function*/, std::span<double> values) { values[0] += 1; });
  }
  /// Collective.
  void visit() {
    store_.for_each(near_, [this](Index /*function*/, std::span<const double> values) { sum_ += values[0]; });
  }
  [[nodiscard]] FunctionTraffic traffic() const { return store_.traffic(); }  ///< Local.

 private:
  static std::vector<Index> sizes(const BoxSystem& system) {
    std::vector<Index> found;
    for (const Box& box : system.boxes) found.push_back(system.functions * box.points());
    return found;
  }

  const std::vector<Index>& near_;
  FunctionStore<double> store_;
  double sum_ = 0;
};

}  // namespace wavegrid::bench
