#include "atoms/irreducible_kpoints.hpp"

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
  for (const bool reversed : {false, true})
    for (int r = 0; r < group.num_rotations(); ++r) {
      const Rotation& rotation = group.of_rotation(r).rotation;
      if (reversed && !time_reversal) continue;
      if (maps_onto_itself(mesh, rotation, reversed)) maps.push_back({rotation, reversed});
    }
  return maps;
}

std::string sentence_for(const RationalMesh& mesh, const IrreducibleKPoints& result, const SpaceGroup& given,
                         bool reverses) {
  const int kept = result.group.num_rotations(), lost = given.num_rotations() - kept;
  std::string text = "mesh of " + as_text(mesh.mesh()) + ": " + std::to_string(mesh.size()) + " k-points, ";
  text += std::to_string(result.kpoints.size()) + " irreducible by " + std::to_string(kept) +
          (kept == 1 ? " rotation" : " rotations") + (reverses ? " and time reversal" : "");
  if (lost > 0)
    text += "; " + std::to_string(lost) + (lost == 1 ? " rotation" : " rotations") + " of " + given.symbol() +
            " left out, which would not map the mesh onto itself";
  return text;
}

}  // namespace

IrreducibleKPoints irreducible(const KMesh& of_mesh, const SpaceGroup& group, bool time_reversal) {
  const RationalMesh mesh(of_mesh);
  IrreducibleKPoints result;
  result.group = group.subgroup([&](const SymmetryOperation& operation) {
    return maps_onto_itself(mesh, operation.rotation, false) ||
           (time_reversal && maps_onto_itself(mesh, operation.rotation, true));
  });
  const std::vector<Map> maps = maps_of(mesh, result.group, time_reversal);
  std::vector<bool> in_a_star(static_cast<std::size_t>(mesh.size()), false);
  for (Index n = 0; n < mesh.size(); ++n) {
    if (in_a_star[static_cast<std::size_t>(n)]) continue;
    int members = 0;
    for (const Map& map : maps) {
      const Point image = on_reciprocal(map.rotation, mesh.point(n));
      const auto at = static_cast<std::size_t>(mesh.find(map.reversed ? negative(image) : image));
      if (in_a_star[at]) continue;
      in_a_star[at] = true;
      ++members;
    }
    result.kpoints.push_back({mesh.k(n), static_cast<double>(members) / static_cast<double>(mesh.size())});
  }
  result.sentence = sentence_for(mesh, result, group, !maps.empty() && maps.back().reversed);
  return result;
}

}  // namespace wavegrid
