#include <omp.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include <wavegrid/atom/filtered_projectors.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/spherical_harmonics.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/realspace/mesh_projectors.hpp>
#include <wavegrid/realspace/projector_kernel.hpp>
#include <wavegrid/realspace/shell_functions.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
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

MeshFunctions functions_of(const FilteredProjectors& projectors) {
  MeshFunctions found{{}, projectors.radius};
  for (const FilteredProjector& one : projectors.all) found.all.push_back({one.l, one.radial.value});
  return found;
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
  std::vector<MeshFunctions> species_functions, species_orbitals;
  std::vector<double> strengths;
  const auto orbitals = combined_orbitals(atoms);
  for (std::size_t species = 0; species < atoms.size(); ++species) {
    species_projectors.push_back(projectors_of(atoms[species]->without_hubbard(), largest_g));
    species_functions.push_back(functions_of(species_projectors.back()));
    species_orbitals.push_back(
        shell_functions(*atoms[species], orbitals[species], {inner_share * largest_g, outer_share * largest_g}));
  }
  MeshOrbitals<S> made;
  for (int a = 0; a < crystal.num_atoms(); ++a) {
    const auto species = static_cast<std::size_t>(crystal.atoms[static_cast<std::size_t>(a)].species);
    const Index first = num_projectors_;
    for (const FilteredProjector& one : species_projectors[species].all)
      strengths.insert(strengths.end(), static_cast<std::size_t>(2 * one.l + 1), one.strength);
    Index function = std::ssize(atom_of_);
    const Index count = add_atom(mesh, kpoint, crystal, a, species_functions[species]);
    for (Index p = 0; p < count; ++p) made.others.emplace_back(function + p, num_projectors_++);
    function += count;
    (void)add_atom(mesh, kpoint, crystal, a, species_orbitals[species]);
    for (const SpeciesOrbital& orbital : orbitals[species])
      for (int m = 0; m <= 2 * orbital.l; ++m, ++function) {
        if (orbital.is_shell) {
          made.combination.shells.push_back(std::ssize(made.functions));
          made.shells.push_back(num_projectors_++);
        }
        made.functions.push_back(function);
      }
    atom_projectors_.push_back({first, num_projectors_});
  }
  if (has_spin_orbit(atoms))
    couplings_ = Couplings(spinor_couplings(crystal, atoms), atom_projectors_);
  else if (has_hubbard(atoms))
    couplings_ = Couplings(bare_couplings(crystal, atoms), atom_projectors_);
  else
    couplings_ = Couplings(std::move(strengths));
  if (!are_orthogonalised(atoms)) return;  // each function is a projector, in the same order
  orbitals_ = std::move(made);
  orthogonalise_orbitals(mesh);
}

template <class S>
Index MeshProjectors<S>::add_atom(const Mesh& mesh, const Vec3& kpoint, const Crystal& crystal, int atom,
                                  const MeshFunctions& functions) {
  const Index first = std::ssize(atom_of_), count = functions.count();
  if (count == 0) return count;
  atom_of_.insert(atom_of_.end(), static_cast<std::size_t>(count), atom);
  NearPoints near = points_near(mesh, crystal.cartesian(atom), functions.radius);
  if (near.points.empty()) return count;
  std::vector<double> values = values_at(near, functions, count, kpoint);
  near.images.clear();
  spheres_.push_back({std::move(near), std::move(values), first, count, {}});
  fold_images(spheres_.back());
  return count;
}

template <class S>
void MeshProjectors<S>::fold_images(Sphere& sphere) {
  constexpr std::size_t worthwhile = 4;  // the moments are three more values of each
  NearPoints& near = sphere.near;
  std::vector<Index> points = near.points;
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (near.points.size() < worthwhile * points.size()) return;
  const auto functions = static_cast<std::size_t>(parts * sphere.count);
  std::vector<double> sums(points.size() * functions);
  for (auto& moments : sphere.moments) moments.assign(sums.size(), 0.0);
  std::size_t to = 0;
  for (std::size_t p = 0; p < near.points.size(); ++p) {
    if (near.points[p] != points[to / functions]) to += functions;
    for (std::size_t f = 0; f < functions; ++f) {
      const double value = sphere.values[p * functions + f];
      sums[to + f] += value;
      for (std::size_t axis = 0; axis < 3; ++axis) sphere.moments[axis][to + f] += near.distances[p][axis] * value;
    }
  }
  near = {std::move(points), {}, {}};
  sphere.values = std::move(sums);
}

