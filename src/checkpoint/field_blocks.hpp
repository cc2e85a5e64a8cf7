// Moves fields on the FFT grid between its blocks on all ranks and the blocks of the file, through a few aggregators.
#pragma once

#include <vector>

#include <wavegrid/checkpoint/checkpoint_file.hpp>
#include <wavegrid/fft/fft_layout.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// The fields of a write on this rank's block of the grid: (my x, my y, nz) of `layout`, one vector for each spin.
struct CheckpointFields {
  const FftLayout& layout;  ///< of the grid over the whole world
  const std::vector<std::vector<double>>& density;
  const std::vector<std::vector<double>>& potential;
  const std::vector<std::vector<double>>& kinetic_density = none();  ///< empty where the header has none

  [[nodiscard]] const std::vector<std::vector<double>>& of(GridField field) const {
    return field == GridField::density ? density : field == GridField::potential ? potential : kinetic_density;
  }

 private:
  static const std::vector<std::vector<double>>& none() {
    static const std::vector<std::vector<double>> empty;
    return empty;
  }
};

/// Writes the fields that the file holds. Collective over `world`; errors are deferred.
void write_fields(const Comm& world, const Aggregators& aggregators, CheckpointFile& file,
                  const CheckpointFields& fields);

/// All components of a field. Collective over `world`; errors are deferred.
[[nodiscard]] std::vector<std::vector<double>> read_fields(const Comm& world, const Aggregators& aggregators,
                                                           CheckpointFile& file, GridField field,
                                                           const FftLayout& layout);

}  // namespace wavegrid
