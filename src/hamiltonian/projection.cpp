#include <omp.h>

#include <algorithm>

#include <wavegrid/hamiltonian/projection.hpp>
#include <wavegrid/hamiltonian/reproducible_sums.hpp>

namespace wavegrid {

template <class Real, class Base>
void Projection<Real, Base>::read(const GridArrays<Real>& block, const BandNumbers& numbers, Index bands) {
  const Profile::Guard guard(setting_.profile, Phase::nonlocal);
  auto& work = spheres_.work();
  const Index groups = num_groups(block);
  work.sums.resize(static_cast<std::size_t>(spheres_.num_sums() * lanes<Real>));
  work.weights.resize(static_cast<std::size_t>(groups * spheres_.num_projectors() * lanes<Real>));
  for (Index group = 0; group < groups; ++group) {
    project(block, group);
    setting_.in_order ? sum_in_order(group, 2 * arrays_of(block, group).count) : sum_pieces(group);
  }
  if (!setting_.in_order) setting_.grid.sum(std::span<Real>(work.weights));
  finish(block, numbers, bands);
}

template <class Real, class Base>
void Projection<Real, Base>::project(const GridArrays<Real>& block, Index group) {
  for_planes(block, group, [&](Index x, const Real* plane) {
    for (const Index number : spheres_.plane_pieces(x)) {
      const SpherePiece& piece = spheres_.pieces()[static_cast<std::size_t>(number)];
      project_slice(slice(piece), plane, sums(piece));
    }
  });
}

template <class Real, class Base>
void Projection<Real, Base>::for_planes(const GridArrays<Real>& block, Index group,
                                        const std::function<void(Index x, Real* plane)>& action) const {
  const ArrayGroup<Real> arrays = arrays_of(block, group);
  const Index nz = setting_.block.grid[2], size = setting_.block.y.size() * nz * lanes<Real>;
  auto& planes = spheres_.work().planes;
  planes.resize(static_cast<std::size_t>(omp_get_max_threads() * size));
#pragma omp parallel for schedule(dynamic)
  for (Index x = 0; x < setting_.block.x.size(); ++x) {
    Real* const plane = planes.data() + omp_get_thread_num() * size;
    for (const Index y : spheres_.plane_lines(x))
      interleave(arrays, first_point(x, y), nz, plane + y * nz * lanes<Real>);
    action(x, plane);
  }
}

template <class Real, class Base>
void Projection<Real, Base>::sum_pieces(Index group) {
  std::fill_n(weights(group), spheres_.num_projectors() * lanes<Real>, Real(0));
#pragma omp parallel for schedule(static)
  for (const ProjectorSphere& sphere : spheres_.spheres()) {
    Real* const __restrict to = weights(group) + sphere.projectors.begin * lanes<Real>;
    for (Index i = sphere.pieces.begin; i < sphere.pieces.end; ++i) {
      const Real* const __restrict from = sums(spheres_.pieces()[static_cast<std::size_t>(i)]);
      for (Index p = 0; p < sphere.projectors.size() * lanes<Real>; ++p) to[p] += factor() * from[p];
    }
  }
}

/// A piece is a run, which lies on one rank whatever the distribution.
template <class Real, class Base>
void Projection<Real, Base>::sum_in_order(Index group, Index columns) {
  const Index num_weights = spheres_.num_projectors() * lanes<Real>;
  ReproducibleSums all(static_cast<std::size_t>(num_weights), true);
  for (const SpherePiece& piece : spheres_.pieces()) {
    const Range projectors = spheres_.spheres()[static_cast<std::size_t>(piece.sphere)].projectors;
    for (Index p = 0; p < projectors.size(); ++p)
      for (Index c = 0; c < columns; ++c)
        all.add(static_cast<std::size_t>((projectors.begin + p) * lanes<Real> + c), sums(piece)[p * lanes<Real> + c]);
  }
  const std::vector<double> total = all.total(setting_.grid);
  for (std::size_t i = 0; i < total.size(); ++i) weights(group)[i] = factor() * static_cast<Real>(total[i]);
}

template class Projection<float>;
template class Projection<double>;
template class Projection<float, GridOperator<float>>;
template class Projection<double, GridOperator<double>>;

}  // namespace wavegrid
