// FFTW's wisdom: the plans that its planner has found, kept from run to run.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include <wavegrid/base/index.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// The folder of the wisdom files: $WAVEGRID_CACHE, else $XDG_CACHE_HOME/wavegrid, else ~/.cache/wavegrid; empty if
/// HOME is not set either.
[[nodiscard]] std::filesystem::path wisdom_folder();

/// FFTW's wisdom of this user on this kind of processor, in both precisions. Plans that are made later use the
/// measurements of earlier runs. A cache: files that cannot be read or written are ignored.
class Wisdom {
 public:
  /// Imports the files of `folder`, if there are any, into FFTW.
  explicit Wisdom(std::filesystem::path folder = wisdom_folder());

  /// Writes the plans that the first ranks have found since then, if there are new ones. Collective.
  void save(const Comm& comm);
  /// Compares some of the plans that the files have provided with new ones (wisdom_check.hpp), once in the lifetime of
  /// this object, for at most a hundredth of the `seconds` that transforms have taken; not at all in short runs. Where
  /// a plan is contradicted, its file is replaced by what was measured here, and later runs measure again. Local.
  void check(double seconds);
  /// The file of double (0) or single (1) precision.
  [[nodiscard]] std::filesystem::path file(int precision) const;

 private:
  std::filesystem::path folder_;
  bool checked_ = false;
  std::array<Index, 2> measured_;  ///< plans of each precision that had been measured when files and memory agreed
};

}  // namespace wavegrid
