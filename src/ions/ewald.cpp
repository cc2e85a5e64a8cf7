#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/ions/ewald.hpp>
#include <wavegrid/ions/ewald_sums.hpp>

namespace wavegrid {
namespace {

using namespace ewald_sums;

/// sum of erfc(sqrt(eta) r) / r over the images of a separation.
double pair_sum(const Ions& ions, const Vec3& separation, bool same_ion) {
  const double root_eta = std::sqrt(ions.eta);
  double sum = 0.0;
  for_images(ions, separation, same_ion, [&](const Vec3& vector) {
    const double r = norm(vector);
    sum += std::erfc(root_eta * r) / r;
  });
  return sum;
}

double real_space_energy(const Ions& ions, int part, int parts) {
  double energy = 0.0;
  const auto first = static_cast<std::size_t>(part);
  for (std::size_t i = first; i < ions.positions.size(); i += static_cast<std::size_t>(parts)) {
    double potential = 0.5 * ions.charges[i] * pair_sum(ions, {0.0, 0.0, 0.0}, true);
    for (std::size_t j = 0; j < i; ++j) potential += ions.charges[j] * pair_sum(ions, separation_of(ions, i, j), false);
    energy += ions.charges[i] * potential;
  }
  return energy;
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
  const Int3 limit = reciprocal_limit(ions);
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
