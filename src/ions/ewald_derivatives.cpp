#include <cmath>
#include <cstddef>
#include <numeric>

#include <wavegrid/ions/ewald_derivatives.hpp>
#include <wavegrid/ions/ewald_sums.hpp>

namespace wavegrid {
namespace {

using namespace ewald_sums;

void add_product(Mat3& sum, double factor, const Vec3& v) {
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) sum[a][b] += factor * v[a] * v[b];
}

void add_isotropic(Mat3& sum, double value) {
  for (std::size_t a = 0; a < 3; ++a) sum[a][a] += value;
}

/// (d/dr) (erfc(sqrt(eta) r) / r) / r
double slope_over_r(double eta, double r) {
  const double x = std::sqrt(eta) * r;
  return -(std::erfc(x) / r + 2.0 * std::sqrt(eta / units::pi) * std::exp(-x * x)) / (r * r);
}

void add_real_space(const Ions& ions, int part, int parts, EwaldDerivatives& sum) {
  for (auto i = static_cast<std::size_t>(part); i < ions.positions.size(); i += static_cast<std::size_t>(parts))
    for (std::size_t j = 0; j <= i; ++j) {
      const double product = (i == j ? 0.5 : 1.0) * ions.charges[i] * ions.charges[j];
      const Vec3 separation = i == j ? Vec3{0, 0, 0} : separation_of(ions, i, j);
      Vec3 force{0, 0, 0};
      for_images(ions, separation, i == j, [&](const Vec3& r) {
        const double slope = product * slope_over_r(ions.eta, norm(r));
        force = force - slope * r;
        add_product(sum.strain, slope, r);
      });
      if (i == j) continue;  // the forces of an ion's own images cancel
      sum.forces[i] = sum.forces[i] + force;
      sum.forces[j] = sum.forces[j] - force;
    }
}

/// The sums of one line of G vectors (n1, n2, all n3): forces with integer coordinates in place of G.
class LineSums {
 public:
  explicit LineSums(std::size_t ions) : flat_(ions), sloped_(ions), real_(ions), imaginary_(ions) {}

  void clear() {
    std::fill(flat_.begin(), flat_.end(), 0.0);
    std::fill(sloped_.begin(), sloped_.end(), 0.0);
  }

  /// Adds G = (n1, n2, n3) with `weight`; returns |T|^2.
  double add(const Line& line, const Phases& z, int n3, double weight) {
    const std::size_t num = flat_.size(), at = static_cast<std::size_t>(std::abs(n3)) * num;
    const double sign = n3 < 0 ? -1.0 : 1.0;
    const double* const c = z.cosine.data() + at;
    const double* const s = z.sine.data() + at;
    double real = 0, imaginary = 0;
#pragma omp simd reduction(+ : real, imaginary)
    for (std::size_t i = 0; i < num; ++i) {
      real_[i] = line.cosine[i] * c[i] - sign * line.sine[i] * s[i];
      imaginary_[i] = sign * line.cosine[i] * s[i] + line.sine[i] * c[i];
      real += real_[i];
      imaginary += imaginary_[i];
    }
#pragma omp simd
    for (std::size_t i = 0; i < num; ++i) {
      const double force = weight * (real * imaginary_[i] - imaginary * real_[i]);
      flat_[i] += force;
      sloped_[i] += n3 * force;
    }
    return real * real + imaginary * imaginary;
  }

  [[nodiscard]] Vec3 force(std::size_t ion, int n1, int n2) const {
    return {n1 * flat_[ion], n2 * flat_[ion], sloped_[ion]};
  }

 private:
  std::vector<double> flat_, sloped_, real_, imaginary_;
};

void add_reciprocal(const Ions& ions, int part, int parts, EwaldDerivatives& sum) {
  const Int3 limit = reciprocal_limit(ions);
  const double four_eta = 4.0 * ions.eta, g2_max = reach * reach * four_eta;
  const double scale = 4.0 * units::pi / ions.lattice.volume();  // twice 2 pi / V: the other half space
  const auto table = [&](std::size_t k) { return Phases(ions.positions, k, static_cast<std::size_t>(limit[k]) + 1); };
  const Phases x = table(0), y = table(1), z = table(2);
  Line line{std::vector<double>(ions.charges.size()), std::vector<double>(ions.charges.size())};
  LineSums sums(ions.charges.size());
  Index count = 0;
  for (int n1 = 0; n1 <= limit[0]; ++n1)
    for (int n2 = n1 == 0 ? 0 : -limit[1]; n2 <= limit[1]; ++n2) {
      if (count++ % parts != part) continue;
      set_line(ions, x, y, n1, n2, line);
      sums.clear();
      for (int n3 = n1 == 0 && n2 == 0 ? 1 : -limit[2]; n3 <= limit[2]; ++n3) {
        const Vec3 g =
            ions.lattice.g_vector({static_cast<double>(n1), static_cast<double>(n2), static_cast<double>(n3)});
        const double g2 = norm2(g);
        if (g2 > g2_max) continue;
        const double weight = scale * std::exp(-g2 / four_eta) / g2;
        const double energy = weight * sums.add(line, z, n3, weight);
        add_product(sum.strain, 2.0 * energy * (1.0 / four_eta + 1.0 / g2), g);
        add_isotropic(sum.strain, -energy);
      }
      for (std::size_t i = 0; i < ions.charges.size(); ++i)
        sum.forces[i] = sum.forces[i] + 2.0 * ions.lattice.g_vector(sums.force(i, n1, n2));
    }
}

/// The term of the background, -pi / (2 eta V) (sum q)^2.
void add_background(const Ions& ions, EwaldDerivatives& sum) {
  const double total = std::accumulate(ions.charges.begin(), ions.charges.end(), 0.0);
  add_isotropic(sum.strain, units::pi / (2.0 * ions.eta * ions.lattice.volume()) * total * total);
}

}  // namespace

EwaldDerivatives ewald_derivatives(const Lattice& lattice, const std::vector<Vec3>& fractional_positions,
                                   const std::vector<double>& charges, int part, int parts, double eta) {
  check(fractional_positions, charges, part, parts);
  EwaldDerivatives sum{std::vector<Vec3>(charges.size(), Vec3{0, 0, 0}), {}};
  if (charges.empty()) return sum;
  const Ions ions{lattice, fractional_positions, charges, eta > 0.0 ? eta : balanced_eta(lattice, charges.size())};
  add_real_space(ions, part, parts, sum);
  add_reciprocal(ions, part, parts, sum);
  if (part == 0) add_background(ions, sum);
  return sum;
}

}  // namespace wavegrid
