#include "fft/sphere_fft.hpp"

#include <omp.h>

#include <algorithm>

namespace wavegrid {

namespace {

ExchangePlan plan_to_planes(const ProcessGrid& ranks, const Partition& partition, const FftLayout& layout,
                            Transport transport) {
  TransposeRuns runs = sticks_to_planes(layout, partition);
  const Comm& comm = partition.rows_are_closed() ? ranks.row_group() : ranks.all();
  return {comm, std::move(runs.sends), std::move(runs.receives), transport};
}

ExchangePlan plan_to_sections(const ProcessGrid& ranks, const Partition& partition, const FftLayout& layout,
                              Transport transport) {
  TransposeRuns runs = planes_to_sections(layout, partition);
  return {ranks.column_group(), std::move(runs.sends), std::move(runs.receives), transport};
}

Index count_plane_waves(const GSphere& sphere, const FftLayout& layout) {
  Index size = 0;
  for (const int stick : layout.my_sticks) size += sphere.counts().count[static_cast<std::size_t>(stick)];
  return size;
}

}  // namespace

template <class Real>
SphereFft<Real>::SphereFft(const ProcessGrid& ranks, const Partition& partition, const GSphere& sphere,
                           const FftOptions& options)
    : layout_(sphere, partition, ranks.all().rank(), sizeof(Complex)),
      options_(options),
      size_(count_plane_waves(sphere, layout_)),
      sticks_(sphere, layout_, options.effort),
      planes_(layout_, options.effort),
      lines_(layout_, options.effort),
      to_planes_(plan_to_planes(ranks, partition, layout_, options.transport)),
      to_sections_(plan_to_sections(ranks, partition, layout_, options.transport)) {
  const bool alone = ranks.all().size() == 1;
  block_ = alone ? lanes() * options.threads : (options.block + lanes() - 1) / lanes() * lanes();
  const auto reserve = [this](AlignedVector<Complex>& data, Index band) {
    data.resize(static_cast<std::size_t>(block_ * band));
  };
  reserve(stick_data_, layout_.stick_size());
  if (!to_planes_.is_identity()) reserve(arrived_data_, layout_.arrived_size());
  if (layout_.shape.rows > 1) {
    reserve(plane_data_, layout_.x.size() * layout_.plane_size());
    reserve(section_data_, layout_.x.size() * layout_.section_size());
  }
  const Index planes_of_x = lanes() * layout_.plane_size() + layout_.lines_size();
  work_size_ = padded_row(std::max(sticks_.workspace(), planes_of_x), sizeof(Complex));
  work_.resize(static_cast<std::size_t>(options.threads * work_size_));
}

template <class Real>
void SphereFft<Real>::move(ExchangePlan& plan, bool forward, Complex* source, Index source_stride, Complex* target,
                           Index target_stride, Index count) {
  const Profile::Guard guard(options_.profile, Phase::exchange);
  const Batch batch{count, source_stride, target_stride};
  if (forward)
    plan.forward(source, target, batch);
  else
    plan.backward(target, source, batch);
}

template <class Real>
void SphereFft<Real>::sticks_out(const Complex* psi, Index count) {
#pragma omp parallel for num_threads(options_.threads) schedule(static)
  for (Index b = 0; b < count; ++b)
    sticks_.backward(psi + b * size_, stick_data_.data() + b * layout_.stick_size(),
                     work_.data() + omp_get_thread_num() * work_size_);
  if (!to_planes_.is_identity())
    move(to_planes_, true, stick_data_.data(), layout_.stick_size(), arrived_data_.data(), layout_.arrived_size(),
         count);
}

template <class Real>
void SphereFft<Real>::sticks_back(Complex* psi, Index count) {
  if (!to_planes_.is_identity())
    move(to_planes_, false, stick_data_.data(), layout_.stick_size(), arrived_data_.data(), layout_.arrived_size(),
         count);
  const Real scale = Real(1) / (Real(layout_.grid[0]) * Real(layout_.grid[1]) * Real(layout_.grid[2]));
#pragma omp parallel for num_threads(options_.threads) schedule(static)
  for (Index b = 0; b < count; ++b)
    sticks_.forward(stick_data_.data() + b * layout_.stick_size(), psi + b * size_,
                    work_.data() + omp_get_thread_num() * work_size_, scale);
}

template <class Real>
void SphereFft<Real>::lines_of(const Route& route, Complex* a, Complex* b, Complex* lines,
                               const std::function<void()>& visit) const {
  const bool pair = layout_.mode == Mode::gamma;
  if (route.to_grid) pair ? lines_.backward_pair(a, b, lines) : lines_.backward(a, lines);
  visit();
  if (route.to_sphere) pair ? lines_.forward_pair(lines, a, b) : lines_.forward(lines, a);
}

/// One process row: ranks hold whole yz-planes, and a plane stays in cache from its y transform to its way back.
template <class Real>
void SphereFft<Real>::whole_planes(const Route& route, Index first, Index count, const OnLines& on_lines) {
  AlignedVector<Complex>& data = to_planes_.is_identity() ? stick_data_ : arrived_data_;
  const Index band_stride = to_planes_.is_identity() ? layout_.stick_size() : layout_.arrived_size();
#pragma omp parallel for num_threads(options_.threads) schedule(static)
  for (Index x = 0; x < layout_.x.size(); ++x) {
    Complex* const columns = work_.data() + omp_get_thread_num() * work_size_;
    Complex* const lines = columns + lanes() * layout_.plane_size();
    for (Index b = 0; b < count; b += lanes()) {
      const Index lanes_here = std::min(lanes(), count - b);
      const auto sticks_at = [&](Index lane) {
        return data.data() + (b + lane) * band_stride + x * layout_.arrived_row;
      };
      const auto columns_at = [&](Index lane) { return columns + lane * layout_.plane_size(); };
      if (route.to_grid)
        for (Index lane = 0; lane < lanes_here; ++lane) planes_.backward(sticks_at(lane), columns_at(lane));
      lines_of(route, columns_at(0), lanes_here > 1 ? columns_at(1) : nullptr, lines,
               [&] { on_lines(lines, x, first + b); });
      if (route.to_sphere)
        for (Index lane = 0; lane < lanes_here; ++lane) planes_.forward(columns_at(lane), sticks_at(lane));
    }
  }
}

/// Several process rows: all planes of the block, the second transpose, then line by line.
template <class Real>
void SphereFft<Real>::sections(const Route& route, Index first, Index count, const OnLines& on_lines) {
  AlignedVector<Complex>& data = to_planes_.is_identity() ? stick_data_ : arrived_data_;
  const Index arrived_stride = to_planes_.is_identity() ? layout_.stick_size() : layout_.arrived_size();
  const Index my_x = layout_.x.size();
  const Index plane_stride = my_x * layout_.plane_size(), section_stride = my_x * layout_.section_size();
  const auto sticks_at = [&](Index b, Index x) { return data.data() + b * arrived_stride + x * layout_.arrived_row; };
  const auto columns_at = [&](Index b, Index x) {
    return plane_data_.data() + b * plane_stride + x * layout_.plane_size();
  };
  if (route.to_grid) {
#pragma omp parallel for collapse(2) num_threads(options_.threads) schedule(static)
    for (Index b = 0; b < count; ++b)
      for (Index x = 0; x < my_x; ++x) planes_.backward(sticks_at(b, x), columns_at(b, x));
    move(to_sections_, true, plane_data_.data(), plane_stride, section_data_.data(), section_stride, count);
  }
#pragma omp parallel for num_threads(options_.threads) schedule(static)
  for (Index x = 0; x < my_x; ++x) {
    Complex* const lines = work_.data() + omp_get_thread_num() * work_size_;
    for (Index b = 0; b < count; b += lanes()) {
      Complex* const a = section_data_.data() + b * section_stride + x * layout_.section_size();
      lines_of(route, a, b + 1 < count ? a + section_stride : nullptr, lines, [&] { on_lines(lines, x, first + b); });
    }
  }
  if (route.to_sphere) {
    move(to_sections_, false, plane_data_.data(), plane_stride, section_data_.data(), section_stride, count);
#pragma omp parallel for collapse(2) num_threads(options_.threads) schedule(static)
    for (Index b = 0; b < count; ++b)
      for (Index x = 0; x < my_x; ++x) planes_.forward(columns_at(b, x), sticks_at(b, x));
  }
}

template <class Real>
void SphereFft<Real>::run(const Route& route, Index bands, const OnLines& on_lines) {
  const Profile::Guard guard(options_.profile, Phase::fft);
  for (Index first = 0; first < bands; first += block_) {
    const Index count = std::min(block_, bands - first);
    if (route.to_grid) sticks_out(route.from + first * size_, count);
    if (layout_.shape.rows == 1)
      whole_planes(route, first, count, on_lines);
    else
      sections(route, first, count, on_lines);
    if (route.to_sphere) sticks_back(route.to + first * size_, count);
  }
  transforms_ += bands * (Index{route.to_grid} + Index{route.to_sphere});
}

/// Calls store(value, index in the local grid block) for every point of the lines of one x.
template <class Real>
template <class Store>
void SphereFft<Real>::for_points(Complex* lines, Index x, Store store) const {
  const Index nz = layout_.grid[2], my_y = layout_.y.size();
  for (Index y = 0; y < my_y; ++y) {
    Complex* const line = lines + y * layout_.line_row;
    const Index point = (x * my_y + y) * nz;
    for (Index z = 0; z < nz; ++z) store(line[z], point + z);
  }
}

template <class Real>
void SphereFft<Real>::to_real(const Complex* psi, Real* values, Index bands) {
  run({.to_grid = true, .from = psi}, bands, [&](Complex* lines, Index x, Index band) {
    Real* const a = values + band * grid_size();
    Real* const b = a + grid_size();
    if (band + 1 < bands)
      for_points(lines, x, [=](const Complex& v, Index i) { a[i] = v.real(), b[i] = v.imag(); });
    else
      for_points(lines, x, [=](const Complex& v, Index i) { a[i] = v.real(); });
  });
}

template <class Real>
void SphereFft<Real>::to_recip(const Real* values, Complex* psi, Index bands) {
  run({.to_sphere = true, .to = psi}, bands, [&](Complex* lines, Index x, Index band) {
    const Real* const a = values + band * grid_size();
    const Real* const b = a + grid_size();
    if (band + 1 < bands)
      for_points(lines, x, [=](Complex& v, Index i) { v = {a[i], b[i]}; });
    else
      for_points(lines, x, [=](Complex& v, Index i) { v = a[i]; });
  });
}

template <class Real>
void SphereFft<Real>::to_real(const Complex* psi, Complex* values, Index bands) {
  run({.to_grid = true, .from = psi}, bands, [&](Complex* lines, Index x, Index band) {
    Complex* const out = values + band * grid_size();
    for_points(lines, x, [=](const Complex& v, Index i) { out[i] = v; });
  });
}

template <class Real>
void SphereFft<Real>::to_recip(const Complex* values, Complex* psi, Index bands) {
  run({.to_sphere = true, .to = psi}, bands, [&](Complex* lines, Index x, Index band) {
    const Complex* const in = values + band * grid_size();
    for_points(lines, x, [=](Complex& v, Index i) { v = in[i]; });
  });
}

template <class Real>
void SphereFft<Real>::apply_local(const Complex* psi, const Real* potential, Complex* out, Index bands) {
  run({true, true, psi, out}, bands,
      [&](Complex* lines, Index x, Index) { for_points(lines, x, [=](Complex& v, Index i) { v *= potential[i]; }); });
}

template <class Real>
void SphereFft<Real>::accumulate_density(const Complex* psi, std::span<const double> weights, double* density,
                                         Index bands) {
  run({.to_grid = true, .from = psi}, bands, [&](Complex* lines, Index x, Index band) {
    const bool two_bands = lanes() == 2 && band + 1 < bands;
    const double re = weights[static_cast<std::size_t>(band)];
    const double im = two_bands ? weights[static_cast<std::size_t>(band + 1)] : lanes() == 2 ? 0.0 : re;
    for_points(lines, x, [=](const Complex& v, Index i) {
      density[i] += re * double(v.real()) * double(v.real()) + im * double(v.imag()) * double(v.imag());
    });
  });
}

template class SphereFft<float>;
template class SphereFft<double>;

}  // namespace wavegrid
