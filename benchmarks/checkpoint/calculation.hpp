// A synthetic calculation on any number of ranks. Each value encodes its indices and its generation.
#pragma once

#include <deque>
#include <filesystem>
#include <vector>

#include <wavegrid/checkpoint/read_checkpoint.hpp>
#include <wavegrid/checkpoint/write_checkpoint.hpp>

#include "common/waves.hpp"
#include "options.hpp"

namespace wavegrid::bench {

/// Bands are normalised and the density integrates to the electrons, so that `wavegrid checkpoint verify` accepts it:
///
///   c(G) = exp(2 pi i j / 1024) / sqrt(N),  j = (131 generation + 31 k + 7 band + gx + 5 gy + 11 gz) mod 1024
///   n(r) = electrons / volume,  V(r) = generation,  energy = -generation,  steps = generation
///
/// with N plane waves of the k-point; k and band start at 0.
class Calculation {
 public:
  /// Collective. Throws bad_input if there are more k-point groups than ranks.
  Calculation(const Comm& comm, const CheckpointCase& size, int kpoint_groups);

  /// Sets all values to those of a generation. Local.
  void fill(Index generation);
  /// Overwrites all values, so that a read has to restore them. Local.
  void overwrite();
  /// Number of wrong values of this rank. Local.
  [[nodiscard]] Index wrong() const;

  /// Collective; as write_checkpoint.
  WriteReport write(const std::filesystem::path& path, const WriteOptions& options) const;
  /// Bands and both fields. Collective; as CheckpointReader.
  void read(const std::filesystem::path& path, const ReadOptions& options);

 private:
  struct State {
    int k;
    Index in_sphere;
    PlaneWaves waves;
    Bands<Complex> bands;
  };
  /// Calls work(coefficient, its right value).
  template <class States, class Work>
  static void for_all_coefficients(const CheckpointHeader& header, States& states, Work work);

  ProcessGroups levels_;
  CheckpointHeader header_;
  FftLayout layout_;
  std::deque<State> states_;
  std::vector<std::vector<double>> density_, potential_;  // one component of (my x, my y, nz)
};

}  // namespace wavegrid::bench
