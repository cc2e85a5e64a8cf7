#include <algorithm>

#include <wavegrid/atom/atom_onsite.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/pseudo/radial_function.hpp>

namespace wavegrid {

AtomOnsite::AtomOnsite(const AugmentedDataset& dataset, const OnsiteEnergy& energy, const RadialGrid& grid)
    : dataset_(dataset), energy_(energy), core_(grid.r().size(), 0.0), r_(grid.r()) {
  for (const PartialWave& wave : dataset.waves) {
    first_row_.push_back(size_);
    size_ += 2 * wave.l + 1;
  }
  for (const AugmentationFunction& function : dataset.augmentation) {
    if (function.l != 0) continue;
    const RadialFunction r2_q(dataset.r, function.r2_q, 2);
    charges_.push_back({function.i, function.j, RadialValues(r_.size(), 0.0)});
    std::transform(r_.begin() + 1, r_.end(), charges_.back().r2_q.begin() + 1, [&](double r) { return r2_q(r); });
  }
  if (dataset.paw->pseudo_core.size() < 2) return;
  const RadialFunction core(dataset.r, dataset.paw->pseudo_core, 0);
  std::transform(r_.begin() + 1, r_.end(), core_.begin() + 1, [&](double r) { return core(r); });
  core_[0] = core_[1];
}

std::vector<std::size_t> AtomOnsite::projectors_of(int l) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < dataset_.size(); ++i)
    if (dataset_.waves[i].l == l) found.push_back(i);
  return found;
}

Matrix<std::complex<double>> AtomOnsite::initial() const {
  Matrix<std::complex<double>> rho = zeros();
  for (std::size_t i = 0; i < dataset_.size(); ++i)
    for (Index m = 0; m <= 2 * dataset_.waves[i].l; ++m)
      rho(first_row_[i] + m, first_row_[i] + m) = dataset_.waves[i].occupation / (2 * dataset_.waves[i].l + 1);
  return rho;
}

std::optional<RadialValues> AtomOnsite::initial_density() const {
  if (dataset_.atomic_density.empty()) return std::nullopt;
  const RadialFunction density(dataset_.r, dataset_.atomic_density, 0);
  RadialValues values(r_.size());
  std::transform(r_.begin(), r_.end(), values.begin(), [&](double r) { return density(std::max(r, 1e-3)); });
  return values;
}

RadialValues AtomOnsite::charge(const Matrix<std::complex<double>>& rho) const {
  RadialValues density(r_.size(), 0.0);
  for (const auto& [i, j, r2_q] : charges_) {
    double electrons = 0;
    for (Index m = 0; m <= 2 * dataset_.waves[i].l; ++m) electrons += rho(first_row_[i] + m, first_row_[j] + m).real();
    if (i != j) electrons *= 2;
    for (std::size_t p = 1; p < r_.size(); ++p) density[p] += electrons * r2_q[p] / (4 * units::pi * r_[p] * r_[p]);
  }
  density[0] = density[1];
  return density;
}

void AtomOnsite::add_level(int l, double f, std::span<const double> c, Matrix<std::complex<double>>& rho) const {
  const std::vector<std::size_t> mine = projectors_of(l);
  for (std::size_t i = 0; i < mine.size(); ++i)
    for (std::size_t j = 0; j < mine.size(); ++j)
      for (Index m = 0; m <= 2 * l; ++m)
        rho(first_row_[mine[i]] + m, first_row_[mine[j]] + m) +=
            dataset_.spin_share(mine[i], mine[j]) * f / (2 * l + 1) * c[i] * c[j];
}

Matrix<double> AtomOnsite::radial(int l, const Matrix<std::complex<double>>& matrix) const {
  const std::vector<std::size_t> mine = projectors_of(l);
  const auto count = static_cast<Index>(mine.size());
  Matrix<double> result(count, count);
  for (Index j = 0; j < count; ++j)
    for (Index i = 0; i < count; ++i) {
      const std::size_t a = mine[static_cast<std::size_t>(i)], b = mine[static_cast<std::size_t>(j)];
      result(i, j) = dataset_.spin_share(a, b) * matrix(first_row_[a], first_row_[b]).real();
    }
  return result;
}

RadialValues AtomOnsite::xc_density(const RadialValues& smooth, const RadialValues& augmentation) const {
  RadialValues sum(smooth);
  const bool included = dataset_.compensation_in_xc == CompensationInXc::included;
  for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += core_[p] + (included ? augmentation[p] : 0.0);
  return sum;
}

OnsiteResult AtomOnsite::evaluate(const Matrix<std::complex<double>>& rho, const RadialValues& xc) const {
  OnsiteResult result = energy_.evaluate({rho});
  if (dataset_.compensation_in_xc == CompensationInXc::included) return result;
  for (const auto& [i, j, r2_q] : charges_) {
    double product = 0;
    for (std::size_t p = 1; p < r_.size(); ++p) product += RadialGrid::spacing * xc[p] * r2_q[p];
    for (Index m = 0; m <= 2 * dataset_.waves[i].l; ++m) {
      result.d[0](first_row_[i] + m, first_row_[j] + m) -= product;
      if (i != j) result.d[0](first_row_[j] + m, first_row_[i] + m) -= product;
    }
  }
  return result;
}

}  // namespace wavegrid
