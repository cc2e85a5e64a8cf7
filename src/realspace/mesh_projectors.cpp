#include <omp.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/spherical_harmonics.hpp>
#include <wavegrid/realspace/mesh_projectors.hpp>
#include <wavegrid/realspace/projector_kernel.hpp>
#include <wavegrid/terms/spinor_couplings.hpp>

namespace wavegrid {

namespace {

/// Shares of the largest wave number of the mesh, pi/h: up to the first a projector is as given, from the second on it
/// is 0. The second is what a mesh mistakes for the first: 2 - 0.8. Waves between the two may be wrong, and bands have
/// few of them. With 0.7 and 1, hard projectors lack what d electrons need (decision 18).
constexpr double inner_share = 0.8, outer_share = 2 - inner_share;

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

/// items[order[0]], items[order[1]], ...
template <class T>
std::vector<T> in_order(const std::vector<T>& items, const std::vector<std::size_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const std::size_t i : order) sorted.push_back(items[i]);
  return sorted;
}

NearPoints sorted_by_point(const NearPoints& near) {
  std::vector<std::size_t> order(near.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return near.points[a] < near.points[b]; });
  return {in_order(near.points, order), in_order(near.distances, order), in_order(near.images, order)};
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
  return sorted_by_point(near);
}

template <class S>
MeshProjectors<S>::MeshProjectors(const Mesh& mesh, const Vec3& kpoint, const Crystal& crystal,
                                  const Pseudopotentials& atoms, double largest_g)
    : num_points_(mesh.num_points()) {
  std::vector<FilteredProjectors> species_projectors;
  std::vector<double> strengths;
  for (const auto& atom : atoms) species_projectors.push_back(projectors_of(*atom, largest_g));
  for (int a = 0; a < crystal.num_atoms(); ++a) {
    const FilteredProjectors& projectors =
        species_projectors[static_cast<std::size_t>(crystal.atoms[static_cast<std::size_t>(a)].species)];
    const Index first = count();
    for (const FilteredProjector& one : projectors.all)
      for (int m = 0; m <= 2 * one.l; ++m) {
        strengths.push_back(one.strength);
        atom_of_.push_back(a);
      }
    atom_projectors_.push_back({first, count()});
    NearPoints near = points_near(mesh, crystal.cartesian(a), projectors.radius);
    if (near.points.empty() || count() == first) continue;
    std::vector<double> values = values_at(near, projectors, count() - first, kpoint);
    near.images.clear();
    spheres_.push_back({std::move(near), std::move(values), first, count() - first});
  }
  couplings_ = has_spin_orbit(atoms) ? Couplings(spinor_couplings(crystal, atoms), atom_projectors_)
                                     : Couplings(std::move(strengths));
}

template <class S>
std::vector<double> MeshProjectors<S>::values_at(const NearPoints& near, const FilteredProjectors& projectors,
                                                 Index count, const Vec3& kpoint) {
  std::vector<double> values(near.points.size() * static_cast<std::size_t>(parts * count));
  double* value = values.data();
  for (std::size_t p = 0; p < near.points.size(); ++p, value += parts * count) {
    Index column = 0;
    const S phase = image_phase<S>(kpoint, near.images[p]);
    for (const FilteredProjector& one : projectors.all) {
      const double radial = one.radial.value(norm(near.distances[p]));
      for (int m = 0; m <= 2 * one.l; ++m, ++column) {
        const S at_point = phase * radial * real_ylm(one.l, m, near.distances[p]);
        value[column] = real_part(at_point);
        if constexpr (parts == 2) value[count + column] = at_point.imag();
      }
    }
  }
  return values;
}

