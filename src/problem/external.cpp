#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/problem/external.hpp>

namespace wavegrid {

ExternalPotential read_cube(const std::string& path) {
  const std::string where = "external: potential = \"" + printable(path) + "\"";
  std::ifstream in(path);
  if (!in) throw bad_input(where + " cannot be read; valid: a cube file");
  ExternalPotential found{path, {}, {}, {}};
  std::string comment;
  std::getline(in, comment);
  std::getline(in, comment);
  int atoms = 0;
  double number = 0;
  Vec3 origin{};
  in >> atoms >> origin[0] >> origin[1] >> origin[2];
  for (std::size_t i = 0; i < 3; ++i) {
    in >> found.grid[i];
    for (double& component : found.cell[i]) in >> component;
    if (!in || found.grid[i] < 1)
      throw bad_input(where + " has no counts of points above 0 with their steps in bohr; valid: a cube file");
    found.cell[i] = static_cast<double>(found.grid[i]) * found.cell[i];
  }
  require_valid_grid(found.grid);
  if (atoms < 0 || norm(origin) > 1e-6)
    throw bad_input(where + (atoms < 0 ? " holds orbitals" : " begins at another point than the corner of the cell") +
                    "; valid: one field that begins at (0, 0, 0)");
  for (int i = 0; i < 5 * atoms && in; ++i) in >> number;
  const std::size_t points = static_cast<std::size_t>(found.grid[0]) * static_cast<std::size_t>(found.grid[1]) *
                             static_cast<std::size_t>(found.grid[2]);
  while (found.values.size() < points && in >> number) found.values.push_back(number);
  if (found.values.size() < points || in >> number)
    throw bad_input(where + (found.values.size() < points ? " has fewer values than " : " has more values than ") +
                    std::to_string(points) + "; valid: one for each point of its grid");
  return found;
}

void require_valid(const ExternalPotential& potential, const Lattice& lattice, const Int3& grid) {
  constexpr double same = 1e-3;  // bohr
  const std::string where = "external: potential = \"" + printable(potential.file) + "\"";
  for (std::size_t i = 0; i < 3; ++i)
    if (norm(potential.cell[i] - lattice.vectors()[i]) > same)
      throw bad_input(where + " is that of another cell: its lattice vector " + std::to_string(i + 1) + " differs by " +
                      to_text(norm(potential.cell[i] - lattice.vectors()[i])) +
                      " bohr; valid: the cell of the calculation");
  const auto counts = [](const Int3& of) {
    return std::to_string(of[0]) + " x " + std::to_string(of[1]) + " x " + std::to_string(of[2]);
  };
  if (potential.grid != grid)
    throw bad_input(where + " has " + counts(potential.grid) + " points, the calculation " + counts(grid) +
                    "; valid: the same grid, such as by [basis] grid");
}

WidestGap widest_gap(const Crystal& crystal, std::size_t axis) {
  std::vector<double> places;
  for (const Atom& atom : crystal.atoms) places.push_back(atom.position[axis] - std::floor(atom.position[axis]));
  std::ranges::sort(places);
  places.push_back(places.front() + 1.0);
  WidestGap widest{0, 0};
  for (std::size_t i = 1; i < places.size(); ++i)
    if (const double width = places[i] - places[i - 1]; width > widest.width)
      widest = {0.5 * (places[i] + places[i - 1]), width};
  return widest;
}

double jump_place(const Crystal& crystal, std::size_t axis, int count) {
  constexpr double spacing = 2.0;  // bohr
  const double places = std::max(1.0, std::floor(norm(crystal.lattice.vectors()[axis]) / spacing));
  const double place = std::round(widest_gap(crystal, axis).middle * places) / places;
  return (std::floor(place * count) + 0.5) / count;
}

void require_valid(const Sawtooth& sawtooth, const Crystal& crystal, double charge) {
  constexpr double least_vacuum = 10.0;  // bohr
  constexpr double orthogonal = 1e-6;    // cosine of the angle
  const char* const what = sawtooth.field != 0 ? "a field" : "a dipole correction";
  const std::string along =
      std::string("external: ") + what + " along lattice vector " + std::to_string(sawtooth.axis + 1);
  const Mat3& vectors = crystal.lattice.vectors();
  const Vec3& vector = vectors[sawtooth.axis];
  for (std::size_t other = 0; other < 3; ++other)
    if (other != sawtooth.axis &&
        std::abs(dot(vector, vectors[other])) > orthogonal * norm(vector) * norm(vectors[other]))
      throw bad_input(along + ", which is not orthogonal to vector " + std::to_string(other + 1) +
                      "; valid: an axis that is orthogonal to both other vectors");
  const double vacuum = widest_gap(crystal, sawtooth.axis).width * norm(vector);
  if (vacuum < least_vacuum)
    throw bad_input(along + ", where the widest gap between atoms has " + to_text(vacuum) +
                    " bohr, so that atoms lie across the jump of the potential; valid: vacuum of at least " +
                    to_text(least_vacuum) + " bohr");
  if (charge != 0)
    throw bad_input(along + " of a cell with the charge " + to_text(charge) +
                    ", whose energy would depend on the place of the jump; valid: charge = 0");
}

}  // namespace wavegrid
