// Report on the data that a calculation has read from a checkpoint.
#pragma once

#include <string>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// K-points count once for each spin.
struct RestartReport {
  std::string file;
  Index kpoints_found = 0;      ///< the same k-point is in the file
  Index kpoints_rotated = 0;    ///< an equivalent k-point is in the file
  Index kpoints_missing = 0;    ///< neither: initial bands as without a checkpoint
  Index bands_found = 0;        ///< per k-point
  Index bands_random = 0;       ///< of all k-points: those that the file lacks, or that depend on others in this basis
  double norm_kept = 1;         ///< smallest squared norm of a band of the file in this basis
  std::string density;          ///< "taken" as it is, or "carried over" to another grid, cell or atoms
  std::string kinetic_density;  ///< of a meta-GGA: "taken", or "model" where the file has none for these atoms
  std::string matrices;  ///< rho_ij of PAW: "taken", or "partly", or those of free "atoms" where datasets are others
  double seconds = 0;
};

}  // namespace wavegrid
