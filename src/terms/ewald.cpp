#include "terms/ewald.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/units.hpp"

namespace wavegrid {
namespace {

constexpr double reach = 6.3;                 // both sums stop where exp(-reach^2) = 6e-18
constexpr double pair_per_phase_cost = 32.0;  // time of one erfc pair / one phase product (measured)

struct Ions {
  const Lattice& lattice;
  const std::vector<Vec3>& positions;  // fractional
  const std::vector<double>& charges;
  double eta;
};

void check(const std::vector<Vec3>& positions, const std::vector<double>& charges, int part, int parts) {
  if (positions.size() != charges.size())
    throw bad_input("ewald_energy: " + std::to_string(positions.size()) + " positions but " +
                    std::to_string(charges.size()) + " charges; give one charge per position");
  if (parts < 1 || part < 0 || part >= parts)
    throw bad_input("ewald_energy: part " + std::to_string(part) + " of " + std::to_string(parts) +
                    "; valid is 0 <= part < parts");
}

/// The eta at which N^2 reach^3 pairs within the cutoff cost as much as the N * (half sphere) phase products.
double balanced_eta(const Lattice& lattice, std::size_t num_ions) {
  const double n = static_cast<double>(num_ions);
  return units::pi * std::cbrt(pair_per_phase_cost * n) / std::pow(lattice.volume(), 2.0 / 3.0);
}

/// Integers n with |f + n| <= bound, as a half-open range.
Range images(double f, double bound) {
  return {static_cast<Index>(std::ceil(-bound - f)), static_cast<Index>(std::floor(bound - f)) + 1};
}

/// sum over lattice vectors R of erfc(sqrt(eta) r) / r, r = |separation + R|; R = 0 is left out for an ion and itself.
double pair_sum(const Ions& ions, const Vec3& separation, bool same_ion) {
  const double root_eta = std::sqrt(ions.eta);
  const double cutoff = reach / root_eta;
  std::array<Range, 3> n;
  for (std::size_t k = 0; k < 3; ++k)
    n[k] = images(separation[k], cutoff * norm(ions.lattice.reciprocal()[k]) / (2.0 * units::pi));
  double sum = 0.0;
  for (Index i = n[0].begin; i < n[0].end; ++i)
    for (Index j = n[1].begin; j < n[1].end; ++j)
      for (Index k = n[2].begin; k < n[2].end; ++k) {
        if (same_ion && i == 0 && j == 0 && k == 0) continue;
        const Vec3 shift{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
        const double r2 = norm2(ions.lattice.cartesian(separation + shift));
        if (r2 > cutoff * cutoff) continue;
        const double r = std::sqrt(r2);
        sum += std::erfc(root_eta * r) / r;
      }
  return sum;
}

[[noreturn]] void throw_coincident(std::size_t i, std::size_t j) {
  throw bad_input("atoms " + std::to_string(i + 1) + " and " + std::to_string(j + 1) +
                  " sit on the same point of the lattice; give every atom its own position");
}

double real_space_energy(const Ions& ions, int part, int parts) {
  double energy = 0.0;
  const auto first = static_cast<std::size_t>(part);
  for (std::size_t i = first; i < ions.positions.size(); i += static_cast<std::size_t>(parts)) {
    double potential = 0.5 * ions.charges[i] * pair_sum(ions, {0.0, 0.0, 0.0}, true);
    for (std::size_t j = 0; j < i; ++j) {
      Vec3 separation = ions.positions[i] - ions.positions[j];
      for (double& s : separation) s -= std::round(s);
      if (norm(ions.lattice.cartesian(separation)) < 1e-6) throw_coincident(i, j);
      potential += ions.charges[j] * pair_sum(ions, separation, false);
    }
    energy += ions.charges[i] * potential;
  }
  return energy;
}

/// cos and sin of 2 pi n f for all ions, one array per n: entry [n * num_ions + ion], n = 0..count-1.
struct Phases {
  std::vector<double> cosine, sine;

  Phases(const std::vector<Vec3>& positions, std::size_t axis, std::size_t count)
      : cosine(count * positions.size(), 1.0), sine(count * positions.size(), 0.0) {
    const std::size_t num = positions.size();
    for (std::size_t ion = 0; ion < num; ++ion) {
      const double angle = 2.0 * units::pi * positions[ion][axis];
      const double c = std::cos(angle), s = std::sin(angle);
      for (std::size_t n = 1; n < count; ++n) {
        const double before_c = cosine[(n - 1) * num + ion], before_s = sine[(n - 1) * num + ion];
        cosine[n * num + ion] = before_c * c - before_s * s;
        sine[n * num + ion] = before_c * s + before_s * c;
      }
    }
  }
};

/// One line of G vectors (n1, n2, all n3): charges times the phases of the first two axes.
struct Line {
  std::vector<double> cosine, sine;
};

void set_line(const Ions& ions, const Phases& x, const Phases& y, int n1, int n2, Line& line) {
  const std::size_t num = ions.charges.size();
  const std::size_t at_x = static_cast<std::size_t>(n1) * num, at_y = static_cast<std::size_t>(std::abs(n2)) * num;
  const double sign = n2 < 0 ? -1.0 : 1.0;
  for (std::size_t i = 0; i < num; ++i) {
    const double cx = x.cosine[at_x + i], sx = x.sine[at_x + i];
    const double cy = y.cosine[at_y + i], sy = sign * y.sine[at_y + i];
    line.cosine[i] = ions.charges[i] * (cx * cy - sx * sy);
    line.sine[i] = ions.charges[i] * (cx * sy + sx * cy);
  }
}

/// |S|^2 at +n3 and at -n3.
std::array<double, 2> structure_factors(const Line& line, const Phases& z, int n3) {
  const std::size_t num = line.cosine.size();
  const double* a = line.cosine.data();
  const double* b = line.sine.data();
  const double* c = z.cosine.data() + static_cast<std::size_t>(n3) * num;
  const double* s = z.sine.data() + static_cast<std::size_t>(n3) * num;
  double ac = 0.0, bs = 0.0, as = 0.0, bc = 0.0;
#pragma omp simd reduction(+ : ac, bs, as, bc)
  for (std::size_t i = 0; i < num; ++i) {
    ac += a[i] * c[i];
    bs += b[i] * s[i];
    as += a[i] * s[i];
    bc += b[i] * c[i];
  }
  return {(ac - bs) * (ac - bs) + (as + bc) * (as + bc), (ac + bs) * (ac + bs) + (bc - as) * (bc - as)};
}

/// sum of exp(-G^2 / 4 eta) / G^2 |S(G)|^2 over the part of one line that lies in the half space and the sphere.
double line_energy(const Ions& ions, const Line& line, const Phases& z, const Int3& limit, int n1, int n2) {
  const double four_eta = 4.0 * ions.eta, g2_max = reach * reach * four_eta;
  const auto weight = [&](int n3) {
    const double g2 =
        norm2(ions.lattice.g_vector({static_cast<double>(n1), static_cast<double>(n2), static_cast<double>(n3)}));
    return g2 > g2_max ? 0.0 : std::exp(-g2 / four_eta) / g2;
  };
  const bool on_axis = n1 == 0 && n2 == 0;
  double sum = 0.0;
  for (int n3 = on_axis ? 1 : 0; n3 <= limit[2]; ++n3) {
    const double up = weight(n3), down = on_axis || n3 == 0 ? 0.0 : weight(-n3);
    if (up == 0.0 && down == 0.0) continue;
    const auto s2 = structure_factors(line, z, n3);
    sum += up * s2[0] + down * s2[1];
  }
  return sum;
}

double reciprocal_energy(const Ions& ions, int part, int parts) {
  const double g_max = 2.0 * std::sqrt(ions.eta) * reach;
  Int3 limit{};
  for (std::size_t k = 0; k < 3; ++k)
    limit[k] = static_cast<int>(g_max * norm(ions.lattice.vectors()[k]) / (2.0 * units::pi));
  const auto table = [&](std::size_t k) { return Phases(ions.positions, k, static_cast<std::size_t>(limit[k]) + 1); };
  const Phases x = table(0), y = table(1), z = table(2);
  Line line{std::vector<double>(ions.charges.size()), std::vector<double>(ions.charges.size())};
  double sum = 0.0;
  Index count = 0;
  for (int n1 = 0; n1 <= limit[0]; ++n1)
    for (int n2 = n1 == 0 ? 0 : -limit[1]; n2 <= limit[1]; ++n2) {
      if (count++ % parts != part) continue;
      set_line(ions, x, y, n1, n2, line);
      sum += line_energy(ions, line, z, limit, n1, n2);
    }
  return 4.0 * units::pi / ions.lattice.volume() * sum;  // twice 2 pi / V: the other half space
}

double constant_energy(const Ions& ions) {
  const double total = std::accumulate(ions.charges.begin(), ions.charges.end(), 0.0);
  const double squares = std::inner_product(ions.charges.begin(), ions.charges.end(), ions.charges.begin(), 0.0);
  return -std::sqrt(ions.eta / units::pi) * squares -
         units::pi / (2.0 * ions.eta * ions.lattice.volume()) * total * total;
}

}  // namespace

double ewald_energy(const Lattice& lattice, const std::vector<Vec3>& fractional_positions,
                    const std::vector<double>& charges, int part, int parts, double eta) {
  check(fractional_positions, charges, part, parts);
  if (charges.empty()) return 0.0;
  const Ions ions{lattice, fractional_positions, charges, eta > 0.0 ? eta : balanced_eta(lattice, charges.size())};
  const double shared = part == 0 ? constant_energy(ions) : 0.0;
  return real_space_energy(ions, part, parts) + reciprocal_energy(ions, part, parts) + shared;
}

}  // namespace wavegrid
