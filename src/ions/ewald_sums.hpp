// Used by the Ewald energy and its derivatives only: the cutoffs of the two sums, and the phases of all ions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/index.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/lattice.hpp>

namespace wavegrid::ewald_sums {

inline constexpr double reach = 6.3;                 // both sums end where exp(-reach^2) = 6e-18
inline constexpr double pair_per_phase_cost = 32.0;  // time of one erfc pair / one phase product (measured)

struct Ions {
  const Lattice& lattice;
  const std::vector<Vec3>& positions;  // fractional
  const std::vector<double>& charges;
  double eta;
};

inline void check(const std::vector<Vec3>& positions, const std::vector<double>& charges, int part, int parts) {
  if (positions.size() != charges.size())
    throw bad_input("Ewald sum: " + std::to_string(positions.size()) + " positions but " +
                    std::to_string(charges.size()) + " charges; give one charge per position");
  if (parts < 1 || part < 0 || part >= parts)
    throw bad_input("Ewald sum: part " + std::to_string(part) + " of " + std::to_string(parts) +
                    "; valid is 0 <= part < parts");
}

/// The eta at which N^2 reach^3 pairs within the cutoff take as long as the N * (half sphere) phase products.
[[nodiscard]] inline double balanced_eta(const Lattice& lattice, std::size_t num_ions) {
  const double n = static_cast<double>(num_ions);
  return units::pi * std::cbrt(pair_per_phase_cost * n) / std::pow(lattice.volume(), 2.0 / 3.0);
}

/// Integers n with |f + n| <= bound, as a half-open range.
[[nodiscard]] inline Range images(double f, double bound) {
  return {static_cast<Index>(std::ceil(-bound - f)), static_cast<Index>(std::floor(bound - f)) + 1};
}

/// Calls action(r) for the vectors separation + R within the cutoff of the real-space sum, in bohr, for all lattice
/// vectors R; R = 0 is left out for an ion and itself. `separation` fractional.
template <class Action>
void for_images(const Ions& ions, const Vec3& separation, bool same_ion, Action action) {
  const double cutoff = reach / std::sqrt(ions.eta);
  std::array<Range, 3> n;
  for (std::size_t k = 0; k < 3; ++k)
    n[k] = images(separation[k], cutoff * norm(ions.lattice.reciprocal()[k]) / (2.0 * units::pi));
  for (Index i = n[0].begin; i < n[0].end; ++i)
    for (Index j = n[1].begin; j < n[1].end; ++j)
      for (Index k = n[2].begin; k < n[2].end; ++k) {
        if (same_ion && i == 0 && j == 0 && k == 0) continue;
        const Vec3 shift{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
        const Vec3 r = ions.lattice.cartesian(separation + shift);
        if (norm2(r) <= cutoff * cutoff) action(r);
      }
}

/// Fractional separation of two ions, folded to the nearest image along each axis. Throws bad_input if they coincide.
[[nodiscard]] inline Vec3 separation_of(const Ions& ions, std::size_t i, std::size_t j) {
  Vec3 separation = ions.positions[i] - ions.positions[j];
  for (double& s : separation) s -= std::round(s);
  if (norm(ions.lattice.cartesian(separation)) < 1e-6)
    throw bad_input("atoms " + std::to_string(i + 1) + " and " + std::to_string(j + 1) +
                    " are at the same position; give every atom a position of its own");
  return separation;
}

/// The largest integer coordinates of the reciprocal sum.
[[nodiscard]] inline Int3 reciprocal_limit(const Ions& ions) {
  Int3 limit{};
  for (std::size_t k = 0; k < 3; ++k)
    limit[k] =
        static_cast<int>(2.0 * std::sqrt(ions.eta) * reach * norm(ions.lattice.vectors()[k]) / (2.0 * units::pi));
  return limit;
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

inline void set_line(const Ions& ions, const Phases& x, const Phases& y, int n1, int n2, Line& line) {
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

}  // namespace wavegrid::ewald_sums
