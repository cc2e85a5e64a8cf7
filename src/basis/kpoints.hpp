// Points of the Brillouin zone, and regular meshes of them in exact integer arithmetic.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

/// One point of the Brillouin zone. The weights of all points of a sum add up to 1.
struct KPoint {
  Vec3 k{0, 0, 0};      ///< in units of the reciprocal vectors
  double weight = 1.0;  ///< share of the Brillouin zone that the point represents
};

/// A regular mesh: k_i = (n_i + shift_i) / size_i, n_i = 0 .. size_i - 1, along each reciprocal vector. With shift 0
/// the mesh contains Gamma; shift 1/2 with an even size is the mesh of H. J. Monkhorst and J. D. Pack, Phys. Rev. B 13,
/// 5188 (1976), Eq. (3), 10.1103/PhysRevB.13.5188.
struct KMesh {
  Int3 size{1, 1, 1};
  Vec3 shift{0, 0, 0};  ///< in steps of the mesh; a fraction with a denominator up to 10000
};

/// A mesh in integers: k = point / denominator(), exactly. The third index of a point varies fastest.
class RationalMesh {
 public:
  using Point = std::array<Index, 3>;

  /// Throws bad_input if a size is below 1 or above 1000, there are more than 1000000 points, or a shift is not a
  /// fraction with a small denominator.
  explicit RationalMesh(const KMesh& mesh);

  [[nodiscard]] const KMesh& mesh() const { return mesh_; }
  [[nodiscard]] Index size() const { return static_cast<Index>(mesh_.size[0]) * mesh_.size[1] * mesh_.size[2]; }
  [[nodiscard]] Index denominator() const { return denominator_; }
  /// Numerators of point `n` in [0, denominator()).
  [[nodiscard]] Point point(Index n) const;
  /// The number of `point` in the mesh, modulo reciprocal vectors; -1 if the mesh does not contain it.
  [[nodiscard]] Index find(const Point& point) const;
  /// In units of the reciprocal vectors, folded to (-1/2, 1/2].
  [[nodiscard]] Vec3 k(Index n) const;
  /// Numerators of one step along each vector.
  [[nodiscard]] const Point& step() const { return step_; }

 private:
  KMesh mesh_;
  Index denominator_ = 1;
  Point step_{}, start_{};  // numerators
};

/// All points of the mesh, folded to (-1/2, 1/2], each with the same weight. Throws as RationalMesh.
[[nodiscard]] std::vector<KPoint> monkhorst_pack(const KMesh& mesh);

/// "4 x 4 x 4", or with a shift "4 x 4 x 4 shifted by (0.5, 0.5, 0.5)".
[[nodiscard]] std::string as_text(const KMesh& mesh);

}  // namespace wavegrid
