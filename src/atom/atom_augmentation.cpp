#include <numeric>
#include <utility>

#include <wavegrid/atom/atom_augmentation.hpp>
#include <wavegrid/pseudo/radial_function.hpp>

namespace wavegrid {

AtomAugmentation::AtomAugmentation(const AugmentedDataset& dataset, int l, const RadialGrid& grid,
                                   std::vector<std::vector<double>> projections)
    : r_(grid.r()), projections_(std::move(projections)) {
  std::vector<std::size_t> mine;
  for (std::size_t i = 0; i < dataset.size(); ++i)
    if (dataset.waves[i].l == l) mine.push_back(i);
  for (std::size_t i = 0; i < mine.size(); ++i)
    for (std::size_t j = i; j < mine.size(); ++j) {
      const AugmentationFunction* const function = dataset.find(mine[i], mine[j], 0);
      const double share = dataset.spin_share(mine[i], mine[j]);
      if (function == nullptr || share == 0.0) continue;
      const RadialFunction r2_q(dataset.r, function->r2_q, 2);
      Pair& pair = pairs_.emplace_back(Pair{i, j, {}, share * dataset.overlap(mine[i], mine[j])});
      for (const double r : r_) pair.r2_q.push_back(share * r2_q(r));
    }
}

void AtomAugmentation::add_pair(const Pair& pair, double factor, Matrix<double>& matrix) const {
  const std::vector<double>&a = projections_[pair.i], &b = projections_[pair.j];
  const double scale = pair.i == pair.j ? 0.5 * factor : factor;
  for (Index k = 0; k < matrix.columns(); ++k)
    for (Index m = 0; m < matrix.rows(); ++m) {
      const auto row = static_cast<std::size_t>(m), column = static_cast<std::size_t>(k);
      matrix(m, k) += scale * (a[row] * b[column] + b[row] * a[column]);
    }
}

void AtomAugmentation::add_overlap(Matrix<double>& s) const {
  for (const Pair& pair : pairs_) add_pair(pair, pair.charge, s);
}

void AtomAugmentation::add_couplings(const RadialValues& potential, Matrix<double>& h) const {
  for (const Pair& pair : pairs_)
    add_pair(
        pair,
        RadialGrid::spacing * std::inner_product(potential.begin() + 1, potential.end(), pair.r2_q.begin() + 1, 0.0),
        h);
}

void AtomAugmentation::add_couplings(const Matrix<double>& d, Matrix<double>& h) const {
  for (std::size_t i = 0; i < projections_.size(); ++i)
    for (std::size_t j = i; j < projections_.size(); ++j)
      add_pair({i, j, {}, 0.0}, d(static_cast<Index>(i), static_cast<Index>(j)), h);
}

std::vector<double> AtomAugmentation::projections(std::span<const double> coefficients) const {
  std::vector<double> c;
  for (const std::vector<double>& projection : projections_)
    c.push_back(std::inner_product(coefficients.begin(), coefficients.end(), projection.begin(), 0.0));
  return c;
}

void AtomAugmentation::add_density(std::span<const double> coefficients, double factor, RadialValues& density) const {
  const std::vector<double> c = projections(coefficients);
  for (const Pair& pair : pairs_) {
    const double weight = factor * c[pair.i] * c[pair.j] * (pair.i == pair.j ? 1.0 : 2.0);
    for (std::size_t p = 1; p < density.size(); ++p) density[p] += weight * pair.r2_q[p] / (r_[p] * r_[p]);
  }
  if (density.size() > 2) density[0] = density[1];
}

}  // namespace wavegrid
