#include <algorithm>
#include <cmath>
#include <complex>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/index.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/ions/coulomb_kernel.hpp>
#include <wavegrid/ions/mixed_boundaries.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

constexpr double root_eta = 0.5;  ///< 1/bohr: pairs up to 12.6 bohr, waves up to 6.3/bohr
constexpr double reach = 6.3;     ///< both sums end where exp(-reach^2) = 6e-18

/// m += factor a a^T
void add_square(double factor, const Vec3& a, Mat3& m) {
  for (std::size_t i = 0; i < 3; ++i) m[i] = m[i] + (factor * a[i]) * a;
}

struct ChargesInCell {
  const Lattice& lattice;
  std::array<bool, 3> periodic;
  const std::vector<Vec3>& positions;
  const std::vector<double>& charges;
};

/// Adds the interactions that end at short distances.
void add_pairs(const ChargesInCell& ions, int part, int parts, ClusterEnergy& sum) {
  constexpr double cutoff = reach / root_eta;
  const CoulombKernel directions(ions.lattice, ions.periodic, 0.0);
  std::array<int, 3> most{};
  for (std::size_t d = 0; d < 3; ++d) {
    double farthest = 0;  // difference of two fractional coordinates
    for (const Vec3& r : ions.positions)
      farthest = std::max(farthest, std::abs(dot(r - ions.positions[0], ions.lattice.reciprocal()[d])) / units::pi);
    if (ions.periodic[d])
      most[d] = static_cast<int>(cutoff * norm(ions.lattice.reciprocal()[d]) / (2 * units::pi) + farthest) + 1;
  }
  const std::size_t count = ions.positions.size();
  for (std::size_t i = static_cast<std::size_t>(part); i < count; i += static_cast<std::size_t>(parts))
    for (std::size_t j = 0; j < count; ++j)
      for (int x = -most[0]; x <= most[0]; ++x)
        for (int y = -most[1]; y <= most[1]; ++y)
          for (int z = -most[2]; z <= most[2]; ++z) {
            if (i == j && x == 0 && y == 0 && z == 0) continue;
            const Vec3 image{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
            const Vec3 between = ions.positions[i] - ions.positions[j] - ions.lattice.cartesian(image);
            const double r = norm(between);
            if (r > cutoff) continue;
            if (r < 1e-6)
              throw bad_input("atoms " + std::to_string(i + 1) + " and " + std::to_string(j + 1) +
                              " are at the same position; give every atom a position of its own");
            const double product = ions.charges[i] * ions.charges[j], x_eta = root_eta * r;
            const double screened = std::erfc(x_eta) / r;
            sum.energy += 0.5 * product * screened;
            const double slope = screened + 2 * root_eta / std::sqrt(units::pi) * std::exp(-x_eta * x_eta);
            sum.forces[i] = sum.forces[i] + (product * slope / (r * r)) * between;
            add_square(-0.5 * product * slope / (r * r), directions.along(between), sum.strain);
          }
}

/// A box with the periodic vectors, and normal to them vectors as long as the positions and the cutoff radius need.
struct Box {
  Mat3 vectors{};
  double radius = 0;
};

/// Vectors of length 1, those of the free directions normal to each other and to all periodic ones.
Mat3 directions_of(const ChargesInCell& ions) {
  Mat3 found{};
  std::vector<Vec3> normal;
  for (const bool free : {false, true})
    for (std::size_t d = 0; d < 3; ++d) {
      if (ions.periodic[d] == free) continue;
      Vec3 rest = ions.lattice.vectors()[d];
      for (const Vec3& other : normal) rest = rest - dot(rest, other) * other;
      rest = (1 / norm(rest)) * rest;
      normal.push_back(rest);
      found[d] = rest;
    }
  return found;
}

Box box_of(const ChargesInCell& ions) {
  const Mat3 directions = directions_of(ions);
  Vec3 extents{};
  for (std::size_t d = 0; d < 3; ++d) {
    if (ions.periodic[d]) continue;
    double least = dot(ions.positions[0], directions[d]), most = least;
    for (const Vec3& r : ions.positions) {
      least = std::min(least, dot(r, directions[d]));
      most = std::max(most, dot(r, directions[d]));
    }
    extents[d] = most - least;
  }
  Box box{.radius = norm(extents) + reach / root_eta};
  for (std::size_t d = 0; d < 3; ++d)
    box.vectors[d] =
        ions.periodic[d] ? ions.lattice.vectors()[d] : (extents[d] + box.radius + reach / root_eta) * directions[d];
  return box;
}

/// exp(-2 pi i n f) of every ion for n = -limit .. limit, at [(n + limit) count + ion].
std::vector<Complex> phases_of(const std::vector<double>& fractions, int limit) {
  std::vector<Complex> phases;
  for (int n = -limit; n <= limit; ++n)
    for (const double f : fractions) phases.push_back(std::polar(1.0, -2 * units::pi * n * f));
  return phases;
}

/// Adds the interactions of Gaussian charges: sum over half of all G, the others are their conjugates.
void add_waves(const ChargesInCell& ions, int part, int parts, ClusterEnergy& sum) {
  const Box padded = box_of(ions);
  const Lattice box(padded.vectors);
  const CoulombKernel kernel(box, ions.periodic, padded.radius);
  constexpr double most_g = 2 * root_eta * reach;
  const std::size_t count = ions.positions.size();
  std::array<int, 3> limit{};
  std::array<std::vector<Complex>, 3> phases;
  for (std::size_t d = 0; d < 3; ++d) {
    limit[d] = static_cast<int>(most_g * norm(box.vectors()[d]) / (2 * units::pi));
    std::vector<double> fractions;
    for (const Vec3& r : ions.positions) fractions.push_back(dot(r, box.reciprocal()[d]) / (2 * units::pi));
    phases[d] = phases_of(fractions, limit[d]);
  }
  const auto phase = [&](std::size_t d, int n, std::size_t ion) {
    return phases[d][static_cast<std::size_t>(n + limit[d]) * count + ion];
  };
  std::vector<Complex> line(count), waves(count);
  double energy = 0;
  int number = 0;
  for (int x = 0; x <= limit[0]; ++x)
    for (int y = x == 0 ? 0 : -limit[1]; y <= limit[1]; ++y, ++number) {
      if (number % parts != part) continue;
      for (std::size_t i = 0; i < count; ++i) line[i] = ions.charges[i] * phase(0, x, i) * phase(1, y, i);
      for (int z = x == 0 && y == 0 ? 0 : -limit[2]; z <= limit[2]; ++z) {
        const Vec3 g = box.g_vector({static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
        if (norm(g) > most_g) continue;
        const double both = x == 0 && y == 0 && z == 0 ? 1 : 2;
        constexpr double spread = 1 / (4 * root_eta * root_eta);
        const double gaussian = both / box.volume() * std::exp(-spread * norm2(g)), weight = kernel(g) * gaussian;
        Complex all = 0;
        for (std::size_t i = 0; i < count; ++i) all += waves[i] = line[i] * phase(2, z, i);
        energy += 0.5 * weight * std::norm(all);
        add_square(std::norm(all) * (spread * weight - 0.5 * gaussian * kernel.slope(g)), kernel.along(g), sum.strain);
        for (std::size_t i = 0; i < count; ++i)
          sum.forces[i] = sum.forces[i] - weight * (std::conj(all) * waves[i]).imag() * g;
      }
    }
  sum.energy += energy;
  for (std::size_t i = 0; i < 3; ++i) {
    Vec3 unit{};
    unit[i] = 1;
    sum.strain[i] = sum.strain[i] - energy * kernel.along(unit);
  }
}

}  // namespace

ClusterEnergy mixed_boundary_energy(const Lattice& lattice, const std::array<bool, 3>& periodic,
                                    const std::vector<Vec3>& positions, const std::vector<double>& charges, int part,
                                    int parts) {
  if (positions.size() != charges.size())
    throw bad_input("there are " + std::to_string(positions.size()) + " positions for " +
                    std::to_string(charges.size()) + " charges; give one for each");
  if (periodic[0] && periodic[1] && periodic[2])
    throw bad_input("ions with mixed boundaries: all directions are periodic; valid: at most two");
  ClusterEnergy sum{.forces = std::vector<Vec3>(positions.size(), Vec3{0, 0, 0})};
  if (positions.empty()) return sum;
  const ChargesInCell ions{lattice, periodic, positions, charges};
  add_pairs(ions, part, parts, sum);
  add_waves(ions, part, parts, sum);
  if (part == 0)
    for (const double q : charges) sum.energy -= root_eta / std::sqrt(units::pi) * q * q;
  return sum;
}

}  // namespace wavegrid
