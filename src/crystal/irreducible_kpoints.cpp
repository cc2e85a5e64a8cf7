#include <algorithm>
#include <cmath>
#include <utility>

#include <wavegrid/crystal/irreducible_kpoints.hpp>

namespace wavegrid {

namespace {

using Point = RationalMesh::Point;

Point negative(const Point& point) { return {-point[0], -point[1], -point[2]}; }

/// Whether S maps one step along each vector onto steps of the mesh; S^-1 then does so too, because |det S| = 1.
bool keeps_steps(const RationalMesh& mesh, const Rotation& rotation) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (rotation[i][j] * mesh.step()[i] % mesh.step()[j] != 0) return false;
  return true;
}

/// Whether the operation, or the operation with time reversal, maps the mesh onto itself.
bool maps_onto_itself(const RationalMesh& mesh, const Rotation& rotation, bool reversed) {
  if (!keeps_steps(mesh, rotation)) return false;
  const Point image = on_reciprocal(rotation, mesh.point(0));
  return mesh.find(reversed ? negative(image) : image) >= 0;
}

/// One rotation of the group, with or without time reversal, that maps the mesh onto itself.
struct Map {
  Rotation rotation;
  bool reversed;
};

std::vector<Map> maps_of(const RationalMesh& mesh, const SpaceGroup& group, bool time_reversal) {
  std::vector<Map> maps;
  const auto is_known = [&](const Map& map) {
    return std::any_of(maps.begin(), maps.end(),
                       [&](const Map& one) { return one.rotation == map.rotation && one.reversed == map.reversed; });
  };
  for (const bool more : {false, true})
    for (const SymmetryOperation& operation : group.operations()) {
      const Map map{operation.rotation, operation.time_reversed != more};
      if (more && !time_reversal) continue;
      if (!is_known(map) && maps_onto_itself(mesh, map.rotation, map.reversed)) maps.push_back(map);
    }
  return maps;
}

/// For each point of the mesh the number of its star, by the first point of each.
std::vector<Index> star_numbers(const RationalMesh& mesh, const std::vector<Map>& maps) {
  std::vector<Index> numbers(static_cast<std::size_t>(mesh.size()), -1);
  Index stars = 0;
  for (Index n = 0; n < mesh.size(); ++n) {
    if (numbers[static_cast<std::size_t>(n)] >= 0) continue;
    for (const Map& map : maps) {
      const Point image = on_reciprocal(map.rotation, mesh.point(n));
      numbers[static_cast<std::size_t>(mesh.find(map.reversed ? negative(image) : image))] = stars;
    }
    ++stars;
  }
  return numbers;
}

constexpr double same_point = 1e-5;   // of a reciprocal vector: files round coordinates to five digits or more
constexpr double same_weight = 1e-6;  // of the sum of all weights

/// The weights of a list by k-point; k and -k count as one point, and so do k and k + G.
class WeightsByPoint {
 public:
  explicit WeightsByPoint(std::vector<KPoint> points) : points_(std::move(points)) {
    for (KPoint& point : points_) point.k = folded(point.k);
    std::sort(points_.begin(), points_.end(), [](const KPoint& a, const KPoint& b) { return a.k[0] < b.k[0]; });
  }

  /// The weight of all points of the list that are equal to k or -k.
  [[nodiscard]] double at(const Vec3& k) const {
    const Vec3 plus = folded(k), minus = folded({-k[0], -k[1], -k[2]});
    double sum = 0;
    visit_near(plus[0], [&](const KPoint& point) { sum += is_same(point.k, plus) ? point.weight : 0; });
    visit_near(minus[0], [&](const KPoint& point) {
      if (!is_same(point.k, plus) && is_same(point.k, minus)) sum += point.weight;
    });
    return sum;
  }

 private:
  /// Each component in [0, 1).
  static Vec3 folded(Vec3 k) {
    for (double& component : k) component -= std::floor(component);
    return k;
  }

