#include "realspace/mesh_projectors.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "atoms/spherical_harmonics.hpp"
#include "base/units.hpp"
#include "linalg/lapack.hpp"
#include "terms/filtered_projectors.hpp"

namespace wavegrid {

namespace {

/// Shares of the largest wave number of the mesh, pi/h: up to the first a projector is as given, from the second on it
/// is 0. The second is what a mesh mistakes for the first: 2 - 0.8. Waves between the two may be wrong, and bands have
/// few of them. With 0.7 and 1, hard projectors lack what d electrons need (decision 18).
constexpr double inner_share = 0.8, outer_share = 2 - inner_share;

/// Bands of which the values near an atom are multiplied at once: these values stay in the cache.
constexpr Index bands_per_product = 8;

FilteredProjectors projectors_of(const Pseudopotential& atom, double largest_g) {
  // The filter needs a radius of several wavelengths 2 pi / gmax to confine a projector.
  const double radius = std::max(1.2 * projector_extent(atom), 30.0 / largest_g);
  return filter_projectors(atom, {radius, inner_share * largest_g, outer_share * largest_g});
}

/// Images of the cell, along one axis, in which points within `radius` of a position may lie.
Range images_near(const MeshGrid& grid, std::size_t axis, const Vec3& position, double radius) {
  if (!grid.periodic()[axis]) return {0, 1};
  const Vec3& reciprocal = grid.lattice().reciprocal()[axis];
  const double middle = dot(position, reciprocal) / (2.0 * units::pi);
  const double reach = radius * norm(reciprocal) / (2.0 * units::pi);
  return {static_cast<Index>(std::floor(middle - reach)), static_cast<Index>(std::floor(middle + reach)) + 1};
}

/// Adds the points of a line, moved by an image, that lie in the sphere.
void add_line(const Mesh& mesh, const LocalLine& line, const Int3& image, const Vec3& position, double radius,
              NearPoints& near) {
  const MeshGrid& grid = mesh.grid();
  const Vec3 shift{static_cast<double>(image[0]), static_cast<double>(image[1]), static_cast<double>(image[2])};
  const Vec3 first = grid.position(line.point(0)) + shift * grid.lattice().vectors() - position;
  const Vec3& step = grid.steps()[2];
  const double along = dot(first, step) / norm2(step);
  const double rest = radius * radius - (norm2(first) - along * along * norm2(step));
  if (rest < 0) return;
  const double half = std::sqrt(rest / norm2(step));
  const Index begin = std::max<Index>(0, static_cast<Index>(std::ceil(-along - half)));
  const Index end = std::min<Index>(line.k.size(), static_cast<Index>(std::floor(-along + half)) + 1);
  for (Index n = begin; n < end; ++n) {
    near.points.push_back(line.start + n);
    near.distances.push_back(first + static_cast<double>(n) * step);
    near.images.push_back(image);
  }
}

}  // namespace

template <class S>
S image_phase(const Vec3& kpoint, const Int3& image) {
  const double angle = 2.0 * units::pi * (kpoint[0] * image[0] + kpoint[1] * image[1] + kpoint[2] * image[2]);
  if constexpr (ScalarTraits<S>::is_real)
    return S(std::cos(angle));
  else
    return S(std::cos(angle), -std::sin(angle));
}

template double image_phase<double>(const Vec3&, const Int3&);
template std::complex<double> image_phase<std::complex<double>>(const Vec3&, const Int3&);

NearPoints points_near(const Mesh& mesh, const Vec3& position, double radius) {
  const MeshGrid& grid = mesh.grid();
  std::array<Range, 3> images;
  for (std::size_t axis = 0; axis < 3; ++axis) images[axis] = images_near(grid, axis, position, radius);
  NearPoints near;
  for (Index x = images[0].begin; x < images[0].end; ++x)
    for (Index y = images[1].begin; y < images[1].end; ++y)
      for (Index z = images[2].begin; z < images[2].end; ++z)
        for (const LocalLine& line : mesh.lines())
          add_line(mesh, line, {static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)}, position, radius, near);
  return near;
}

