#include <algorithm>
#include <complex>
#include <utility>

#include <wavegrid/calculation/shell_occupations.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/terms/shell_components.hpp>

namespace wavegrid {

namespace {

using Square = Matrix<std::complex<double>>;

/// (N + M . sigma) / 2 over both spins.
Square over_spins(const std::vector<Square>& n) {
  const Index size = n[0].rows();
  const std::complex<double> i_unit(0, 1);
  Square all(2 * size, 2 * size);
  for (Index j = 0; j < size; ++j)
    for (Index i = 0; i < size; ++i) {
      all(i, j) = 0.5 * (n[0](i, j) + n[3](i, j));
      all(size + i, size + j) = 0.5 * (n[0](i, j) - n[3](i, j));
      all(i, size + j) = 0.5 * (n[1](i, j) + i_unit * n[2](i, j));
      all(size + i, j) = 0.5 * (n[1](i, j) - i_unit * n[2](i, j));
    }
  return all;
}

std::vector<std::vector<double>> rows_of(const Square& matrix, bool imaginary) {
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(matrix.rows()));
  for (Index j = 0; j < matrix.columns(); ++j)
    for (Index i = 0; i < matrix.rows(); ++i)
      rows[static_cast<std::size_t>(i)].push_back(imaginary ? matrix(i, j).imag() : matrix(i, j).real());
  return rows;
}

std::vector<double> eigenvalues(Square matrix) {
  const Index n = matrix.rows();
  std::vector<double> values(static_cast<std::size_t>(n));
  Square vectors(n, n);
  lapack::eigen<std::complex<double>>(n, matrix.data(), n, n, values.data(), vectors.data(), n);
  return values;
}

}  // namespace

std::vector<ShellOccupations> shell_occupations(const Crystal& crystal, const Pseudopotentials& atoms,
                                                const SpinMatrices& components) {
  std::vector<ShellOccupations> all;
  for (const AtomShell& one : hubbard_shells(crystal, atoms)) {
    ShellOccupations& found = all.emplace_back(ShellOccupations{one.atom, one.shell.setting.shell});
    std::vector<Square> matrices = shell_components(one, components);
    const bool of_spinors = matrices.size() == 4;
    if (of_spinors) matrices = {over_spins(matrices)};
    matrices.resize(std::min(matrices.size(), components.size()));
    for (Square& matrix : matrices) {
      found.matrices.push_back(rows_of(matrix, false));
      if (of_spinors) found.matrices.push_back(rows_of(matrix, true));
      found.eigenvalues.push_back(eigenvalues(std::move(matrix)));
    }
  }
  return all;
}

}  // namespace wavegrid
