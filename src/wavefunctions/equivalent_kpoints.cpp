#include "wavefunctions/equivalent_kpoints.hpp"

#include <string>

#include "base/error.hpp"

namespace wavegrid {

WaveTransfer plan_rotation(const Comm& comm, const WaveList& source, const WaveList& target, const WaveMap& map,
                           Transport transport) {
  WaveTransfer transfer(comm, source, target, map, transport);
  // The same number on all ranks.
  if (transfer.unmatched() != 0)
    throw internal_error(
        "the plane waves of two equivalent k-points do not correspond: " + std::to_string(transfer.unmatched()) +
        " coefficients have no partner; both need the same cutoff, and no G may lie exactly on it");
  return transfer;
}

}  // namespace wavegrid
