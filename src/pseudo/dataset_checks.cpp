#include <algorithm>
#include <cmath>
#include <limits>

#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/pseudo/dataset_checks.hpp>

namespace wavegrid {
namespace {

using Vector = std::vector<double>;

/// The product of two functions, with a factor r^power.
Vector product(const Vector& r, const Vector& a, const Vector& b, int power = 0) {
  Vector f(std::min(a.size(), b.size()));
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = a[i] * b[i] * std::pow(r[i], power);
  return f;
}

/// Also where the value is no number.
void keep_largest(double& largest, double value) {
  if (!(value <= largest)) largest = std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

class Checker {
 public:
  Checker(const AugmentedDataset& dataset, const RadialData& data)
      : dataset_(dataset), data_(data), mesh_(dataset.r), n_(dataset.size()) {}

  DatasetChecks run() {
    if (dataset_.paw) symmetry("the kinetic energy differences", dataset_.paw->kinetic_differences, 1e-5, 1e-2);
    symmetry("D0_ij", dataset_.d0, 1e-5, 1e-2);
    symmetry("q_ij", dataset_.q, 1e-8, 1e-4);
    moments();
    if (dataset_.paw) {
      duality();
      wave_moments();
      equal_outside();
      core_charge();
    }
    atomic_charge();
    return std::move(found_);
  }

 private:
  void add(const std::string& what, double value, double noted, double refused, const std::string& unit = "") {
    found_.push_back({what, value, noted, refused, unit});
  }

  /// Relative to the largest element; elements between different l count too.
  void symmetry(const std::string& name, const Vector& matrix, double noted, double refused) {
    double largest = 1e-300, difference = 0.0;
    for (const double value : matrix) keep_largest(largest, std::abs(value));
    for (std::size_t i = 0; i < matrix.size() / std::max<std::size_t>(n_, 1); ++i)
      for (std::size_t j = 0; j < n_; ++j) {
        const bool same = dataset_.waves[i].l == dataset_.waves[j].l;
        keep_largest(difference, std::abs(matrix[i * n_ + j] - (same ? matrix[j * n_ + i] : 0.0)));
      }
    add(name + " and its transposed one differ, relative to the largest, by", difference / largest, noted, refused);
  }

  /// The moment that the file gives, and the integral of its function.
  void moments() {
    double largest = 0.0;
    for (const AugmentationFunction& f : dataset_.augmentation) {
      const double difference = std::abs(mesh_.moment(f.r2_q, f.l) - f.moment);
      keep_largest(largest, difference / std::max(1.0, std::abs(f.moment)));
    }
    add("q_ij and the integrals of Q_ij differ by", largest, 1e-5, 1e-2);
  }

  void duality() {
    double largest = 0.0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) {
        const PartialWave &a = dataset_.waves[i], &b = dataset_.waves[j];
        if (a.l != b.l || a.j != b.j) continue;
        const double overlap = mesh_.integrate(product(dataset_.r, a.r_projector, b.r_pseudo), 2 * a.l + 2);
        keep_largest(largest, std::abs(overlap - (i == j ? 1.0 : 0.0)));
      }
    add("projectors and pseudo partial waves are dual but for", largest, 2e-3, 0.2);
  }

  void wave_moments() {
    double largest = 0.0;
    for (const AugmentationFunction& f : dataset_.augmentation) {
      const double moment = wave_moment(mesh_, dataset_, f.i, f.j, f.l);
      keep_largest(largest, std::abs(moment - f.moment) / std::max(1.0, std::abs(f.moment)));
    }
    add("the moments of Q_ij and of the partial waves differ by", largest, 1e-4, 5e-2);
  }

  void equal_outside() {
    double largest = 0.0;
    for (const PartialWave& wave : dataset_.waves) {
      double height = 1e-300, difference = 0.0;
      for (std::size_t i = 0; i < dataset_.r.size() && dataset_.r[i] < 1.5 * dataset_.paw->sphere_radius; ++i) {
        keep_largest(height, std::abs(value_or_zero(wave.r_pseudo, i)));
        if (dataset_.r[i] > dataset_.paw->sphere_radius)
          difference =
              std::max(difference, std::abs(value_or_zero(wave.r_all_electron, i) - value_or_zero(wave.r_pseudo, i)));
      }
      keep_largest(largest, difference / height);
    }
    add("partial waves beyond the sphere differ, relative to their height, by", largest, 1e-4, 1e-1);
  }

  [[nodiscard]] double charge(const Vector& density) const {
    Vector f(density);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] *= dataset_.r[i] * dataset_.r[i];
    return 4.0 * units::pi * mesh_.integrate(f);
  }

