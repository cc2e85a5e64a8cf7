// Elements with global places, distributed over ranks in any way, in the order of a file: by rising place, each rank
// with consecutive ones.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/vec3.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Of plane waves by their Miller indices, or of points of a grid. Members are collective over the communicator unless
/// they say "local". T is double or std::complex<double>.
class FileOrder {
 public:
  /// `mine`: the places of this rank's elements; each is on one rank.
  FileOrder(const Comm& comm, std::span<const Int3> mine);

  [[nodiscard]] const Comm& comm() const { return plan_.comm(); }
  /// Of all ranks. Local.
  [[nodiscard]] Index size() const { return size_; }
  /// The elements that this rank writes and reads, numbered in the order of the file. Local.
  [[nodiscard]] Range share() const { return share_; }

  /// This rank's share of the values whose part `mine` has.
  template <class T>
  [[nodiscard]] std::vector<T> to_share(std::span<const T> mine);
  /// The reverse.
  template <class T>
  void from_share(std::span<const T> share, std::span<T> mine);
  /// A checksum of all values that depends on the places, and not on the distribution: an integer below 2^40.
  template <class T>
  [[nodiscard]] double checksum(std::span<const T> mine) const;

 private:
  /// Numbers of elements in the smallest box of all.
  struct Numbers {
    std::vector<Index> mine;
    Index box = 0;
  };
  [[nodiscard]] static Numbers number(const Comm& comm, std::span<const Int3> mine);
  FileOrder(const Comm& comm, Numbers numbers);

  std::vector<Index> mine_;  ///< numbers of this rank's elements
  Range block_;              ///< of numbers: those of this rank's share
  ExchangePlan plan_;        ///< from this rank's elements to the block
  std::vector<Index> used_;  ///< places in the block that have an element
  Range share_;
  Index size_ = 0;
};

}  // namespace wavegrid
