#include <algorithm>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/real_harmonics.hpp>
#include <wavegrid/basis/sphere_quadrature.hpp>
#include <wavegrid/terms/hubbard_energy.hpp>

namespace wavegrid {

namespace {

double trace(const Matrix<std::complex<double>>& n) {
  double sum = 0;
  for (Index i = 0; i < n.rows(); ++i) sum += n(i, i).real();
  return sum;
}

/// a + factor b
Matrix<std::complex<double>> sum(Matrix<std::complex<double>> a, double factor, const Matrix<std::complex<double>>& b) {
  for (Index i = 0; i < a.size(); ++i) a.data()[i] += factor * b.data()[i];
  return a;
}

/// F^0, F^2, ... F^2l.
std::vector<double> slater_integrals(int l, double u, double j) {
  if (l == 0) return {u};
  if (l == 1) return {u, 5 * j};
  if (l == 2) {
    const double f2 = 14 * j / 1.625;
    return {u, f2, 0.625 * f2};
  }
  const double r4 = 451.0 / 675, r6 = 1001.0 / 2025, f2 = 6435 * j / (286 + 195 * r4 + 250 * r6);
  return {u, f2, r4 * f2, r6 * f2};
}

std::vector<double> interactions(int l, const std::vector<double>& slater) {
  const GauntTable gaunt(l);
  const Index size = 2 * l + 1;
  std::vector<double> v(static_cast<std::size_t>(size * size * size * size));
  const auto at = [&](int k, int q, Index i, Index j) {
    return gaunt(harmonic_index(k, q), harmonic_index(l, static_cast<int>(i) - l),
                 harmonic_index(l, static_cast<int>(j) - l));
  };
  for (std::size_t f = 0; f < slater.size(); ++f) {
    const int k = 2 * static_cast<int>(f);
    const double factor = slater[f] * 4 * units::pi / (2 * k + 1);
    std::size_t element = 0;
    for (Index i = 0; i < size; ++i)
      for (Index m = 0; m < size; ++m)
        for (Index j = 0; j < size; ++j)
          for (Index n = 0; n < size; ++n, ++element)
            for (int q = -k; q <= k; ++q) v[element] += factor * at(k, q, i, j) * at(k, q, m, n);
  }
  return v;
}

Matrix<std::complex<double>> square(const std::vector<std::vector<double>>& rows) {
  const auto size = std::ssize(rows);
  Matrix<std::complex<double>> result(size, size);
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j) result(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return result;
}

/// sum_s sum_ij d^s_ij n^s_ij: what a derivative gives for a change of real and symmetric matrices.
double product(const std::vector<Matrix<std::complex<double>>>& d, const std::vector<Matrix<std::complex<double>>>& n) {
  double sum = 0;
  for (std::size_t s = 0; s < d.size(); ++s)
    for (Index j = 0; j < d[s].columns(); ++j)
      for (Index i = 0; i < d[s].rows(); ++i) sum += d[s](i, j).real() * n[s](i, j).real();
  return sum;
}

}  // namespace

HubbardEnergy::HubbardEnergy(const HubbardShell& shell)
    : size_(shell.size()), u_(shell.setting.u), j_(shell.setting.j) {
  if (j_) v_ = interactions(shell.l, slater_integrals(shell.l, u_, *j_));
}

HubbardEnergy::Result HubbardEnergy::evaluate(const std::vector<Square>& n) const {
  const bool are_spins = n.size() == 2;
  const std::vector<Square> components = are_spins ? std::vector{sum(n[0], 1.0, n[1]), sum(n[0], -1.0, n[1])} : n;
  Result result = j_ ? liechtenstein(components) : dudarev(components);
  if (are_spins) result.d = {sum(result.d[0], 1.0, result.d[1]), sum(result.d[0], -1.0, result.d[1])};
  return result;
}

HubbardEnergy::Result HubbardEnergy::dudarev(const std::vector<Square>& n) const {
  Result result{0.5 * u_ * trace(n[0])};
  for (std::size_t c = 0; c < n.size(); ++c) {
    Square& d = result.d.emplace_back(size_, size_);
    for (Index j = 0; j < size_; ++j)
      for (Index i = 0; i < size_; ++i) {
        result.energy -= 0.25 * u_ * (n[c](i, j) * n[c](j, i)).real();
        d(i, j) = (c == 0 && i == j ? 0.5 * u_ : 0.0) - 0.5 * u_ * n[c](j, i);
      }
  }
  return result;
}

HubbardEnergy::Result HubbardEnergy::liechtenstein(const std::vector<Square>& n) const {
  const double electrons = trace(n[0]);
  Result result{-0.5 * u_ * electrons * (electrons - 1) + 0.5 * *j_ * (0.5 * electrons * electrons - electrons)};
  for (std::size_t c = 0; c < n.size(); ++c) {
    Square& d = result.d.emplace_back(size_, size_);
    for (Index j = 0; j < size_; ++j)
      for (Index i = 0; i < size_; ++i) {
        std::complex<double> sum = 0;
        for (Index l = 0; l < size_; ++l)
          for (Index k = 0; k < size_; ++k)
            sum += ((c == 0 ? interaction(i, k, j, l) : 0.0) - 0.5 * interaction(i, k, l, j)) * n[c](k, l);
        d(i, j) = sum;
        result.energy += 0.5 * (sum * n[c](i, j)).real();
      }
    const double moment = c == 0 ? 0.0 : trace(n[c]);
    result.energy += 0.25 * *j_ * moment * moment;
    const double shift = c == 0 ? -u_ * (electrons - 0.5) + 0.5 * *j_ * (electrons - 1) : 0.5 * *j_ * moment;
    for (Index i = 0; i < size_; ++i) d(i, i) += shift;
  }
  return result;
}

LinearHubbardEnergy::LinearHubbardEnergy(const HubbardEnergy& energy, const HubbardPerturbation::Matrices& occupations,
                                         double shift) {
  std::vector<Matrix<std::complex<double>>> n;
  for (std::size_t s = 0; s < 2; ++s) n.push_back(square(occupations[std::min(s, occupations.size() - 1)]));
  at_zero_ = energy.evaluate(n);
  at_zero_.energy -= product(at_zero_.d, n);
  for (Matrix<std::complex<double>>& d : at_zero_.d)
    for (Index i = 0; i < d.rows(); ++i) d(i, i) += shift;
}

HubbardEnergy::Result LinearHubbardEnergy::evaluate(const std::vector<Matrix<std::complex<double>>>& n) const {
  HubbardEnergy::Result result = at_zero_;
  result.energy += product(result.d, n);
  return result;
}

}  // namespace wavegrid
