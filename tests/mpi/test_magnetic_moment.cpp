// The magnetic moment of electrons in time: a molecule and its mirror image have opposite ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "propagation_case.hpp"

namespace wavegrid::test_magnetic_moment {
namespace {

using namespace test_propagation;

/// A chain of four sodium atoms, twisted by an angle about its middle bond.
Problem twisted(double angle) {
  constexpr double length = 5.6, out = 2.4, across = 4.8;  // bohr
  Problem p = on_mesh(false);
  const double box = 20, half = 0.5 * angle;
  const std::vector<Vec3> places{{-0.5 * length - out, across * std::cos(half), across * std::sin(half)},
                                 {-0.5 * length, 0, 0},
                                 {0.5 * length, 0, 0},
                                 {0.5 * length + out, across * std::cos(half), -across * std::sin(half)}};
  p.crystal.lattice = Lattice({{{box, 0, 0}, {0, box, 0}, {0, 0, box}}});
  p.crystal.atoms.clear();
  for (const Vec3& r : places) p.crystal.atoms.push_back({0, {0.5 + r[0] / box, 0.4 + r[1] / box, 0.5 + r[2] / box}});
  p.grid = {24, 24, 24};
  p.bands = 2;
  p.scf.energy_tolerance = 1e-13;
  return p;
}

/// Three protons and two electrons, all within the cell: no mirror image, but a moment after a kick.
Problem triangle(bool mesh) {
  Problem p = hydrogen();
  p.crystal.atoms = {{0, {0.5 - 1.2 / 14, 0.5, 0.45}}, {0, {0.5 + 1.2 / 14, 0.5, 0.45}}, {0, {0.5, 0.5, 0.57}}};
  p.charge = 1;
  p.scf.energy_tolerance = 1e-13;
  p.ecut = 12;
  p.grid = {45, 45, 48};
  if (!mesh) return p;
  p.ecut = 0;
  p.grid = {28, 28, 30};
  p.mesh_basis = on_mesh(false).mesh_basis;
  return p;
}

/// The moment at each time after a kick along an axis, (e hbar/m_e) per momentum.
std::vector<Vec3> moments(const Problem& problem, Gauge gauge, std::size_t axis, int count, double timestep) {
  Session session(Comm::world(), problem);
  (void)session.solve();
  Propagation options = steps(count, timestep);
  options.tolerance = 1e-8;
  options.magnetic_moment = true;
  options.kick = Kick{{}, gauge};
  options.kick->momentum[axis] = 0.01;
  std::vector<Vec3> found;
  (void)session.propagate(options,
                          [&](const PropagationStep& step) { found.push_back(100.0 * *step.magnetic_moment); });
  return found;
}

/// The trace over kicks along x, y and z.
std::vector<double> traces(const Problem& problem) {
  std::vector<double> sums(21);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<Vec3> of_axis = moments(problem, Gauge::dipole, axis, 20, 0.5);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += of_axis[i][axis];
  }
  return sums;
}

TEST(MagneticMoment, IsOppositeInAMirrorImage) {
  const std::vector<double> one = traces(twisted(1.4)), image = traces(twisted(-1.4)), flat = traces(twisted(0));
  double most = 0;
  for (const double moment : one) most = std::max(most, std::abs(moment));
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_NEAR(one[i], -image[i], 0.03 * most);
    EXPECT_NEAR(flat[i], 0, 0.01 * most);
  }
  EXPECT_GT(most, 1e-3);
}

TEST(MagneticMoment, IsTheSameInPlaneWavesOnAMeshAndInBothGauges) {
  const std::vector<Vec3> mesh = moments(triangle(true), Gauge::dipole, 0, 8, 0.3),
                          waves = moments(triangle(false), Gauge::velocity, 0, 8, 0.3),
                          by_potential = moments(triangle(false), Gauge::dipole, 0, 8, 0.3);
  double most = 0;
  for (const Vec3& moment : mesh) most = std::max(most, norm(moment));
  EXPECT_LT(largest_difference(mesh, waves), 0.05 * most);
  EXPECT_LT(largest_difference(by_potential, waves), 0.05 * most);
  EXPECT_GT(most, 1e-3);
}

}  // namespace
}  // namespace wavegrid::test_magnetic_moment
