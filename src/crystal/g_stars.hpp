// Stars of G vectors (the images of one G of the FFT box under a space group), distributed over parts.
#pragma once

#include <cstdint>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/crystal/space_group.hpp>

namespace wavegrid {

/// The index of g, given modulo the grid or as a frequency, in the FFT box: (iz ny + iy) nx + ix.
[[nodiscard]] Index box_index(const Int3& grid, const Int3& g);

/// What a field is under operations: a number, or a magnetisation, which moment_rotation() turns.
enum class StarField { scalar, magnetisation };

/// The stars of one part. A symmetric field has f(W^T G) = f(G) exp(2 pi i G.w) for every operation {W|w}.
///
/// G count modulo the grid, so that Nyquist planes belong to stars like all others: exactly the action of the
/// operations on the points of a compatible grid. Stars in which the operations contradict each other (some {W|w} has
/// W^T G = G but exp(2 pi i G.w) != 1: extinct reflections, and all G that pure translations forbid) are in no part's
/// list: there f(G) = 0. Of a magnetisation only those are left out that translations forbid, with the sign of time
/// reversal: rotations that keep G allow some directions.
struct GStars {
  std::vector<Int3> first;             ///< G of each star from which the others follow, in [0, grid)
  std::vector<Index> begin;            ///< of each star among the members, and their number at the end
  std::vector<std::uint8_t> rotation;  ///< of each member: W^T first, W = group.rotation_operation(this)
  std::vector<Index> members;          ///< box_index() of each

  [[nodiscard]] Index num_members() const { return static_cast<Index>(rotation.size()); }
};

/// The stars of `part` of `parts`: whole stars, in nearly equal numbers, each in one part. Every G of the box is in one
/// star or in none. Pure; time and memory are proportional to the part's share of the box (times rotations). Throws
/// internal_error if the grid is not compatible with the group.
[[nodiscard]] GStars make_g_stars(const Int3& grid, const SpaceGroup& group, int parts, int part,
                                  StarField field = StarField::scalar);

}  // namespace wavegrid