  void core_charge() {
    const double expected = dataset_.paw->nuclear_charge - data_.charge;
    add("the electrons of the core and Z minus the valence charge differ by",
        std::abs(charge(dataset_.paw->all_electron_core) - expected), 1e-3, 0.1);
  }

  void atomic_charge() {
    if (dataset_.atomic_density.empty()) return;
    add("the electrons of the free atom and its valence charge differ by",
        std::abs(charge(dataset_.atomic_density) - data_.charge), 1e-2, 0.5 * data_.charge);
  }

  const AugmentedDataset& dataset_;
  const RadialData& data_;
  RadialQuadrature mesh_;
  std::size_t n_;
  DatasetChecks found_;
};

}  // namespace

DatasetChecks check_dataset(const AugmentedDataset& dataset, const RadialData& data) {
  return Checker(dataset, data).run();
}

void require_consistent(const TextFile& file, std::size_t line, const DatasetChecks& checks,
                        AugmentedDataset& dataset) {
  for (const DatasetCheck& check : checks) {
    const std::string unit = check.unit.empty() ? "" : " " + check.unit;
    const std::string sentence = check.what + " " + to_text(check.value) + unit;
    if (!(check.value <= check.refused))
      file.fail(line,
                "the dataset contradicts itself: " + sentence + "; valid are up to " + to_text(check.refused) + unit);
    if (check.value > check.noted) dataset.remarks.push_back(sentence);
  }
}

double wave_moment(const RadialQuadrature& mesh, const AugmentedDataset& dataset, std::size_t i, std::size_t j, int l) {
  const PartialWave &a = dataset.waves[i], &b = dataset.waves[j];
  Vector f(mesh.r().size(), 0.0);
  for (std::size_t k = 0; k < f.size() && mesh.r()[k] <= dataset.paw->integration_radius; ++k)
    f[k] = (value_or_zero(a.r_all_electron, k) * value_or_zero(b.r_all_electron, k) +
            value_or_zero(a.r_small, k) * value_or_zero(b.r_small, k) -
            value_or_zero(a.r_pseudo, k) * value_or_zero(b.r_pseudo, k)) *
           std::pow(mesh.r()[k], l);
  return mesh.integrate(f, a.l + b.l + 2 + l);
}

void cut_partial_waves(AugmentedDataset& dataset) {
  const double end = std::max(1.5 * dataset.paw->sphere_radius, dataset.paw->integration_radius);
  const auto count =
      static_cast<std::size_t>(std::upper_bound(dataset.r.begin(), dataset.r.end(), end) - dataset.r.begin());
  for (PartialWave& wave : dataset.waves)
    for (Vector* f : {&wave.r_all_electron, &wave.r_pseudo, &wave.r_small})
      if (f->size() > count) f->resize(count);
}

std::vector<RadialData::Channel> channels_of(const AugmentedDataset& dataset) {
  std::vector<RadialData::Channel> found;
  for (std::size_t first = 0, end = 0; first < dataset.size(); first = end) {
    const int l = dataset.waves[first].l;
    while (end < dataset.size() && dataset.waves[end].l == l) ++end;
    RadialData::Channel channel{.l = l};
    for (std::size_t i = first; i < end; ++i) {
      channel.r_projectors.push_back(dataset.waves[i].r_projector);
      for (std::size_t j = first; j < end; ++j) {
        const double share = dataset.spin_share(i, j);
        channel.h.push_back(share * dataset.coupling(i, j));
        if (!dataset.fully_relativistic) continue;
        const double sign = l == 0 || share == 0.0 ? 0.0 : dataset.waves[i].j > l ? 1.0 : -1.0;
        channel.k.push_back(sign * 2.0 / (2 * l + 1) * dataset.coupling(i, j));  // of 1 and L.S in the projection
      }
    }
    found.push_back(std::move(channel));
  }
  return found;
}

}  // namespace wavegrid
