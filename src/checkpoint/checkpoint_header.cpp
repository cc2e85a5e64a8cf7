#include "checkpoint/checkpoint_header.hpp"

#include "base/error.hpp"

namespace wavegrid {

namespace {

void require_states(const char* what, std::size_t found, const CheckpointHeader& header) {
  if (static_cast<Index>(found) != header.num_states())
    throw bad_input("checkpoint: " + std::to_string(found) + " " + what + " for " +
                    std::to_string(header.num_kpoints()) + " k-points, " + std::to_string(header.spins) +
                    " spins and " + std::to_string(header.bands) + " bands");
}

}  // namespace

GSphere CheckpointHeader::sphere(int k) const {
  return {crystal.lattice, ecut, grid, mode, kpoints[static_cast<std::size_t>(k)].k};
}

void require_valid(const CheckpointHeader& header) {
  require_valid(header.crystal);
  if (header.kpoints.empty() || header.bands < 1 || header.spins < 1 || header.spins > 2)
    throw bad_input("checkpoint: " + std::to_string(header.num_kpoints()) + " k-points, " +
                    std::to_string(header.spins) + " spins, " + std::to_string(header.bands) +
                    " bands; at least one k-point and band, and one or two spins");
  if (header.block < 1 || header.block > (Index{1} << 20))
    throw bad_input("checkpoint: blocks of " + std::to_string(header.block) + " elements; 1 to 1048576");
  require_states("eigenvalues", header.eigenvalues.size(), header);
  require_states("occupations", header.occupations.size(), header);
  if (header.fermi.empty() || header.fermi.size() > 2)
    throw bad_input("checkpoint: " + std::to_string(header.fermi.size()) + " Fermi levels; one, or two with spin");
}

}  // namespace wavegrid
