#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <wavegrid/discretisation/extrapolation.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/scf/mixing_weights.hpp>

namespace wavegrid {

namespace {

/// What leads from one geometry to another, bohr: displacements of the atoms without the strain, to the nearest images,
/// and the changes of the lattice vectors, weighted as if every atom took part.
std::vector<double> change_between(const Crystal& from, const Crystal& to) {
  std::vector<double> change;
  const Mat3& cell = to.lattice.vectors();
  for (std::size_t a = 0; a < to.atoms.size(); ++a) {
    Vec3 apart;
    for (std::size_t i = 0; i < 3; ++i) {
      apart[i] = to.atoms[a].position[i] - from.atoms[a].position[i];
      apart[i] -= std::round(apart[i]);
    }
    for (std::size_t x = 0; x < 3; ++x)
      change.push_back(apart[0] * cell[0][x] + apart[1] * cell[1][x] + apart[2] * cell[2][x]);
  }
  const double weight = std::sqrt(static_cast<double>(to.atoms.size()));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t x = 0; x < 3; ++x) change.push_back(weight * (cell[i][x] - from.lattice.vectors()[i][x]));
  return change;
}

}  // namespace

std::vector<double> extrapolation_weights(const Crystal& now, const std::vector<const Crystal*>& earlier,
                                          double noise) {
  std::vector<std::vector<double>> apart;
  for (const Crystal* one : earlier) apart.push_back(change_between(*one, now));
  MixingProducts products;
  for (const auto& one : apart) {
    std::deque<double>& row = products.emplace_back();
    for (const auto& other : apart) row.push_back(std::inner_product(one.begin(), one.end(), other.begin(), 0.0));
  }
  double largest = 0;
  for (std::size_t i = 0; i < apart.size(); ++i) largest = std::max(largest, products[i][i]);
  constexpr double rounding = 1e-9;  // relative: where geometries lie on a line, the products alone are singular
  return pulay_weights(products, std::deque<double>(apart.size(), std::max(noise, rounding * largest)));
}

template <class Component>
void GeometryHistory<Component>::add(const Crystal& crystal, Density change, SpinMatrices matrices) {
  entries_.push_front({crystal, std::move(change), std::move(matrices)});
  if (entries_.size() > most_earlier_geometries + 1) entries_.pop_back();
}

template <class Component>
std::vector<double> GeometryHistory<Component>::weights(const Crystal& now, std::size_t count) const {
  std::vector<const Crystal*> earlier;
  for (std::size_t i = 0; i < std::min(count, entries_.size()); ++i) earlier.push_back(&entries_[i].crystal);
  return extrapolation_weights(now, earlier, noise_);
}

template <class Component>
auto GeometryHistory<Component>::density(Density superposed, const Crystal& now) const -> Density {
  const std::vector<double> c = weights(now, entries_.size());
  superposed.resize(entries_.front().change.size(), Component(superposed.front().size()));
  for (std::size_t component = 0; component < superposed.size(); ++component) {
    auto& sum = superposed[component];
    if (component > 0) std::fill(sum.begin(), sum.end(), 0.0);
    for (std::size_t i = 0; i < entries_.size(); ++i)
      for (std::size_t g = 0; g < sum.size(); ++g) sum[g] += c[i] * entries_[i].change[component][g];
  }
  return superposed;
}

template <class Component>
SpinMatrices GeometryHistory<Component>::matrices(const Crystal& now) const {
  const std::vector<double> c = weights(now, entries_.size());
  SpinMatrices sum = zeros_like(entries_.front().matrices);
  for (std::size_t i = 0; i < entries_.size(); ++i) wavegrid::add(c[i], entries_[i].matrices, sum);
  return sum;
}

template <class S>
void BandHistory<S>::extrapolate(BandOperator<S>& op, const std::vector<double>& weights, Bands<S>& bands) {
  const Bands<S> last = std::exchange(bands, Bands<S>(bands.rows(), bands.count()));
  const BandView<S> sum = bands.view();
  Bands<S> image(last.rows(), op.has_overlap() && weights.size() > 1 ? last.count() : 0);
  if (image.count() > 0) op.apply_overlap(last.view(), image.view());
  const BandView<const S> s_last = image.count() > 0 ? std::as_const(image).view() : last.view();
  for (Index n = 0; n < sum.rows * sum.count; ++n)
    sum.data[n] = static_cast<RealOf<S>>(weights[0]) * last.view().data[n];
  for (std::size_t j = 1; j < weights.size(); ++j) {
    const Bands<S> x = converted<S>(earlier_[j - 1]);
    Matrix<S> onto = overlap<S>(op.product(), x.view(), s_last);
    for (Index n = 0; n < onto.size(); ++n) onto.data()[n] *= static_cast<RealOf<S>>(weights[j]);
    rotate<S>(op.product(), x.view(), onto, sum, true);
  }
  earlier_.push_front(converted<Single>(last));
  if (earlier_.size() > most_earlier_geometries) earlier_.pop_back();
}

template class GeometryHistory<std::vector<double>>;
template class GeometryHistory<std::vector<std::complex<double>>>;
template class BandHistory<double>;
template class BandHistory<std::complex<double>>;

}  // namespace wavegrid
