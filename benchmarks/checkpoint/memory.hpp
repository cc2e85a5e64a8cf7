// The additional memory that a piece of work needs.
#pragma once

namespace wavegrid::bench {

/// Watches the resident memory of this process from its construction on.
class MemoryWatch {
 public:
  /// Returns freed memory to the system and resets the peak.
  MemoryWatch();
  /// MiB by which the peak since then exceeds the memory at that time; where the system cannot reset the peak, by which
  /// the peak of the process has risen.
  [[nodiscard]] double grown_mib() const;

 private:
  double before_ = 0;
};

}  // namespace wavegrid::bench
