// Sums over pieces of a grid that belong to ranks, of which each piece lies on one rank whatever their number is.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Sums of values by number. In order: the same bits however the pieces are distributed, as each piece is rounded to a
/// multiple of 2^-48 of the largest one of its sum, and integers are added: up to 2^14 pieces for each sum.
class ReproducibleSums {
 public:
  ReproducibleSums(std::size_t numbers, bool in_order) : sums_(numbers, 0.0), in_order_(in_order) {}

  /// Adds one piece. Local.
  void add(std::size_t number, double value) {
    if (in_order_)
      pieces_.push_back({number, value});
    else
      sums_[number] += value;
  }
  /// The sums over all ranks. Collective.
  [[nodiscard]] std::vector<double> total(const Comm& comm) const {
    std::vector<double> result(sums_);
    if (!in_order_) {
      comm.sum(std::span<double>(result));
      return result;
    }
    std::vector<Index> exponents(sums_.size(), lowest), integers(sums_.size(), 0);
    for (const Piece& piece : pieces_)
      if (piece.value != 0) exponents[piece.number] = std::max(exponents[piece.number], exponent_of(piece.value));
    comm.max(std::span<Index>(exponents));
    const auto shift = [&](std::size_t i) { return static_cast<int>(digits - exponents[i]); };
    for (const Piece& piece : pieces_)
      if (piece.value != 0 && exponents[piece.number] < not_finite)
        integers[piece.number] += std::llrint(std::ldexp(piece.value, shift(piece.number)));
    comm.sum(std::span<Index>(integers));
    for (std::size_t i = 0; i < result.size(); ++i)
      if (exponents[i] >= not_finite)
        result[i] = std::numeric_limits<double>::quiet_NaN();
      else if (exponents[i] > lowest)
        result[i] = std::ldexp(static_cast<double>(integers[i]), -shift(i));
    return result;
  }

 private:
  struct Piece {
    std::size_t number;
    double value;
  };
  static constexpr Index digits = 48, lowest = -4000, not_finite = 2000;
  static Index exponent_of(double value) { return std::isfinite(value) ? std::ilogb(value) : not_finite; }

  std::vector<double> sums_;
  bool in_order_;
  std::vector<Piece> pieces_;
};

}  // namespace wavegrid
