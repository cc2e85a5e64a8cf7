#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include <wavegrid/base/units.hpp>
#include <wavegrid/fock/box_fft.hpp>
#include <wavegrid/fock/wigner_seitz.hpp>

namespace wavegrid {

namespace {

constexpr double ended = 6;   ///< alpha r at which erfc(alpha r) is 2e-17: at the nearest face
constexpr double tie = 1e-9;  ///< bohr^2 between images that are equally near

constexpr std::array<std::pair<std::size_t, std::size_t>, 6> components{
    {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}}};

Lattice supercell_of(const Lattice& lattice, const Int3& mesh) {
  Mat3 vectors = lattice.vectors();
  for (std::size_t i = 0; i < 3; ++i) vectors[i] = static_cast<double>(mesh[i]) * vectors[i];
  return Lattice(vectors);
}

/// Steps n of the lattice that may bring a point of the cell, or 0, within a radius: of u - n.
Vec3 reach(const Lattice& lattice, double radius) {
  Vec3 steps{};
  for (std::size_t i = 0; i < 3; ++i) steps[i] = radius * norm(lattice.reciprocal()[i]) / (2 * units::pi);
  return steps;
}

/// Calls action(r) for the images of a point (fractional) within reach.
template <class Action>
void for_images(const Lattice& lattice, const Vec3& u, const Vec3& steps, const Action& action) {
  const auto first = [&](std::size_t i) { return static_cast<int>(std::ceil(u[i] - steps[i] - 1e-9)); };
  const auto last = [&](std::size_t i) { return static_cast<int>(std::floor(u[i] + steps[i] + 1e-9)); };
  for (int x = first(0); x <= last(0); ++x)
    for (int y = first(1); y <= last(1); ++y)
      for (int z = first(2); z <= last(2); ++z) action(lattice.cartesian({u[0] - x, u[1] - y, u[2] - z}));
}

/// Half the length of the shortest lattice vector.
double inner_radius(const Lattice& lattice) {
  double shortest = norm(lattice.vectors()[0]);
  for (const Vec3& vector : lattice.vectors()) shortest = std::min(shortest, norm(vector));
  double least = shortest * shortest;
  for_images(lattice, {0, 0, 0}, reach(lattice, shortest), [&](const Vec3& r) {
    if (norm2(r) > tie) least = std::min(least, norm2(r));
  });
  return 0.5 * std::sqrt(least);
}

/// No point is farther from its nearest lattice point.
double outer_radius(const Lattice& lattice) {
  double sum = 0;
  for (const Vec3& vector : lattice.vectors()) sum += norm2(vector);
  return 0.5 * std::sqrt(sum);
}

/// Those of the cells, or more where exp(-Q^2/(4 alpha^2)) needs them.
Int3 points_of(const Lattice& supercell, const Int3& mesh, const Int3& grid) {
  const double spacing = units::pi / (2 * ended * ended / inner_radius(supercell));
  Int3 points{};
  for (std::size_t i = 0; i < 3; ++i)
    points[i] = smooth_size_from(
        std::max(mesh[i] * grid[i], static_cast<int>(std::ceil(norm(supercell.vectors()[i]) / spacing))));
  return points;
}

/// The images of a point that are nearest to 0.
struct Nearest {
  double distance = 0;
  Mat3 square{};  ///< r r^T, the average of all
};

Nearest nearest(const Lattice& lattice, const Vec3& u, const Vec3& steps) {
  double least = std::numeric_limits<double>::max();
  Mat3 sum{};
  int count = 0;
  for_images(lattice, u, steps, [&](const Vec3& r) {
    const double r2 = norm2(r);
    if (r2 > least + tie) return;
    if (r2 < least - tie) {
      sum = {};
      count = 0;
    }
    least = std::min(least, r2);
    ++count;
    for (std::size_t a = 0; a < 3; ++a) sum[a] = sum[a] + r[a] * r;
  });
  for (Vec3& row : sum) row = (1.0 / count) * row;
  return {std::sqrt(least), sum};
}

double smooth_part(double alpha, double r) {
  return r > 0 ? std::erf(alpha * r) / r : 2 * alpha / std::sqrt(units::pi);
}

/// f'(r)/r of it.
double slope(double alpha, double r) {
  if (r == 0) return 0;  // its factor r r^T is 0
  return (2 * alpha / std::sqrt(units::pi) * std::exp(-alpha * alpha * r * r) - smooth_part(alpha, r)) / (r * r);
}

}  // namespace

WignerSeitzCell::WignerSeitzCell(const Lattice& lattice, const Int3& mesh, const Int3& grid)
    : mesh_(mesh),
      supercell_(supercell_of(lattice, mesh)),
      alpha_(ended / inner_radius(supercell_)),
      points_(points_of(supercell_, mesh, grid)),
      values_(transform([this](const Nearest& point) { return smooth_part(alpha_, point.distance); })) {}

double WignerSeitzCell::bytes(const Lattice& lattice, const Int3& mesh, const Int3& grid) {
  const Int3 points = points_of(supercell_of(lattice, mesh), mesh, grid);
  return static_cast<double>(points[0]) * points[1] * points[2] * sizeof(double);
}

template <class Function>
WignerSeitzCell::Field WignerSeitzCell::transform(const Function& function) const {
  const BoxFft fft(points_, PlanEffort::estimate);
  AlignedVector<BoxFft::Complex> box(static_cast<std::size_t>(fft.points()));
  const Vec3 steps = reach(supercell_, outer_radius(supercell_));
  std::size_t place = 0;
  for (int x = 0; x < points_[0]; ++x)
    for (int y = 0; y < points_[1]; ++y)
      for (int z = 0; z < points_[2]; ++z) {
        const Vec3 u{static_cast<double>(x) / points_[0], static_cast<double>(y) / points_[1],
                     static_cast<double>(z) / points_[2]};
        box[place++] = function(nearest(supercell_, u, steps));
      }
  BoxFft::Workspace work = fft.workspace();
  fft.forward(box.data(), work);
  const double weight = supercell_.volume() / static_cast<double>(fft.points());
  Field field(box.size());
  std::transform(box.begin(), box.end(), field.begin(), [&](const auto& value) { return weight * value.real(); });
  return field;
}

double WignerSeitzCell::at(const Field& field, const Vec3& q) const {
  std::array<Index, 3> place{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto wave = static_cast<Index>(std::lround(q[i] * mesh_[i]));
    place[i] = (wave % points_[i] + points_[i]) % points_[i];
  }
  return field[static_cast<std::size_t>((place[0] * points_[1] + place[1]) * points_[2] + place[2])];
}

Mat3 WignerSeitzCell::strain(const Vec3& q) const {
  if (strains_.empty())
    for (const auto& [a, b] : components)
      strains_.push_back(transform([&, a = a, b = b](const Nearest& point) {
        return slope(alpha_, point.distance) * point.square[a][b] +
               (a == b ? smooth_part(alpha_, point.distance) : 0.0);
      }));
  Mat3 result{};
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto [a, b] = components[i];
    result[a][b] = result[b][a] = at(strains_[i], q);
  }
  return result;
}

}  // namespace wavegrid
