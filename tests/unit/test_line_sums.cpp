// Sums of phases over many atoms by transforms of lines, against the sum of each G.
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/crystal/line_sums.hpp>
#include <wavegrid/crystal/structure_factor.hpp>

#include "spheres.hpp"

namespace wavegrid::test_line_sums {
namespace {

using Complex = std::complex<double>;

std::vector<Vec3> positions(int count) {
  std::vector<Vec3> all{{0, 0, 0}, {0.5, -0.25, 1 - 1e-12}, {1e-14, 3, -1e-9}};
  for (int a = 0; static_cast<int>(all.size()) < count; ++a)
    all.push_back({random_at({a, 0}), random_at({a, 1}), 2 * random_at({a, 2})});
  return all;
}

/// The largest difference, relative to the sum of the absolute factors.
double largest_error(const PlaneWaves& waves, const std::vector<Vec3>& at, const std::vector<double>& factors) {
  const std::vector<Complex> found = line_sums(waves, at, factors);
  double worst = 0, all = 0;
  std::vector<Complex> sum(found.size()), phases(found.size());
  for (std::size_t a = 0; a < at.size(); ++a) {
    atom_phases(waves, at[a], phases.data());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factors[a] * phases[i];
    all += std::abs(factors[a]);
  }
  for (std::size_t i = 0; i < sum.size(); ++i) worst = std::max(worst, std::abs(found[i] - sum[i]));
  return worst / all;
}

TEST(LineSums, AreTheSumsOfEachWave) {
  const std::vector<Vec3> at = positions(40);
  std::vector<double> factors;
  for (std::size_t a = 0; a < at.size(); ++a) factors.push_back(random_at({static_cast<Index>(a), 7}));
  const Lattice chain({{{6, 0.5, 0}, {0, 7, 1}, {1, 0, 90}}});
  for (const GSphere& sphere :
       {GSphere::box(chain, {6, 7, 90}), skewed_sphere(Mode::gamma), GSphere::box(chain, {9, 8, 64})})
    for (int part = 0; part < 2; ++part) {
      const PlaneWaves waves(sphere, make_partition(Scheme::greedy, sphere.counts(), sphere.grid()[0], 2), part);
      EXPECT_LT(largest_error(waves, at, factors), 1e-13);
    }
}

TEST(LineSums, PayForManyAtoms) {
  const GSphere box = GSphere::box(Lattice({{{9, 0, 0}, {0, 9, 0}, {0, 0, 900}}}), {24, 24, 2400});
  const PlaneWaves waves(box, make_partition(Scheme::greedy, box.counts(), 24, 4), 0);
  EXPECT_FALSE(line_sums_pay(waves, 100));
  EXPECT_TRUE(line_sums_pay(waves, 1000));
}

}  // namespace
}  // namespace wavegrid::test_line_sums