  static bool is_same(const Vec3& a, const Vec3& b) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double apart = a[i] - b[i];
      if (std::abs(apart - std::round(apart)) > same_point) return false;
    }
    return true;
  }

  /// Visits all points whose first component may be that of an equal one, those across the end of [0, 1) too.
  template <class Visit>
  void visit_near(double first, Visit visit) const {
    for (const double around : {first - 1, first, first + 1}) {
      auto point = std::lower_bound(points_.begin(), points_.end(), around - same_point,
                                    [](const KPoint& one, double value) { return one.k[0] < value; });
      for (; point != points_.end() && point->k[0] <= around + same_point; ++point) visit(*point);
    }
  }

  std::vector<KPoint> points_;
};

/// The rotations that the group has only with time reversal, where that is no symmetry by itself.
int count_reversed_rotations(const SpaceGroup& group) {
  int count = 0;
  for (const SymmetryOperation& operation : group.one_per_rotation()) count += operation.time_reversed ? 1 : 0;
  return count;
}

std::string sentence_for(const RationalMesh& mesh, const IrreducibleKPoints& result, const SpaceGroup& given,
                         bool reverses) {
  const int kept = result.group.num_rotations(), lost = given.num_rotations() - kept;
  const int reversed = count_reversed_rotations(result.group);
  std::string text = "mesh of " + as_text(mesh.mesh()) + ": " + std::to_string(mesh.size()) + " k-points, ";
  text += std::to_string(result.kpoints.size()) + " irreducible by " + std::to_string(kept) +
          (kept == 1 ? " rotation" : " rotations") + (reverses ? " and time reversal" : "");
  if (reversed > 0) text += ", " + std::to_string(reversed) + " of them with time reversal";
  if (lost > 0)
    text += "; " + std::to_string(lost) + (lost == 1 ? " rotation" : " rotations") + " of " + given.symbol() +
            " left out, which would not map the mesh onto itself";
  return text;
}

}  // namespace

SpaceGroup mesh_symmetry(const KMesh& kmesh, const SpaceGroup& group, bool time_reversal) {
  const RationalMesh mesh(kmesh);
  return group.subgroup([&](const SymmetryOperation& operation) {
    return maps_onto_itself(mesh, operation.rotation, operation.time_reversed) ||
           (time_reversal && maps_onto_itself(mesh, operation.rotation, !operation.time_reversed));
  });
}

bool has_whole_stars(const std::vector<KPoint>& points, const SpaceGroup& group) {
  const WeightsByPoint weights(points);
  return std::all_of(points.begin(), points.end(), [&](const KPoint& point) {
    const double here = weights.at(point.k);
    for (int r = 0; r < group.num_rotations(); ++r)
      if (std::abs(weights.at(on_reciprocal(group.rotation_operation(r).rotation, point.k)) - here) > same_weight)
        return false;
    return true;
  });
}

std::vector<Index> irreducible_numbers(const KMesh& kmesh, const SpaceGroup& group, bool time_reversal) {
  const RationalMesh mesh(kmesh);
  return star_numbers(mesh, maps_of(mesh, mesh_symmetry(kmesh, group, time_reversal), time_reversal));
}

IrreducibleKPoints irreducible(const KMesh& kmesh, const SpaceGroup& group, bool time_reversal) {
  const RationalMesh mesh(kmesh);
  IrreducibleKPoints result;
  result.group = mesh_symmetry(kmesh, group, time_reversal);
  const std::vector<Map> maps = maps_of(mesh, result.group, time_reversal);
  const std::vector<Index> numbers = star_numbers(mesh, maps);
  for (Index n = 0; n < mesh.size(); ++n) {
    const auto number = static_cast<std::size_t>(numbers[static_cast<std::size_t>(n)]);
    if (number == result.kpoints.size()) result.kpoints.push_back({mesh.k(n), 0});
    result.kpoints[number].weight += 1;
  }
  for (KPoint& point : result.kpoints) point.weight /= static_cast<double>(mesh.size());
  result.sentence = sentence_for(mesh, result, group, time_reversal && !maps.empty() && maps.back().reversed);
  return result;
}

}  // namespace wavegrid
