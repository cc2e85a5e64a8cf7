// Occupations by linear interpolation of the levels in tetrahedra between the points of a mesh: no broadening, and no
// states in a gap.
//
//   N(E) = sum over tetrahedra and bands of the volume with eps(k) < E,   w_k = dN/d(what is integrated at k)
//
// P. E. Bloechl, O. Jepsen, O. K. Andersen, Phys. Rev. B 49, 16223 (1994), 10.1103/PhysRevB.49.16223, with the
// correction (Eq. 22) w_i += D(E)/40 sum_j (eps_j - eps_i) for the curvature of the bands; or, instead of that, levels
// at the corners that represent a polynomial of third order through 20 points: M. Kawamura, Y. Gohda, S. Tsuneyuki,
// Phys. Rev. B 89, 094515 (2014), 10.1103/PhysRevB.89.094515.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

/// Levels at the corners.
enum class TetrahedronLevels { bloechl, optimised };

/// The tetrahedra of a periodic mesh of k-points: six in each cell of the mesh around its shortest diagonal.
class Tetrahedra {
 public:
  static constexpr int num_points = 20;
  /// Irreducible points: the corners, and with optimised levels those around them.
  using Points = std::array<Index, num_points>;
  struct Tetrahedron {
    Points points;
    double share;  ///< of the Brillouin zone
  };

  /// `reciprocal`: vectors as rows; `numbers`: for each point of the mesh, the third index fastest, the number of the
  /// irreducible point that is equivalent to it. Pure.
  Tetrahedra(const Int3& size, const Mat3& reciprocal, std::span<const Index> numbers, TetrahedronLevels levels);

  [[nodiscard]] Index num_k() const { return num_k_; }
  /// Those with the same points are one.
  [[nodiscard]] const std::vector<Tetrahedron>& all() const { return tetrahedra_; }
  /// The factors of the levels of the points in that of a corner: (4, points), points fastest, 4 or num_points of them.
  [[nodiscard]] std::vector<double> corner_factors() const;

  /// The energy below which the bands have this number of states; in a gap its middle. A full band has one state.
  /// `levels`: (num_k, bands), bands fastest, each band one function of k. `tolerance`: of the number. Local.
  [[nodiscard]] double fermi_level(std::span<const double> levels, double states, double tolerance) const;
  /// The number of states below an energy of each level of the irreducible points, in the same order; with degenerate
  /// levels of a point the mean. Local.
  [[nodiscard]] std::vector<double> weights(std::span<const double> levels, double energy) const;

 private:
  using Corners = std::array<double, 4>;

  [[nodiscard]] Corners corner_levels(const Points& points, std::span<const double> levels, Index bands,
                                      Index band) const;

  TetrahedronLevels levels_;
  Index num_k_ = 0;
  std::vector<Tetrahedron> tetrahedra_;
};

}  // namespace wavegrid
