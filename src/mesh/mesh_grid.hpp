// The geometry of a mesh: its points h (i, j, k) along the lattice vectors, inside a region. Pure; nothing here holds
// an array over all points except the lines that lines() returns.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/basis/lattice.hpp>

namespace wavegrid {

/// Which points belong to a mesh. Lengths in bohr, positions Cartesian.
struct MeshRegion {
  enum class Kind {
    cell,      ///< the whole cell: 0 <= i < N along each lattice vector
    spheres,   ///< the points within radii[n] of centres[n] for any n
    cylinder,  ///< the points within radii[0] of the line through centres[0] along the lattice vector `axis`, and
               ///< within `half_length` of centres[0] along that line (any distance if the direction is periodic)
    box,       ///< the points within half_lengths of centres[0] along each lattice vector
  };
  Kind kind = Kind::cell;
  std::vector<Vec3> centres = {};
  std::vector<double> radii = {};
  int axis = 2;
  double half_length = 0;
  Vec3 half_lengths = {};

  [[nodiscard]] static MeshRegion cell() { return {}; }
  [[nodiscard]] static MeshRegion spheres(std::vector<Vec3> centres, std::vector<double> radii);
  /// Spheres of one radius.
  [[nodiscard]] static MeshRegion spheres(std::vector<Vec3> centres, double radius);
  [[nodiscard]] static MeshRegion cylinder(const Vec3& centre, int axis, double radius, double half_length);
  [[nodiscard]] static MeshRegion box(const Vec3& centre, const Vec3& half_lengths);

  friend bool operator==(const MeshRegion&, const MeshRegion&) = default;
};

/// Consecutive points (i, j, k) with k in `k`: a piece of a line along the third lattice vector.
struct MeshLine {
  int i = 0, j = 0;
  Range k;
  friend bool operator==(const MeshLine&, const MeshLine&) = default;
};

/// Which directions of a mesh are periodic.
using Periodic = std::array<bool, 3>;

/// Points per lattice vector for steps of at most `spacing` (bohr) along each of them: at least one.
[[nodiscard]] Int3 mesh_counts(const Lattice& lattice, const Vec3& spacing);

/// The points of a mesh: position(i, j, k) = i a_1/N_1 + j a_2/N_2 + k a_3/N_3. In periodic directions 0 <= i < N; in
/// the others i may be any integer, as the region says. Functions on a mesh are zero outside its region.
class MeshGrid {
 public:
  /// `counts`: N, points per lattice vector. Throws bad_input if a count is not positive, if a region is not complete
  /// (a sphere without radius), or if its bounding box holds more than 2^62 points.
  MeshGrid(const Lattice& lattice, const Int3& counts, const Periodic& periodic, MeshRegion region);

  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  [[nodiscard]] const Int3& counts() const { return counts_; }
  [[nodiscard]] const Periodic& periodic() const { return periodic_; }
  [[nodiscard]] const MeshRegion& region() const { return region_; }
  /// The vectors between neighbouring points, bohr (rows), and the volume of a point, bohr^3.
  [[nodiscard]] const Mat3& steps() const { return steps_; }
  [[nodiscard]] double point_volume() const { return point_volume_; }
  [[nodiscard]] Vec3 position(const Int3& point) const;

  /// The smallest box that holds all points: lower() <= point < upper() in each direction.
  [[nodiscard]] const Int3& lower() const { return lower_; }
  [[nodiscard]] const Int3& upper() const { return upper_; }
  /// The global index of a point of this box, which names the point in layouts: k fastest, 0 at lower().
  [[nodiscard]] Index id(const Int3& point) const;
  [[nodiscard]] Int3 point_of(Index id) const;
  [[nodiscard]] Index num_ids() const { return num_ids_; }

  /// The lattice vectors by which a point lies outside the periodic cell: point = wrapped point + shift N. 0 in
  /// directions that are not periodic.
  [[nodiscard]] Int3 shift_of(const Int3& point) const;

  /// All points, by rising (i, j, k). The work is proportional to the points, the memory to the lines. Throws
  /// bad_input if there is no point.
  [[nodiscard]] std::vector<MeshLine> lines() const;

 private:
  struct Body;
  [[nodiscard]] std::vector<Body> bodies() const;
  void check() const;

  Lattice lattice_;
  Int3 counts_;
  Periodic periodic_;
  MeshRegion region_;
  Mat3 steps_;
  double point_volume_;
  Int3 lower_{}, upper_{};
  Index num_ids_ = 0;
};

}  // namespace wavegrid