template <class S>
MeshProjectors<S>::MeshProjectors(const Mesh& mesh, const Vec3& kpoint, const Crystal& crystal,
                                  const Pseudopotentials& atoms, double largest_g) {
  std::vector<FilteredProjectors> of_species;
  for (const auto& atom : atoms) of_species.push_back(projectors_of(*atom, largest_g));
  for (int a = 0; a < crystal.num_atoms(); ++a) {
    const FilteredProjectors& projectors =
        of_species[static_cast<std::size_t>(crystal.atoms[static_cast<std::size_t>(a)].species)];
    Sphere sphere{points_near(mesh, crystal.cartesian(a), projectors.radius), {}, count()};
    const NearPoints& near = sphere.near;
    for (const FilteredProjector& one : projectors.all)
      for (int m = 0; m <= 2 * one.l; ++m) {
        strengths_.push_back(one.strength);
        atom_of_.push_back(a);
      }
    sphere.values = Matrix<S>(static_cast<Index>(near.points.size()), count() - sphere.first);
    for (std::size_t p = 0; p < near.points.size(); ++p) {
      Index column = 0;
      const S phase = image_phase<S>(kpoint, near.images[p]);
      for (const FilteredProjector& one : projectors.all) {
        const double radial = one.radial.value(norm(near.distances[p]));
        for (int m = 0; m <= 2 * one.l; ++m)
          sphere.values(static_cast<Index>(p), column++) = phase * radial * real_ylm(one.l, m, near.distances[p]);
      }
    }
    sphere.near.images.clear();
    if (!near.points.empty() && sphere.values.columns() > 0) spheres_.push_back(std::move(sphere));
  }
}

template <class S>
std::vector<S> MeshProjectors<S>::values_near(Index bands) const {
  Index points = 0;
  for (const Sphere& sphere : spheres_) points = std::max(points, sphere.values.rows());
  return std::vector<S>(static_cast<std::size_t>(points * std::min(bands_per_product, bands)));
}

template <class S>
template <class Factor>
Matrix<S> MeshProjectors<S>::overlaps_with(const InnerProduct& product, BandView<const S> psi, Factor factor) const {
  Matrix<S> result(count(), psi.count);
  std::vector<S> near = values_near(psi.count);
  for (const Sphere& sphere : spheres_) {
    const Index points = sphere.values.rows();
    for (Index first = 0; first < psi.count; first += bands_per_product) {
      const BandView<const S> some = psi.slice(first, std::min(bands_per_product, psi.count - first));
      S* value = near.data();
      for (Index b = 0; b < some.count; ++b)
        for (std::size_t p = 0; p < sphere.near.points.size(); ++p)
          *value++ = factor(sphere.near.distances[p]) * some.band(b)[sphere.near.points[p]];
      lapack::gemm<S>('C', 'N', sphere.values.columns(), some.count, points, S(product.weight), sphere.values.data(),
                      points, near.data(), points, S(0), &result(sphere.first, first), count());
    }
  }
  product.comm.sum(result.elements());
  return result;
}

template <class S>
Matrix<S> MeshProjectors<S>::overlaps(const InnerProduct& product, BandView<const S> psi) const {
  return overlaps_with(product, psi, [](const Vec3&) { return 1.0; });
}

template <class S>
Matrix<S> MeshProjectors<S>::moments(const InnerProduct& product, int axis, BandView<const S> psi) const {
  return overlaps_with(product, psi, [axis](const Vec3& r) { return r[static_cast<std::size_t>(axis)]; });
}

template <class S>
void MeshProjectors<S>::add(const Matrix<S>& weights, BandView<S> out) const {
  std::vector<S> near = values_near(out.count);
  for (const Sphere& sphere : spheres_) {
    const Index points = sphere.values.rows();
    for (Index first = 0; first < out.count; first += bands_per_product) {
      const BandView<S> some = out.slice(first, std::min(bands_per_product, out.count - first));
      lapack::gemm<S>('N', 'N', points, some.count, sphere.values.columns(), S(1), sphere.values.data(), points,
                      &weights(sphere.first, first), count(), S(0), near.data(), points);
      const S* value = near.data();
      for (Index b = 0; b < some.count; ++b)
        for (const Index point : sphere.near.points) some.band(b)[point] += *value++;
    }
  }
}

template <class S>
void MeshProjectors<S>::apply(const InnerProduct& product, BandView<const S> psi, BandView<S> out) const {
  if (count() == 0) return;
  Matrix<S> weights = overlaps(product, psi);
  for (Index b = 0; b < weights.columns(); ++b)
    for (Index p = 0; p < weights.rows(); ++p) weights(p, b) *= strengths_[static_cast<std::size_t>(p)];
  add(weights, out);
}

template <class S>
std::vector<double> MeshProjectors<S>::energies(const InnerProduct& product, BandView<const S> psi) const {
  std::vector<double> energies(static_cast<std::size_t>(psi.count), 0.0);
  if (count() == 0) return energies;
  const Matrix<S> weights = overlaps(product, psi);
  for (Index b = 0; b < weights.columns(); ++b)
    for (Index p = 0; p < weights.rows(); ++p)
      energies[static_cast<std::size_t>(b)] += strengths_[static_cast<std::size_t>(p)] * std::norm(weights(p, b));
  return energies;
}

template class MeshProjectors<double>;
template class MeshProjectors<std::complex<double>>;

}  // namespace wavegrid
