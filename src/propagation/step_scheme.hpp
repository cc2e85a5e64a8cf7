// Schemes of a time step in which H is replaced by constant sums of itself in each half:
//
//   psi(t + dt) = exp(-i dt/2 H_second) exp(-i dt/2 H_first) psi(t)
//
// Enforced time-reversal symmetry (A. Castro, M. A. L. Marques, A. Rubio, J. Chem. Phys. 121, 3425 (2004),
// 10.1063/1.1774980): H_first = H(t), H_second = H(t + dt); of second order, and a step back undoes a step.
//
// Commutator-free Magnus of fourth order (S. Blanes, P. C. Moan, Appl. Numer. Math. 56, 1519 (2006),
// 10.1016/j.apnum.2005.11.004): with H_1, H_2 at the Gauss points t + (1/2 -+ sqrt(3)/6) dt and a = 1/2 + 1/sqrt(3),
// H_first = a H_1 + (1 - a) H_2, H_second the reverse. Potentials at these points are those of the cubic polynomial
// through t + dt, t, t - dt and t - 2 dt.
//
// The implicit midpoint rule (implicit_midpoint.hpp): H of the middle in both halves, with the mean of the potentials
// at the ends, which is the derivative of the Hartree energy in the step.
#pragma once

#include <cstddef>
#include <vector>

namespace wavegrid {

/// H of one half of a step.
struct HalfStep {
  /// A time in units of the step, from its start, and a weight. The weights add up to 1.
  struct Part {
    double time, weight;
  };
  std::vector<double> potentials;  ///< weights of the potentials at the times 1, 0, -1, ... in these units
  std::vector<Part> fields;        ///< the same of a field from outside
};

struct StepScheme {
  HalfStep first, second;
  std::size_t history = 1;  ///< potentials that it needs, that of the start included
  /// Estimated relative error of a frequency w by steps of dt: factor (w dt)^order. The integral of an oscillating
  /// potential over a step has this error by the trapezoidal rule, or the cubic polynomial.
  int order = 2;
  double factor = 1.0 / 12;
  bool is_midpoint = false;  ///< instead of exponentials
};

/// Pure.
[[nodiscard]] StepScheme enforced_reversal();
[[nodiscard]] StepScheme magnus4();
[[nodiscard]] StepScheme implicit_midpoint();

}  // namespace wavegrid
