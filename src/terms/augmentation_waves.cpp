#include <algorithm>
#include <complex>

#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/terms/augmentation_waves.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

namespace {

/// The sign of (-i)^L, or of its imaginary part.
constexpr double sign_of(std::size_t l) { return l % 4 == 0 || l % 4 == 3 ? 1.0 : -1.0; }

}  // namespace

AtomGroup::AtomGroup(const FourierBox& box, const Crystal& crystal, std::span<const int> which)
    : numbers(which.begin(), which.end()) {
  const Int3 reach = max_indices(box.waves());
  for (const std::size_t atom : numbers) phases.emplace_back(reach, crystal.atoms[atom].position);
}

AugmentationWaves::AugmentationWaves(const AugmentationTable& table, const FourierBox& box)
    : table_(table), box_(box), harmonics_(table.largest_l()) {}

void AugmentationWaves::set(Range elements, bool with_slopes) {
  at_.clear();
  weight_.clear();
  for (Index i = elements.begin; i < elements.end; ++i) {
    const auto element = static_cast<std::size_t>(i);
    const int weight = half_weight(box_.waves().g()[element], box_.fft.grid());
    if (!box_.inside[element] || weight == 0) continue;
    at_.push_back(element);
    weight_.push_back(weight);
  }
  const std::size_t shapes = table_.shapes().size(), moments = table_.num_moments(), each = harmonics_.size();
  radial_.resize(at_.size() * shapes);
  y_.resize(at_.size() * each);
  products_.resize(at_.size() * moments);
  if (with_slopes) slope_.resize(radial_.size()), gradient_.resize(y_.size());
#pragma omp parallel for schedule(static)
  for (std::size_t n = 0; n < at_.size(); ++n) {
    const Vec3 g = box_.waves().k_plus_g(static_cast<Index>(at_[n]));
    const double length = norm(g);
    const std::span<double> y(y_.data() + n * each, each), radial(radial_.data() + n * shapes, shapes);
    table_.evaluate(length, radial, with_slopes ? std::span(slope_.data() + n * shapes, shapes) : std::span<double>());
    if (with_slopes && length > 0)
      harmonics_.gradients((1.0 / length) * g, y, {gradient_.data() + n * each, each});
    else
      harmonics_.values(g, y);
    double* const products = products_.data() + n * moments;
    for (std::size_t k = 0; k < shapes; ++k) {
      const auto l = static_cast<std::size_t>(table_.shapes()[k].l);
      const double signed_radial = sign_of(l) * radial[k];
      for (std::size_t m = 0; m <= 2 * l; ++m) products[table_.shapes()[k].first + m] = signed_radial * y[l * l + m];
    }
  }
}

void AugmentationWaves::sum_moments(const std::vector<double>& moments, Index atoms, Parts& sums) const {
  const auto all = static_cast<Index>(table_.num_moments()), even = static_cast<Index>(table_.num_even_moments());
  sums.real.resize(static_cast<std::size_t>(size() * atoms));
  sums.imaginary.resize(sums.real.size());
  lapack::gemm<double>('T', 'N', size(), atoms, even, 1.0, products_.data(), all, moments.data(), all, 0.0,
                       sums.real.data(), size());
  lapack::gemm<double>('T', 'N', size(), atoms, all - even, 1.0, products_.data() + even, all, moments.data() + even,
                       all, 0.0, sums.imaginary.data(), size());
}

void AugmentationWaves::add_products(const Parts& z, Index atoms, std::span<double> sums) const {
  const auto all = static_cast<Index>(table_.num_moments()), even = static_cast<Index>(table_.num_even_moments());
  lapack::gemm<double>('N', 'N', even, atoms, size(), 1.0, products_.data(), all, z.real.data(), size(), 1.0,
                       sums.data(), all);
  lapack::gemm<double>('N', 'N', all - even, atoms, size(), 1.0, products_.data() + even, all, z.imaginary.data(),
                       size(), 1.0, sums.data() + even, all);
}

void AugmentationWaves::turned(const GridFft::Coefficients& potential, const AtomGroup& atoms, Parts& z) const {
  z.real.resize(static_cast<std::size_t>(size() * atoms.size()));
  z.imaginary.resize(z.real.size());
#pragma omp parallel for schedule(static)
  for (Index a = 0; a < atoms.size(); ++a) {
    const AtomPhases& phases = atoms.phases[static_cast<std::size_t>(a)];
    auto to = static_cast<std::size_t>(a * size());
    for (Index n = 0; n < size(); ++n, ++to) {
      const std::complex<double> value =
          std::conj(potential[element(n)]) * phases(box_.waves().g()[element(n)]) * weight(n);
      z.real[to] = value.real();
      z.imaginary[to] = -value.imag();
    }
  }
}

void AugmentationWaves::add_strain(const Parts& z, const std::vector<double>& moments, Index atoms,
                                   std::span<double> sums) const {
  const auto all = static_cast<Index>(table_.num_moments()), even = static_cast<Index>(table_.num_even_moments());
  // sum_a n_a,j z_a at each G: (moments, waves)
  std::vector<double> weights(static_cast<std::size_t>(all * size()));
  lapack::gemm<double>('N', 'T', even, size(), atoms, 1.0, moments.data(), all, z.real.data(), size(), 0.0,
                       weights.data(), all);
  lapack::gemm<double>('N', 'T', all - even, size(), atoms, 1.0, moments.data() + even, all, z.imaginary.data(), size(),
                       0.0, weights.data() + even, all);
  const std::size_t each = harmonics_.size(), shapes = table_.shapes().size();
  for (std::size_t n = 0; n < at_.size(); ++n) {
    const auto element = static_cast<Index>(at_[n]);
    if (element == box_.waves().zero()) continue;
    const Vec3 g = box_.waves().k_plus_g(element);
    const double length = norm(g);
    double radial = 0;
    Vec3 angular{0, 0, 0};
    for (std::size_t k = 0; k < shapes; ++k) {
      const auto l = static_cast<std::size_t>(table_.shapes()[k].l);
      const double* const weight = weights.data() + n * table_.num_moments() + table_.shapes()[k].first;
      const double* const y = y_.data() + n * each + l * l;
      const double value = sign_of(l) * radial_[n * shapes + k];
      const double slope = sign_of(l) * slope_[n * shapes + k];
      for (std::size_t m = 0; m <= 2 * l; ++m) {
        radial += slope * weight[m] * y[m];
        angular = angular + (value * weight[m]) * gradient_[n * each + l * l + m];
      }
    }
    add_to_symmetric(sums, -radial / length, g);
    add_to_symmetric(sums, (-1.0 / length) * g, angular);
  }
}

}  // namespace wavegrid
