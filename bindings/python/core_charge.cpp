#include "core_charge.hpp"

#include <cmath>
#include <numbers>

#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>

namespace {

using Table = std::pair<std::vector<double>, std::vector<double>>;

/// n(r) = 1/(2 pi^2) int q^2 j_0(q r) n(q) dq; n(q) of a partial core is that of a smooth function.
Table from_transform(const wavegrid::Pseudopotential& potential) {
  constexpr double last_q = 40, step_q = 0.02, last_r = 8, step_r = 0.01;  // 1/bohr, bohr
  std::vector<double> transform;
  for (int i = 0; i * step_q < last_q; ++i) transform.push_back(potential.core_density(i * step_q));
  Table table;
  for (int j = 0; j * step_r < last_r; ++j) {
    const double r = j * step_r;
    double sum = 0;
    for (std::size_t i = 1; i < transform.size(); ++i) {
      const double q = static_cast<double>(i) * step_q;
      sum += q * transform[i] * (r > 0 ? std::sin(q * r) / r : q);
    }
    table.first.push_back(r);
    table.second.push_back(sum * step_q / (2 * std::numbers::pi * std::numbers::pi));
  }
  return table;
}

}  // namespace

std::optional<Table> core_charge(const std::string& file, const std::string& element, std::optional<int> valence,
                                 const std::string& name) {
  const wavegrid::PseudopotentialFile found = wavegrid::read_pseudopotential_file(file, {element, valence, name});
  const wavegrid::AugmentedDataset* const dataset = found.potential->augmented();
  if (dataset != nullptr && dataset->paw && !dataset->paw->all_electron_core.empty()) {
    Table table{dataset->r, dataset->paw->all_electron_core};
    table.first.resize(table.second.size());
    return table;
  }
  if (!found.potential->has_core_density()) return std::nullopt;
  return from_transform(*found.potential);
}
