#include <algorithm>
#include <cstdlib>

#include <wavegrid/pseudo/pair_moments.hpp>

namespace wavegrid {

std::vector<RadialPair> radial_pairs(const AugmentedDataset& dataset) {
  std::vector<RadialPair> pairs;
  for (std::size_t i = 0; i < dataset.size(); ++i)
    for (std::size_t j = i; j < dataset.size(); ++j) {
      const int a = dataset.waves[i].l, b = dataset.waves[j].l;
      for (int l = std::abs(a - b); l <= a + b; l += 2) pairs.push_back({i, j, l});
    }
  return pairs;
}

PairMoments::PairMoments(const AugmentedDataset& dataset, const std::vector<RadialPair>& pairs) {
  std::vector<Index> first_row{0};  // with m = -l
  for (const PartialWave& wave : dataset.waves) first_row.push_back(first_row.back() + 2 * wave.l + 1);
  const GauntTable gaunt(dataset.largest_l());
  for (const RadialPair& pair : pairs) {
    largest_l_ = std::max(largest_l_, pair.l);
    pairs_.push_back({first_row[pair.i], first_row[pair.j], pair.i == pair.j, pair.l, size_,
                      gaunt_terms(gaunt, dataset.waves[pair.i].l, dataset.waves[pair.j].l, pair.l)});
    size_ += static_cast<std::size_t>(2 * pair.l + 1);
  }
}

std::vector<PairMoments::GauntTerm> PairMoments::gaunt_terms(const GauntTable& table, int l1, int l2, int l) {
  std::vector<GauntTerm> terms;
  for (int m1 = -l1; m1 <= l1; ++m1)
    for (int m2 = -l2; m2 <= l2; ++m2)
      for (int m = -l; m <= l; ++m)
        if (const double value = table(harmonic_index(l, m), harmonic_index(l1, m1), harmonic_index(l2, m2));
            value != 0)
          terms.push_back({m1 + l1, m2 + l2, m + l, value});
  return terms;
}

std::vector<double> PairMoments::of(const Matrix<std::complex<double>>& rho) const {
  std::vector<double> moments(size_);
  for (const Pair& pair : pairs_)
    for (const GauntTerm& term : pair.terms)
      moments[pair.first + static_cast<std::size_t>(term.m)] +=
          (pair.diagonal ? 1.0 : 2.0) * term.value * rho(pair.first_row + term.m1, pair.first_column + term.m2).real();
  return moments;
}

void PairMoments::add_matrix(std::span<const double> derivatives, Matrix<std::complex<double>>& d) const {
  for (const Pair& pair : pairs_)
    for (const GauntTerm& term : pair.terms) {
      const double value = term.value * derivatives[pair.first + static_cast<std::size_t>(term.m)];
      const Index row = pair.first_row + term.m1, column = pair.first_column + term.m2;
      d(row, column) += value;
      if (!pair.diagonal) d(column, row) += value;
    }
}

}  // namespace wavegrid
