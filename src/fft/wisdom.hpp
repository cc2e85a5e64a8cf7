// FFTW's wisdom: the plans that its planner has found, kept from run to run.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "mpi/comm.hpp"

namespace wavegrid {

/// Where wisdom is kept: $WAVEGRID_CACHE, else $XDG_CACHE_HOME/wavegrid, else ~/.cache/wavegrid; empty where there is
/// no home.
[[nodiscard]] std::filesystem::path wisdom_folder();

/// FFTW's wisdom of this user on this kind of processor, in both precisions. Plans made while one lives start from
/// what earlier runs measured. A cache: files that cannot be read or written are as no files.
class Wisdom {
 public:
  /// Imports the files of `folder` into FFTW, where there are any.
  explicit Wisdom(std::filesystem::path folder = wisdom_folder());

  /// Writes what the planners of the first ranks have found since, if anything. Collective.
  void save(const Comm& comm);
  /// The file of double (0) or single (1) precision.
  [[nodiscard]] std::filesystem::path file(int precision) const;

 private:
  std::filesystem::path folder_;
  std::array<std::string, 2> known_;
};

}  // namespace wavegrid