template <class S>
void MeshProjectors<S>::orthogonalise_orbitals(const Mesh& mesh) {
  const InnerProduct product{.comm = mesh.comm(), .weight = mesh.grid().point_volume()};
  const Index count = std::ssize(orbitals_->functions);
  const Bands<S> phi = orbital_bands(count);
  const Matrix<S> all = function_overlaps(product, phi.view());
  Matrix<S> o(count, count);
  for (Index j = 0; j < count; ++j)
    for (Index i = 0; i < count; ++i) o(i, j) = all(orbitals_->functions[static_cast<std::size_t>(i)], j);
  orbitals_->combination.size = count;
  orthogonalise(std::move(o), orbitals_->combination);
  orbitals_->columns = shell_columns(orbitals_->combination);
}

template <class S>
Bands<S> MeshProjectors<S>::orbital_bands(Index count) const {
  Bands<S> bands(num_points_, count);
  std::vector<S> block;
  for (Index first = 0; first < count; first += bands_per_block) {
    const Index width = std::min(bands_per_block, count - first);
    Matrix<S> one_each(std::ssize(atom_of_), width);
    for (Index b = 0; b < width && first + b < std::ssize(orbitals_->functions); ++b)
      one_each(orbitals_->functions[static_cast<std::size_t>(first + b)], b) = S(1);
    block.assign(static_cast<std::size_t>(num_points_ * width), S(0));
    add_functions(one_each, 0, width, block.data());
    to_points_fastest<S>(block.data(), bands.view().slice(first, width));
  }
  return bands;
}

template <class S>
std::vector<double> MeshProjectors<S>::values_at(const NearPoints& near, const MeshFunctions& functions, Index count,
                                                 const Vec3& kpoint) {
  std::vector<double> values(near.points.size() * static_cast<std::size_t>(parts * count));
  double* value = values.data();
  for (std::size_t p = 0; p < near.points.size(); ++p, value += parts * count) {
    Index column = 0;
    const S phase = image_phase<S>(kpoint, near.images[p]);
    for (const MeshFunction& one : functions.all) {
      const double radial = one.radial(norm(near.distances[p]));
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
  if (axis && !sphere.moments.front().empty()) {
    of.values = sphere.moments[static_cast<std::size_t>(*axis)].data();
  } else if (axis) {
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
  Matrix<S> result(std::ssize(atom_of_), bands);
  if (result.rows() == 0) return result;
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
Matrix<S> MeshProjectors<S>::function_overlaps(const InnerProduct& product, BandView<const S> psi) const {
  return overlaps_with(product, std::nullopt, psi);
}

template <class S>
Matrix<S> MeshProjectors<S>::function_moments(const InnerProduct& product, int axis, BandView<const S> psi) const {
  return overlaps_with(product, axis, psi);
}

template <class S>
Matrix<S> MeshProjectors<S>::overlaps(const InnerProduct& product, const MeshBlocks<S>& psi) const {
  return of_projectors(
      overlaps_of(product, std::nullopt, psi.bands(), [&](Index first, Index) { return psi.at(first); }));
}

template <class S>
Matrix<S> MeshProjectors<S>::of_projectors(Matrix<S> functions) const {
  if (!orbitals_) return functions;
  Matrix<S> result(count(), functions.columns());
  for (Index b = 0; b < result.columns(); ++b) {
    for (const auto& [function, projector] : orbitals_->others) result(projector, b) = functions(function, b);
    for (Index h = 0; h < orbitals_->columns.columns(); ++h) {
      S& sum = result(orbitals_->shells[static_cast<std::size_t>(h)], b);
      for (Index m = 0; m < orbitals_->columns.rows(); ++m)
        sum += conjugate(orbitals_->columns(m, h)) * functions(orbitals_->functions[static_cast<std::size_t>(m)], b);
    }
  }
  return result;
}

template <class S>
Matrix<S> MeshProjectors<S>::of_functions(const Matrix<S>& weights, Index first, Index width) const {
  Matrix<S> result(std::ssize(atom_of_), width);
  for (Index b = 0; b < width; ++b) {
    for (const auto& [function, projector] : orbitals_->others) result(function, b) = weights(projector, first + b);
    for (Index h = 0; h < orbitals_->columns.columns(); ++h) {
      const S weight = weights(orbitals_->shells[static_cast<std::size_t>(h)], first + b);
      for (Index m = 0; m < orbitals_->columns.rows(); ++m)
        result(orbitals_->functions[static_cast<std::size_t>(m)], b) += orbitals_->columns(m, h) * weight;
    }
  }
  return result;
}

template <class S>
void MeshProjectors<S>::add(const Matrix<S>& weights, Index first, Index width, S* out) const {
  if (orbitals_) return add_functions(of_functions(weights, first, width), 0, width, out);
  add_functions(weights, first, width, out);
}

template <class S>
void MeshProjectors<S>::add_functions(const Matrix<S>& weights, Index first, Index width, S* out) const {
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
