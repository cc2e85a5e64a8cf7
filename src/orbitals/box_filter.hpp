// Operators that are diagonal in the waves of a box, on functions in a smaller box inside.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/fock/pair_fft.hpp>
#include <wavegrid/linalg/scalar.hpp>
#include <wavegrid/orbitals/common_points.hpp>

namespace wavegrid {

/// S: double, where operators are even in the waves and functions real, or complex. Local.
template <class S>
class BoxFilter {
 public:
  using Complex = std::complex<double>;

  BoxFilter(const Int3& size, PlanEffort effort) : fft_(size, size, effort), work_(fft_.workspace()) {}

  [[nodiscard]] Index points() const { return fft_.points(); }
  /// What an operator multiplies the waves with, as apply() takes it.
  [[nodiscard]] std::vector<double> kernel(std::vector<double> factors) const;
  /// to (functions, points of the box) = A from (functions, `inside` points of the smaller box). `place`: the points of
  /// the smaller box, `a` in the box, `b` in it.
  void apply(std::span<const double> kernel, const std::vector<CommonRun>& place, Index inside, std::span<const S> from,
             std::span<S> to);

 private:
  PairFft<double> fft_;
  PairFft<double>::Workspace work_;
  AlignedVector<Complex> values_;
};

}  // namespace wavegrid
