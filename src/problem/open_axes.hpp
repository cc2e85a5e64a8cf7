// Along which lattice vectors a crystal ends: where the boundary is free, or with vacuum in its cell.
#pragma once

#include <array>
#include <optional>

#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

class OpenAxes {
 public:
  static constexpr double least_vacuum = 8.0;  ///< bohr

  explicit OpenAxes(const Problem& problem);

  /// Along a lattice vector, and along all.
  [[nodiscard]] bool is_open(std::size_t axis) const { return open_[axis]; }
  [[nodiscard]] bool all() const { return open_[0] && open_[1] && open_[2]; }
  /// The vacuum along a lattice vector that is repeated, bohr.
  [[nodiscard]] double vacuum(std::size_t axis) const { return vacuum_[axis]; }
  /// Cartesian, bohr; along open axes of a repeated cell in the cell that begins in the middle of the vacuum.
  [[nodiscard]] Vec3 position(Vec3 fractional) const;

 private:
  const Lattice* lattice_;
  std::array<bool, 3> open_{};
  Vec3 vacuum_{};
  std::array<std::optional<double>, 3> jump_{};  ///< fractional; none where nothing is repeated or all is
};

}  // namespace wavegrid
