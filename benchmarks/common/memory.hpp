// The memory that a piece of work needs in addition.
#pragma once

namespace wavegrid::bench {

/// Observes the resident memory of this process from its construction on.
class MemoryWatch {
 public:
  /// Returns freed memory to the system, and resets the recorded peak.
  MemoryWatch();
  /// MiB by which the peak since then exceeds the memory at construction; if the system cannot reset the peak, by which
  /// the peak of the process has increased.
  [[nodiscard]] double grown_mib() const;

 private:
  double before_ = 0;
};

}  // namespace wavegrid::bench
