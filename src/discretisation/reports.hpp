// How ranks, plane waves and points were divided in a calculation, and what its exchanges used.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <wavegrid/discretisation/orbital_report.hpp>
#include <wavegrid/exchange/tuner.hpp>
#include <wavegrid/layout/partition.hpp>
#include <wavegrid/mesh/mesh_operator.hpp>
#include <wavegrid/mpi/process_groups.hpp>

namespace wavegrid {

/// The transport of one kind of exchange (transport_choice.hpp lists them).
struct ExchangeReport {
  std::string name;
  TunerReport tuning;  ///< the transport that was used, why, and what was measured
};

/// How ranks and plane waves were divided.
struct ParallelReport {
  int ranks = 1;
  GroupCounts groups;
  std::string groups_reason;
  std::string partition;  ///< by which method plane waves or points were divided
  std::string partition_reason;
  GridShape shape;
  Index plane_waves = 0;  ///< of the first k-point's sphere as stored: half of it in Mode::gamma
  Index max_plane_waves = 0, min_plane_waves = 0;  ///< of a rank of a band group
  std::string transport = "none";                  ///< of the first of the exchanges
  std::vector<ExchangeReport> exchanges;           ///< those that move anything; those of bands first
};

/// Local orbitals in boxes.
struct LocalOrbitalReport {
  Index functions = 0;                   ///< of all atoms
  double radius = 0;                     ///< of the confinement, bohr
  double box_radius = 0;                 ///< half the edge of the largest box, bohr
  double lost_norm = 0;                  ///< share of its squared norm that a function lacks outside its box, at most
  bool whole_cell = false;               ///< whether all boxes are the cell: nothing is cut off
  Index steps = 0;                       ///< of all k-points and spins in which functions were optimised
  Index applications = 0;                ///< of H to a function in a sphere, of all k-points and spins
  double error = 0;                      ///< Ha, of the energy by functions that are not yet the best ones, an estimate
  std::optional<KernelReport> kernel{};  ///< by purification
  LocalOrbitalSeconds seconds{};
};

/// How the points of a mesh were divided.
struct MeshReport {
  Index points = 0;
  Index max_points = 0, min_points = 0;          ///< of a rank
  Index max_ghosts = 0;                          ///< points of others that a rank needs
  Index max_neighbours = 0;                      ///< ranks that these are from
  double highest_energy = 0;                     ///< Ha, upper bound of the kinetic energies on the mesh
  HaloOverlap overlap = HaloOverlap::automatic;  ///< automatic if it could not be decided
  std::string overlap_reason;                    ///< empty if it was given or could not be decided
  double hidden_share = 0;                       ///< of the time of halo exchanges with overlap, mean of all ranks
};

}  // namespace wavegrid
