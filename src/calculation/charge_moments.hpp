// The moments of the charge of ions and electrons where a crystal ends: dipole and quadrupole of a molecule, the dipole
// across a layer.
//
//   p = sum_a Z_a tau_a - int r n,   s = sum_a Z_a tau_a tau_a - int r r n
//
// about the origin of coordinates, r along lattice vectors with vacuum in the cell that begins in its middle. The
// neutralising background of a charged cell has no part in them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <wavegrid/fields/field_space.hpp>
#include <wavegrid/problem/external.hpp>
#include <wavegrid/problem/open_axes.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Cartesian, the same on all ranks.
struct ChargeMoments {
  std::array<bool, 3> open{};  ///< along which lattice vectors the crystal ends; the moments along others mean nothing
  double charge = 0;           ///< e
  Vec3 dipole{};               ///< e bohr
  Mat3 second{};               ///< e bohr^2
  std::vector<Vec3> ions;      ///< their positions r, bohr
};

/// Positions of ions and points in the cell that begins in the middle of the widest gap, along the axes that are cut.
class CutCell {
 public:
  CutCell(const Problem& problem, const std::array<bool, 3>& cut) : problem_(problem), cut_(cut) {
    for (std::size_t axis = 0; axis < 3; ++axis) middle_[axis] = widest_gap(problem.crystal, axis).middle;
  }

  /// Cartesian, bohr.
  [[nodiscard]] Vec3 ion(Vec3 fractional) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (cut_[axis]) fractional[axis] -= std::floor(fractional[axis] - middle_[axis]);
    return problem_.crystal.lattice.cartesian(fractional);
  }
  /// The same of a point of the grid. The planes through the middle belong to both ends in part: the mean position.
  [[nodiscard]] Vec3 point(const Int3& index) const {
    Vec3 fractional;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double count = problem_.field_grid()[axis];
      fractional[axis] = index[axis] / count;
      if (!cut_[axis]) continue;
      const double beyond = fractional[axis] - middle_[axis], from_middle = beyond - std::round(beyond);
      const double steps = from_middle * count;
      const double share_above = std::clamp(0.5 - steps, 0.0, 1.0);  // of the end of the cell
      fractional[axis] = middle_[axis] + from_middle + share_above;
    }
    return problem_.crystal.lattice.cartesian(fractional);
  }

 private:
  const Problem& problem_;
  std::array<bool, 3> cut_;
  Vec3 middle_{};
};

/// None where the crystal ends along none of the directions that the problem names. `density`: at this rank's points.
/// Collective over the space.
template <class Space>
[[nodiscard]] std::optional<ChargeMoments> charge_moments(const Space& space, const Problem& problem,
                                                          const FieldValues& density) {
  const OpenAxes axes(problem);
  ChargeMoments moments;
  std::array<bool, 3> cut{};
  bool any = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    any |= moments.open[axis] = problem.moment_axes[axis] && axes.is_open(axis);
    cut[axis] = moments.open[axis] && problem.wraps()[axis];
  }
  if (!any) return std::nullopt;

  const CutCell cell(problem, cut);
  std::vector<Vec3> r;
  for (const Int3& point : space.point_indices()) r.push_back(cell.point(point));
  moments.charge = problem.charge;
  for (const Atom& atom : problem.crystal.atoms) moments.ions.push_back(cell.ion(atom.position));
  const auto valence = [&](std::size_t ion) {
    return problem.pseudopotentials[static_cast<std::size_t>(problem.crystal.atoms[ion].species)]->valence_charge();
  };
  for (std::size_t a = 0; a < 3; ++a) {
    moments.dipole[a] = -space.integrate([&](std::size_t i) { return r[i][a] * density[i]; });
    for (std::size_t b = a; b < 3; ++b)
      moments.second[a][b] = -space.integrate([&](std::size_t i) { return r[i][a] * r[i][b] * density[i]; });
  }
  for (std::size_t ion = 0; ion < moments.ions.size(); ++ion) {
    const Vec3& place = moments.ions[ion];
    moments.dipole = moments.dipole + valence(ion) * place;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = a; b < 3; ++b) moments.second[a][b] += valence(ion) * place[a] * place[b];
  }
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < a; ++b) moments.second[a][b] = moments.second[b][a];
  return moments;
}

}  // namespace wavegrid
