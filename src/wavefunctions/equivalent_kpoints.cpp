#include "wavefunctions/equivalent_kpoints.hpp"

#include <string>

#include "base/error.hpp"

namespace wavegrid {

std::vector<UnfoldedKPoint> unfold(const IrreducibleKPoints& points, std::span<const KPoint> full) {
  if (full.size() != points.full.size())
    throw internal_error("a mesh of " + std::to_string(full.size()) + " k-points was given to unfold one of " +
                         std::to_string(points.full.size()));
  std::vector<UnfoldedKPoint> all;
  for (std::size_t n = 0; n < full.size(); ++n) {
    const KPointImage& image = points.full[n];
    const auto map =
        map_between(points.kpoints[static_cast<std::size_t>(image.irreducible)].k, full[n].k,
                    points.group.operations()[static_cast<std::size_t>(image.operation)], image.time_reversed);
    if (!map)
      throw internal_error("k-point " + std::to_string(n + 1) + " of the mesh is not an image of irreducible k-point " +
                           std::to_string(image.irreducible + 1));
    all.push_back({image.irreducible, *map});
  }
  return all;
}

WaveTransfer plan_rotation(const Comm& comm, const WaveList& source, const WaveList& target, const WaveMap& map,
                           Transport transport) {
  WaveTransfer transfer(comm, source, target, map, transport);
  // The same number on all ranks.
  if (transfer.unmatched() != 0)
    throw internal_error(
        "the plane waves of two equivalent k-points do not correspond: " + std::to_string(transfer.unmatched()) +
        " coefficients have no partner; both need the same cutoff, on which no shell of G may lie");
  return transfer;
}

}  // namespace wavegrid
