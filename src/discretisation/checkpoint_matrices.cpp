#include <wavegrid/discretisation/checkpoint_matrices.hpp>

namespace wavegrid {

namespace {

/// The Hermitian matrix of which `sum` is real and imaginary part.
Matrix<std::complex<double>> hermitian(const Matrix<std::complex<double>>& sum) {
  Matrix<std::complex<double>> result(sum.rows(), sum.columns());
  for (Index j = 0; j < sum.columns(); ++j)
    for (Index i = 0; i < sum.rows(); ++i) {
      const double element = sum(i, j).real(), transposed = sum(j, i).real();
      result(i, j) = {0.5 * (element + transposed), 0.5 * (element - transposed)};
    }
  return result;
}

}  // namespace

void set_matrices(const SpinMatrices& matrices, CheckpointHeader& header) {
  if (matrices.empty()) return;
  header.matrix_sizes.clear();
  header.matrices.clear();
  for (const auto& matrix : matrices[0]) header.matrix_sizes.push_back(static_cast<int>(matrix.rows()));
  for (const AtomMatrices& component : matrices)
    for (const auto& matrix : component)
      for (Index i = 0; i < matrix.rows(); ++i)
        for (Index j = 0; j < matrix.columns(); ++j)
          header.matrices.push_back(matrix(i, j).real() + matrix(i, j).imag());
}

SpinMatrices matrices_from(const CheckpointHeader& header) {
  SpinMatrices matrices;
  if (!header.has_overlap()) return matrices;
  auto next = header.matrices.begin();
  for (int field = 0; field < header.num_fields(); ++field) {
    AtomMatrices& component = matrices.emplace_back();
    for (const int size : header.matrix_sizes) {
      auto& matrix = component.emplace_back(size, size);
      for (Index i = 0; i < size; ++i)
        for (Index j = 0; j < size; ++j) matrix(i, j) = *next++;
      if (header.components == 2) matrix = hermitian(matrix);
    }
  }
  return matrices;
}

}  // namespace wavegrid
