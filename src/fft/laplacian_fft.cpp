#include <algorithm>

#include <wavegrid/fft/laplacian_fft.hpp>

namespace wavegrid {

template <class Real>
LaplacianFft<Real>::LaplacianFft(SphereFft<Real>& fft, PlaneWaves waves, std::shared_ptr<FftWorkspace> workspace)
    : fft_(fft),
      workspace_(workspace ? std::move(workspace) : std::make_shared<FftWorkspace>()),
      waves_(std::move(waves)) {
  shift({0, 0, 0});
  workspace_->reserve<Complex>(FftWorkspace::Array::laplacian, fft.bands_on_grid() * fft.size());
}

template <class Real>
void LaplacianFft<Real>::shift(const Vec3& change) {
  waves_ = waves_.shifted(change);
  laplacian_.clear();
  for (const double kinetic : waves_.kinetic()) laplacian_.push_back(static_cast<Real>(-2.0 * kinetic));
}

template <class Real>
Index LaplacianFft<Real>::set_pairs(const Complex* psi, Index bands, Index group) {
  const Index n = fft_.size(), groups = ceil_div(bands, group);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < groups * group; ++i) {
    Complex* const to = pairs() + (i / group * 2 * group + i % group) * n;
    Complex* const laplacian = to + group * n;
    if (i >= bands) {
      std::fill_n(to, n, Complex(0));
      std::fill_n(laplacian, n, Complex(0));
      continue;
    }
    const Complex* const from = psi + i * n;
    for (Index g = 0; g < n; ++g) {
      to[g] = from[g];
      laplacian[g] = laplacian_[static_cast<std::size_t>(g)] * from[g];
    }
  }
  return 2 * groups * group;
}

template <class Real>
void LaplacianFft<Real>::take_pairs(Complex* out, Index bands, Index group) const {
  const Index n = fft_.size();
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < bands; ++i) {
    const Complex* const a = pairs() + (i / group * 2 * group + i % group) * n;
    const Complex* const b = a + group * n;
    Complex* const to = out + i * n;
    for (Index g = 0; g < n; ++g) to[g] = a[g] + laplacian_[static_cast<std::size_t>(g)] * b[g];
  }
}

template <class Real>
void LaplacianFft<Real>::multiply_pairs(const GridArrays<Real>& pairs, const GridOperators<Real>& operators,
                                        const BandNumbers& numbers, Index bands) const {
  const GridArrays<Real> band_arrays{pairs.values, pairs.count / 2, 2 * pairs.stride};
  for (GridOperator<Real>* one : operators.others) one->read(band_arrays, numbers, bands);
  const Index points = fft_.grid_size();
  for (Index array = 0; array < pairs.count; array += 2) {
    Complex* const a = pairs.values + array * pairs.stride;
    Complex* const b = a + pairs.stride;
#pragma omp parallel for simd schedule(static)
    for (Index r = 0; r < points; ++r) {
      const Real quarter = Real(-0.25) * operators.v_tau[r];
      const Complex product = quarter * a[r];
      a[r] = operators.potential[r] * a[r] + quarter * b[r];
      b[r] = product;
    }
  }
  for (GridOperator<Real>* one : operators.others) one->apply(band_arrays, nullptr);
}

template <class Real>
void LaplacianFft<Real>::multiply_lines(Index pairs, const GridOperators<Real>& operators) {
  fft_.transform_pairs(this->pairs(), pairs, true, [&](Complex* a, Complex* b, Index first, Index points, Index) {
    const Real *const v = operators.potential + first, *const v_tau = operators.v_tau + first;
    if (b == nullptr)
      for (Index r = 0; r < points; ++r) {
        const Real quarter = Real(-0.25) * v_tau[r], psi = a[r].real();
        a[r] = Complex(v[r] * psi + quarter * a[r].imag(), quarter * psi);
      }
    else
      for (Index r = 0; r < points; ++r) {
        const Real quarter = Real(-0.25) * v_tau[r];
        const Complex product = quarter * a[r];
        a[r] = v[r] * a[r] + quarter * b[r];
        b[r] = product;
      }
  });
}

template <class Real>
void LaplacianFft<Real>::apply(const Complex* psi, const GridOperators<Real>& operators, Complex* out,
                               const BandNumbers& numbers, Index bands) {
  if (operators.others.empty() &&
      fft_.apply_in_lanes({psi, laplacian_.data()}, {operators.potential, operators.v_tau}, out, bands))
    return;
  const Index n = fft_.size(), group = operators.others.empty() ? 1 : fft_.bands_per_transform();
  const auto step = [&](Index first, Index count) {
    for (const Index end = first + count; first < end; first += block()) {
      const Index here = std::min(block(), end - first), all = set_pairs(psi + first * n, here, group);
      if (operators.others.empty()) {
        multiply_lines(here, operators);
      } else {
        const GridArrays<Real> arrays = fft_.to_grid(pairs(), all);
        multiply_pairs(arrays, operators, {numbers.first + first * numbers.stride, numbers.stride, numbers.end}, here);
        fft_.from_grid(arrays, pairs(), all);
      }
      take_pairs(out + first * n, here, group);
    }
  };
  const Index done = fft_.run_tuning(bands, step);
  step(done, bands - done);
}

template <class Real>
void LaplacianFft<Real>::accumulate(const Complex* psi, std::span<const double> weights, double* density,
                                    double* kinetic, Index bands) {
  if (fft_.accumulate_in_lanes({psi, laplacian_.data()}, weights, {density, kinetic}, bands)) return;
  for (Index first = 0; first < bands; first += block()) {
    const Index here = std::min(block(), bands - first);
    set_pairs(psi + first * fft_.size(), here, 1);
    fft_.transform_pairs(pairs(), here, false, [&](Complex* a, Complex* b, Index point, Index points, Index pair) {
      const double weight = weights[static_cast<std::size_t>(first + pair)];
      double *const n = density + point, *const tau = kinetic + point;
      for (Index r = 0; r < points; ++r) {
        const double x = a[r].real(), y = a[r].imag();
        n[r] += weight * (b == nullptr ? x * x : x * x + y * y);
        tau[r] -= 0.5 * weight * (b == nullptr ? x * y : x * double(b[r].real()) + y * double(b[r].imag()));
      }
    });
  }
}

template <class Real>
double LaplacianFft<Real>::work_bytes(const FftLayout& layout, const Partition& partition, const FftOptions& options,
                                      Index waves) {
  return SphereFft<Real>::grid_bytes(layout, partition, options) / static_cast<double>(layout.grid_size()) *
         static_cast<double>(waves * (layout.mode == Mode::gamma ? 2 : 1));
}

template class LaplacianFft<float>;
template class LaplacianFft<double>;

}  // namespace wavegrid
