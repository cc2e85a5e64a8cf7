// Products of small replicated matrices.
#pragma once

#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// A B. Pure.
template <class S>
[[nodiscard]] Matrix<S> times(const Matrix<S>& a, const Matrix<S>& b) {
  Matrix<S> c(a.rows(), b.columns());
  for (Index j = 0; j < b.columns(); ++j)
    for (Index p = 0; p < a.columns(); ++p)
      for (Index i = 0; i < a.rows(); ++i) c(i, j) += a(i, p) * b(p, j);
  return c;
}
/// A^+. Pure.
template <class S>
[[nodiscard]] Matrix<S> adjoint(const Matrix<S>& a) {
  Matrix<S> b(a.columns(), a.rows());
  for (Index j = 0; j < a.columns(); ++j)
    for (Index i = 0; i < a.rows(); ++i) b(j, i) = conjugate(a(i, j));
  return b;
}
/// a += factor b.
template <class S>
void add(double factor, const Matrix<S>& b, Matrix<S>& a) {
  for (Index i = 0; i < a.size(); ++i) a.data()[i] += static_cast<RealOf<S>>(factor) * b.data()[i];
}

}  // namespace wavegrid
