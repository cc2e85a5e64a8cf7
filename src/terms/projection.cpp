#include "terms/projection.hpp"

#include "linalg/lapack.hpp"
#include "terms/run_sums.hpp"

namespace wavegrid {

template <class Real>
void Projection<Real>::begin(Index arrays) {
  columns_ = 2 * arrays;
  auto& work = spheres_.work();
  work.points.resize(static_cast<std::size_t>(columns_ * spheres_.num_points()));
  if (work.weights.columns() != columns_ || work.weights.rows() != spheres_.num_projectors())
    work.weights = Matrix<Real>(spheres_.num_projectors(), columns_);
}

// Runs are short: real and imaginary parts are written out, which compilers vectorise without checks for overlap.

template <class Real>
void Projection<Real>::take(const Complex* lines, Index row, const Tile& tile, Index array) {
  for_runs(tile, [&](Index line, const SphereRun& run) {
    const Real* const __restrict v = reinterpret_cast<const Real*>(lines + line * row + run.z);
    Real* const __restrict re = column(2 * array) + run.point;
    Real* const __restrict im = column(2 * array + 1) + run.point;
    if (setting_.phases.empty()) {
      for (Index j = 0; j < run.length; ++j) re[j] = v[2 * j], im[j] = v[2 * j + 1];
      return;
    }
    const Real* const __restrict phase = reinterpret_cast<const Real*>(setting_.phases.data() + run.point);
    for (Index j = 0; j < run.length; ++j) {
      re[j] = v[2 * j] * phase[2 * j] - v[2 * j + 1] * phase[2 * j + 1];
      im[j] = v[2 * j] * phase[2 * j + 1] + v[2 * j + 1] * phase[2 * j];
    }
  });
}

template <class Real>
void Projection<Real>::add(Complex* lines, Index row, const Tile& tile, Index array) const {
  for_runs(tile, [&](Index line, const SphereRun& run) {
    Real* const __restrict v = reinterpret_cast<Real*>(lines + line * row + run.z);
    const Real* const __restrict re = column(2 * array) + run.point;
    const Real* const __restrict im = column(2 * array + 1) + run.point;
    if (setting_.phases.empty()) {
      for (Index j = 0; j < run.length; ++j) v[2 * j] += re[j], v[2 * j + 1] += im[j];
      return;
    }
    const Real* const __restrict phase = reinterpret_cast<const Real*>(setting_.phases.data() + run.point);
    for (Index j = 0; j < run.length; ++j) {
      v[2 * j] += re[j] * phase[2 * j] + im[j] * phase[2 * j + 1];
      v[2 * j + 1] += im[j] * phase[2 * j] - re[j] * phase[2 * j + 1];
    }
  });
}

template <class Real>
void Projection<Real>::combine(const BandNumbers& numbers, Index bands) {
  const Profile::Guard guard(setting_.profile, Phase::nonlocal);
  if (setting_.in_order) {
    sum_in_order();
  } else {
    const Index points = spheres_.num_points();
    Matrix<Real>& w = weights();
    std::fill_n(w.data(), w.size(), Real(0));
#pragma omp parallel for schedule(dynamic, 4)
    for (const ProjectorSphere& sphere : spheres_.spheres()) {
      const Index n = sphere.points.size();
      if (n > 0 && !sphere.projectors.empty())
        lapack::gemm<Real>('T', 'N', sphere.projectors.size(), columns_, n, factor(), spheres_.values(sphere), n,
                           column(0) + sphere.points.begin, points, Real(0), &w(sphere.projectors.begin, 0), w.rows());
    }
    setting_.grid.sum(w.elements());
  }
  finish(numbers, bands);
}

/// A run lies on one rank whatever the distribution: its sum is a piece of the overlap.
template <class Real>
void Projection<Real>::sum_in_order() {
  Matrix<Real>& w = weights();
  RunSums sums(static_cast<std::size_t>(w.size()), true);
  for (const ProjectorSphere& sphere : spheres_.spheres())
    for (const SphereRun& run : spheres_.runs(sphere))
      for (Index p = 0; p < sphere.projectors.size(); ++p) {
        const Real* const values = spheres_.values(sphere) + p * sphere.points.size() + run.point - sphere.points.begin;
        for (Index c = 0; c < columns_; ++c) {
          const Real* const psi = column(c) + run.point;
          double sum = 0;
          for (Index j = 0; j < run.length; ++j) sum += values[j] * psi[j];
          sums.add(static_cast<std::size_t>(sphere.projectors.begin + p + c * w.rows()), sum);
        }
      }
  const std::vector<double> total = sums.total(setting_.grid);
  for (std::size_t i = 0; i < total.size(); ++i) w.data()[i] = factor() * static_cast<Real>(total[i]);
}

template class Projection<float>;
template class Projection<double>;

}  // namespace wavegrid
