// How much memory a piece of work takes beyond what is there.
#pragma once

namespace wavegrid::bench {

/// Watches the resident memory of this process from its construction on.
class MemoryWatch {
 public:
  /// Gives back what earlier work has freed but kept, and forgets the peaks before.
  MemoryWatch();
  /// MiB by which the peak since then exceeds what was there; where the system does not let peaks be forgotten, by
  /// which the peak of the process has risen.
  [[nodiscard]] double grown_mib() const;

 private:
  double before_ = 0;
};

}  // namespace wavegrid::bench
