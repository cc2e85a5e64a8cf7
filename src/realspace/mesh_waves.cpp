#include <algorithm>
#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/eigen/orthonormalise.hpp>
#include <wavegrid/fft/field_exchange.hpp>
#include <wavegrid/realspace/mesh_box.hpp>
#include <wavegrid/realspace/mesh_waves.hpp>

namespace wavegrid {

namespace {

constexpr Index bands_in_box = 8;  ///< whose values in the box are held at the same time

/// This rank's points in a box, in local order; those outside the box have ids that no point of the box has.
IndexList points_in(const Mesh& mesh, const Int3& counts, const Int3& origin) {
  const Index outside = Index{counts[0]} * counts[1] * counts[2];
  IndexList list;
  for (const LocalLine& line : mesh.lines()) {
    const Index i = line.i + origin[0], j = line.j + origin[1];
    const Range k{line.k.begin + origin[2], line.k.end + origin[2]};
    const bool column_inside = i >= 0 && i < counts[0] && j >= 0 && j < counts[1];
    const Range inside = column_inside
                             ? Range{std::clamp<Index>(k.begin, 0, counts[2]), std::clamp<Index>(k.end, 0, counts[2])}
                             : Range{k.end, k.end};
    const Index before = inside.begin - k.begin, after = k.end - inside.end, row = (i * counts[1] + j) * counts[2];
    if (before > 0) list.append({outside, outside + before});
    if (!inside.empty()) list.append({row + inside.begin, row + inside.end});
    if (after > 0) list.append({outside, outside + after});
  }
  return list;
}

ExchangePlan plan_of(const Mesh& mesh, const FftLayout& layout, const Int3& origin) {
  MatchedRuns runs =
      match_layouts(mesh.comm(), grid_indices(layout), points_in(mesh, layout.grid, origin), Unowned::leave_out);
  return {mesh.comm(), std::move(runs.sends), std::move(runs.receives), Transport::alltoallv};
}

}  // namespace

WaveBox WaveBox::around(const MeshGrid& grid) {
  if (grid.region().kind == MeshRegion::Kind::cell) return {grid.lattice(), grid.counts(), {0, 0, 0}};
  Int3 counts{}, origin{};
  Mat3 vectors = grid.steps();
  for (std::size_t i = 0; i < 3; ++i) {
    counts[i] = smooth_size_from(grid.upper()[i] - grid.lower()[i]);
    origin[i] = -grid.lower()[i];
    vectors[i] = static_cast<double>(counts[i]) * vectors[i];
  }
  return {Lattice(vectors), counts, origin};
}

double WaveBox::largest_cutoff(const std::vector<KPoint>& kpoints) const {
  double least = std::numeric_limits<double>::max();
  for (const KPoint& point : kpoints)
    for (std::size_t i = 0; i < 3; ++i) {
      const double waves = (counts[i] - 1) / 2 + 1 - std::abs(point.k[i]);  // the first that does not fit
      const double g = waves * 2.0 * units::pi / norm(lattice.vectors()[i]);
      least = std::min(least, 0.5 * g * g);
    }
  return (1 - 1e-6) * least;
}

Vec3 WaveBox::from_points(const Vec3& points) const {
  Vec3 fractions{};
  for (std::size_t i = 0; i < 3; ++i) fractions[i] = (points[i] + origin[i]) / counts[i];
  return fractions;
}

Vec3 WaveBox::to_points(const Vec3& fractions) const {
  Vec3 points{};
  for (std::size_t i = 0; i < 3; ++i) points[i] = fractions[i] * counts[i] - origin[i];
  return points;
}

template <class S>
MeshWaves<S>::MeshWaves(const Mesh& mesh, const WaveBox& box, double ecut, const Vec3& kpoint, int components)
    : mesh_(mesh),
      kpoint_(kpoint),
      components_(components),
      counts_(mesh.grid().counts()),
      volume_(box.lattice.volume()),
      ranks_(ranks_of_box(mesh.comm(), box.counts)),
      sphere_(box.lattice, ecut, box.counts, ScalarTraits<S>::is_real ? Mode::gamma : Mode::complex, kpoint),
      partition_(
          make_partition(Scheme::greedy, sphere_.counts(), {ranks_.rows(), ranks_.columns()}, mesh.comm().size())),
      waves_(sphere_, partition_, mesh.comm().rank()),
      fft_(ranks_, partition_, sphere_, {.transport = Transport::alltoallv, .effort = PlanEffort::estimate}),
      plan_(plan_of(mesh, fft_.layout(), box.origin)) {}

template <class S>
void MeshWaves<S>::multiply_phases(int sign, BandView<S> values) const {
  if constexpr (!ScalarTraits<S>::is_real) {
    const std::vector<Int3> points = mesh_.points();
    for (Index p = 0; p < values.rows; ++p) {
      double angle = 0;
      for (std::size_t i = 0; i < 3; ++i)
        angle += 2.0 * units::pi * kpoint_[i] * points[static_cast<std::size_t>(p)][i] / counts_[i];
      const S phase = std::polar(1.0, sign * angle);
      for (Index b = 0; b < values.count; ++b) values.band(b)[p] *= phase;
    }
  }
}

template <class S>
Bands<S> MeshWaves<S>::to_waves(BandView<const S> spinors) {
  Bands<S> found(waves_.size() * rows_per_wave<S> * components_, spinors.count);
  const BandView<const S> bands = spinors.split(components_);
  const BandView<S> waves = found.view().split(components_);
  const Index in_box = fft_.grid_size();
  const double scale = std::sqrt(volume_);
  for (Index first = 0; first < bands.count; first += bands_in_box) {
    const Index count = std::min(bands_in_box, bands.count - first);
    Bands<S> values(bands.rows, count);
    std::copy_n(bands.band(first), bands.rows * count, values.view().data);
    multiply_phases(-1, values.view());
    std::vector<S> box(static_cast<std::size_t>(in_box * count), S(0));
    plan_.backward(values.view().data, box.data(),
                   {.count = count, .source_stride = in_box, .target_stride = bands.rows});
    fft_.to_recip(box.data(), coefficients(waves.slice(first, count)), count);
  }
  std::for_each_n(found.view().data, found.rows() * found.count(), [&](S& value) { value *= scale; });
  return orthonormal_part(product(), std::move(found));
}

template <class S>
Bands<S> MeshWaves<S>::to_mesh(BandView<const S> coefficients_of_bands) {
  Bands<S> found(mesh_.num_points() * components_, coefficients_of_bands.count);
  const BandView<const S> waves = coefficients_of_bands.split(components_);
  const BandView<S> values = found.view().split(components_);
  std::fill_n(values.data, values.rows * values.count, S(0));
  const Index in_box = fft_.grid_size();
  for (Index first = 0; first < waves.count; first += bands_in_box) {
    const Index count = std::min(bands_in_box, waves.count - first);
    std::vector<S> box(static_cast<std::size_t>(in_box * count));
    fft_.to_real(coefficients(waves.slice(first, count)), box.data(), count);
    plan_.forward(box.data(), values.band(first),
                  {.count = count, .source_stride = in_box, .target_stride = values.rows});
  }
  const double scale = 1 / std::sqrt(volume_);
  std::for_each_n(values.data, values.rows * values.count, [&](S& value) { value *= scale; });
  multiply_phases(1, values);
  return found;
}

template <class S>
std::vector<double> MeshWaves<S>::on_box(const std::vector<double>& values) {
  std::vector<double> in_box(static_cast<std::size_t>(fft_.grid_size()), 0.0);
  plan_.backward(values.data(), in_box.data(), {});
  return in_box;
}

template <class S>
std::vector<double> MeshWaves<S>::on_mesh(const std::vector<double>& in_box) {
  std::vector<double> values(static_cast<std::size_t>(mesh_.num_points()), 0.0);
  plan_.forward(in_box.data(), values.data(), {});
  return values;
}

template class MeshWaves<double>;
template class MeshWaves<std::complex<double>>;

}  // namespace wavegrid
