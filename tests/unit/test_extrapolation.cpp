// Weights of earlier geometries for a new one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numeric>

#include <wavegrid/discretisation/extrapolation.hpp>

namespace wavegrid::test_extrapolation {

/// Two atoms, the second one at x (fractional) in a cubic cell of this edge.
Crystal at(double x, double edge = 10.0) {
  return {Lattice({{{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}}}),
          {"Si"},
          {{0, {0, 0, 0}}, {0, {x, 0.5 + 0.1 * x * x, 0.5 + 0.1 * x * x * x}}}};
}

std::vector<double> weights(const Crystal& now, const std::vector<Crystal>& earlier, double noise = 0.0) {
  std::vector<const Crystal*> pointers;
  for (const Crystal& one : earlier) pointers.push_back(&one);
  return extrapolation_weights(now, pointers, noise);
}

TEST(Extrapolation, EqualStepsGivePolynomials) {
  const std::vector<double> linear = weights(at(0.2), {at(0.1), at(0.0)});
  EXPECT_NEAR(linear[0], 2.0, 0.01);
  EXPECT_NEAR(linear[1], -1.0, 0.01);
  const std::vector<double> quadratic = weights(at(0.3), {at(0.2), at(0.1), at(0.0)});
  EXPECT_NEAR(quadratic[0], 3.0, 0.2);
  EXPECT_NEAR(quadratic[1], -3.0, 0.4);
  EXPECT_NEAR(quadratic[2], 1.0, 0.2);
}

TEST(Extrapolation, AGeometryThatIsKnownGetsAllWeight) {
  const std::vector<double> c = weights(at(0.1), {at(0.2), at(0.1), at(0.05)});
  EXPECT_NEAR(c[0], 0.0, 1e-3);
  EXPECT_NEAR(c[1], 1.0, 1e-3);
}

TEST(Extrapolation, WeightsAddUpToOneWithNoise) {
  for (const double noise : {0.0, 1e-6, 1e-2, 1e6}) {
    const std::vector<double> c = weights(at(0.31), {at(0.2), at(0.13), at(0.02), at(0.0)}, noise);
    EXPECT_NEAR(std::accumulate(c.begin(), c.end(), 0.0), 1.0, 1e-10);
  }
  const std::vector<double> all_noise = weights(at(0.3), {at(0.2), at(0.1)}, 1e9);
  EXPECT_NEAR(all_noise[0], 0.5, 1e-3);
}

TEST(Extrapolation, MatricesAreThoseOfTheSameWeights) {
  GeometryHistory<std::vector<double>> history(0.0);
  const auto matrices = [](double value) {
    Matrix<std::complex<double>> matrix(1, 1);
    matrix(0, 0) = value;
    return SpinMatrices{{matrix, Matrix<std::complex<double>>(0, 0)}};
  };
  history.add(at(0.0), {{0.0}}, matrices(1.0));
  EXPECT_EQ(history.matrices(at(0.3))[0][0](0, 0), 1.0);
  history.add(at(0.1), {{0.0}}, matrices(1.5));
  const SpinMatrices found = history.matrices(at(0.2));
  EXPECT_NEAR(found[0][0](0, 0).real(), 2.0, 0.01);
  EXPECT_EQ(found[0][1].rows(), 0);
}

TEST(Extrapolation, AtomsMoveToTheNearestImage) {
  const auto on_line = [](double x) {
    Crystal crystal = at(0.0);
    crystal.atoms[1].position[0] = x;
    return crystal;
  };
  const std::vector<double> c = weights(on_line(0.03), {on_line(0.99), on_line(0.95)});
  EXPECT_NEAR(c[0], 2.0, 1e-3);
}

TEST(Extrapolation, TheCellCountsToo) {
  const std::vector<double> c = weights(at(0.0, 10.2), {at(0.0, 10.1), at(0.0, 10.0)});
  EXPECT_NEAR(c[0], 2.0, 1e-3);
  EXPECT_NEAR(c[1], -1.0, 1e-3);
}

}  // namespace wavegrid::test_extrapolation