template <class S>
void MeshProjectors<S>::add_overlaps(const Sphere& sphere, std::optional<int> axis, const S* psi, Index first,
                                     Index width, Matrix<S>& result) const {
  const Index functions = parts * sphere.count;
  PointValues of{sphere.near.points, sphere.values.data(), functions};
  std::vector<double> moments;
  if (axis) {
    moments = sphere.values;
    for (std::size_t i = 0; i < moments.size(); ++i)
      moments[i] *= sphere.near.distances[i / static_cast<std::size_t>(functions)][static_cast<std::size_t>(*axis)];
    of.values = moments.data();
  }
  std::vector<S> sums(static_cast<std::size_t>(functions * width));
  sum_products(of, reinterpret_cast<const double*>(psi), parts * width, reinterpret_cast<double*>(sums.data()));
  for (Index p = 0; p < sphere.count; ++p)
    for (Index b = 0; b < width; ++b) {
      S& overlap = result(sphere.first + p, first + b);
      overlap = sums[static_cast<std::size_t>(p * width + b)];
      if constexpr (parts == 2) overlap -= S(0, 1) * sums[static_cast<std::size_t>((sphere.count + p) * width + b)];
    }
}

template <class S>
template <class BlockAt>
Matrix<S> MeshProjectors<S>::overlaps_of(const InnerProduct& product, std::optional<int> axis, Index bands,
                                         const BlockAt& block_at) const {
  Matrix<S> result(count(), bands);
  if (count() == 0) return result;
  for (Index first = 0; first < bands; first += bands_per_block) {
    const Index width = std::min(bands_per_block, bands - first);
    const S* const block = block_at(first, width);
#pragma omp parallel for schedule(dynamic)
    for (const Sphere& sphere : spheres_) add_overlaps(sphere, axis, block, first, width, result);
  }
  for (S& overlap : result.elements()) overlap *= product.weight;
  product.comm.sum(result.elements());
  return result;
}

template <class S>
Matrix<S> MeshProjectors<S>::overlaps_with(const InnerProduct& product, std::optional<int> axis,
                                           BandView<const S> psi) const {
  Bands<S> block(psi.rows, std::min(bands_per_block, psi.count));
  return overlaps_of(product, axis, psi.count, [&](Index first, Index width) {
    to_states_fastest<S>(psi.slice(first, width), block.view().data);
    return block.view().data;
  });
}

template <class S>
Matrix<S> MeshProjectors<S>::overlaps(const InnerProduct& product, BandView<const S> psi) const {
  return overlaps_with(product, std::nullopt, psi);
}

template <class S>
Matrix<S> MeshProjectors<S>::moments(const InnerProduct& product, int axis, BandView<const S> psi) const {
  return overlaps_with(product, axis, psi);
}

template <class S>
Matrix<S> MeshProjectors<S>::overlaps(const InnerProduct& product, const MeshBlocks<S>& psi) const {
  return overlaps_of(product, std::nullopt, psi.bands(), [&](Index first, Index) { return psi.at(first); });
}

template <class S>
void MeshProjectors<S>::add(const Matrix<S>& weights, Index first, Index width, S* out) const {
  // A thread adds to points of its own: those of an atom are in ascending order.
#pragma omp parallel
  {
    const Index threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const Range mine{num_points_ * thread / threads, num_points_ * (thread + 1) / threads};
    std::vector<S> of_atom;
    for (const Sphere& sphere : spheres_) {
      const auto& points = sphere.near.points;
      const auto begin = std::lower_bound(points.begin(), points.end(), mine.begin) - points.begin();
      const auto end = std::lower_bound(points.begin(), points.end(), mine.end) - points.begin();
      const Index functions = parts * sphere.count;
      of_atom.resize(static_cast<std::size_t>(functions * width));
      for (Index p = 0; p < sphere.count; ++p)
        for (Index b = 0; b < width; ++b) {
          const S weight = weights(sphere.first + p, first + b);
          of_atom[static_cast<std::size_t>(p * width + b)] = weight;
          if constexpr (parts == 2)
            of_atom[static_cast<std::size_t>((sphere.count + p) * width + b)] = S(0, 1) * weight;
        }
      add_products({std::span(points).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
                    sphere.values.data() + begin * functions, functions},
                   reinterpret_cast<const double*>(of_atom.data()), parts * width, reinterpret_cast<double*>(out));
    }
  }
}

template class MeshProjectors<double>;
template class MeshProjectors<std::complex<double>>;

}  // namespace wavegrid
