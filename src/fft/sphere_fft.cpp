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

ExchangePlan plan_to_sections(const ProcessGrid& ranks, const FftLayout& layout, Transport transport) {
  TransposeRuns runs = planes_to_sections(layout);
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
      alone_(ranks.all().size() == 1),
      size_(count_plane_waves(sphere, layout_)),
      sticks_(sphere, layout_, options.effort),
      planes_(layout_, options.effort),
      lines_(layout_, options.effort),
      to_planes_(plan_to_planes(ranks, partition, layout_, options.transport)),
      to_sections_(plan_to_sections(ranks, layout_, options.transport)) {
  block_ = alone_ ? lanes() * options.threads : (options.block + lanes() - 1) / lanes() * lanes();
  const auto reserve = [this](AlignedVector<Complex>& data, Index band) {
    data.resize(static_cast<std::size_t>(block_ * band));
  };
  reserve(stick_data_, layout_.stick_size());
  if (!to_planes_.is_identity()) reserve(arrived_data_, layout_.arrived_size);
  if (layout_.shape.rows > 1) {
    reserve(column_data_, layout_.column_size());
    reserve(section_data_, layout_.section_size);
  }
  const Index stage_work =
      std::max({sticks_.workspace(), planes_.workspace(), lines_.lines_size() + lines_.workspace()});
  work_size_ = padded_row(stage_work + (layout_.shape.rows == 1 ? lanes() * layout_.plane_size() : 0), sizeof(Complex));
  work_.resize(static_cast<std::size_t>(options.threads * work_size_));
}

template <class Real>
std::complex<Real>* SphereFft<Real>::work_of_thread() {
  return work_.data() + omp_get_thread_num() * work_size_;
}

template <class Real>
Real SphereFft<Real>::scale() const {
  return Real(1) / (Real(layout_.grid[0]) * Real(layout_.grid[1]) * Real(layout_.grid[2]));
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
    sticks_.backward(psi + b * size_, stick_data_.data() + b * layout_.stick_size(), work_of_thread());
  if (!to_planes_.is_identity())
    move(to_planes_, true, stick_data_.data(), layout_.stick_size(), arrived_data_.data(), layout_.arrived_size, count);
}

template <class Real>
void SphereFft<Real>::sticks_back(Complex* psi, Index count) {
  if (!to_planes_.is_identity())
    move(to_planes_, false, stick_data_.data(), layout_.stick_size(), arrived_data_.data(), layout_.arrived_size,
         count);
#pragma omp parallel for num_threads(options_.threads) schedule(static)
  for (Index b = 0; b < count; ++b)
    sticks_.forward(stick_data_.data() + b * layout_.stick_size(), psi + b * size_, work_of_thread(), scale());
}

/// z, what is done on the grid, and z again, tile by tile over the rows of one x of a section.
template <class Real>
void SphereFft<Real>::tiles(const Route& route, const Group& section, Index section_x, Complex* work, Index x,
                            const OnTile& on_tile) const {
  const bool pair = layout_.mode == Mode::gamma;
  Complex* const a = section.at(0);
  Complex* const b = section.lanes > 1 ? section.at(1) : nullptr;
  Complex* const lines = work;
  Complex* const line_work = work + lines_.lines_size();
  for (Index y = 0; y < layout_.y.size(); y += lines_.tile()) {
    const Index count = std::min(lines_.tile(), layout_.y.size() - y);
    const Tile tile{section_x, y, count};
    if (route.to_grid)
      pair ? lines_.backward_pair(a, b, tile, lines, line_work) : lines_.backward(a, tile, lines, line_work);
    on_tile(lines, {x, y, count}, section.band);
    if (route.to_sphere)
      pair ? lines_.forward_pair(lines, tile, a, b, line_work) : lines_.forward(lines, tile, a, line_work);
  }
}

/// One yz-plane of a group of bands: it stays in cache from its y transform to its way back.
template <class Real>
void SphereFft<Real>::plane(const Route& route, const Group& arrived, Index x, Complex* work,
                            const OnTile& on_tile) const {
  const Group columns{work, layout_.plane_size(), arrived.lanes, arrived.band};
  Complex* const stage_work = work + lanes() * layout_.plane_size();
  if (route.to_grid)
    for (Index lane = 0; lane < arrived.lanes; ++lane)
      planes_.backward(arrived.at(lane), x, columns.at(lane), stage_work);
  tiles(route, columns, 0, stage_work, x, on_tile);
  if (route.to_sphere)
    for (Index lane = 0; lane < arrived.lanes; ++lane)
      planes_.forward(columns.at(lane), arrived.at(lane), x, stage_work);
}

/// One process row: ranks hold whole yz-planes.
template <class Real>
void SphereFft<Real>::whole_planes(const Route& route, Index first, Index count, const OnTile& on_tile) {
  const bool moved = !to_planes_.is_identity();
  Complex* const data = moved ? arrived_data_.data() : stick_data_.data();
  const Index stride = moved ? layout_.arrived_size : layout_.stick_size();
#pragma omp parallel for num_threads(options_.threads) schedule(static)
  for (Index x = 0; x < layout_.x.size(); ++x)
    for (Index b = 0; b < count; b += lanes())
      plane(route, {data + b * stride, stride, std::min(lanes(), count - b), first + b}, x, work_of_thread(), on_tile);
}

/// Several process rows: all planes of the block, the second transpose, then tile by tile.
template <class Real>
void SphereFft<Real>::sections(const Route& route, Index first, Index count, const OnTile& on_tile) {
  const bool moved = !to_planes_.is_identity();
  Complex* const data = moved ? arrived_data_.data() : stick_data_.data();
  const Index stride = moved ? layout_.arrived_size : layout_.stick_size();
  const Index my_x = layout_.x.size(), column_stride = layout_.column_size(), section_stride = layout_.section_size;
  const auto columns_at = [&](Index b, Index x) {
    return column_data_.data() + b * column_stride + x * layout_.plane_size();
  };
  if (route.to_grid) {
#pragma omp parallel for collapse(2) num_threads(options_.threads) schedule(static)
    for (Index b = 0; b < count; ++b)
      for (Index x = 0; x < my_x; ++x) planes_.backward(data + b * stride, x, columns_at(b, x), work_of_thread());
    move(to_sections_, true, column_data_.data(), column_stride, section_data_.data(), section_stride, count);
  }
#pragma omp parallel for num_threads(options_.threads) schedule(static)
  for (Index x = 0; x < my_x; ++x)
    for (Index b = 0; b < count; b += lanes())
      tiles(route, {section_data_.data() + b * section_stride, section_stride, std::min(lanes(), count - b), first + b},
            x, work_of_thread(), x, on_tile);
  if (route.to_sphere) {
    move(to_sections_, false, column_data_.data(), column_stride, section_data_.data(), section_stride, count);
#pragma omp parallel for collapse(2) num_threads(options_.threads) schedule(static)
    for (Index b = 0; b < count; ++b)
      for (Index x = 0; x < my_x; ++x) planes_.forward(columns_at(b, x), data + b * stride, x, work_of_thread());
  }
}

/// Alone, with enough bands: each thread takes its bands all the way and waits for nobody.
template <class Real>
void SphereFft<Real>::run_bands_apart(const Route& route, Index bands, const OnTile& on_tile) {
  const Index stride = layout_.stick_size();
#pragma omp parallel for num_threads(options_.threads) schedule(static)
  for (Index band = 0; band < bands; band += lanes()) {
    Complex* const work = work_of_thread();
    const Group sticks{stick_data_.data() + omp_get_thread_num() * lanes() * stride, stride,
                       std::min(lanes(), bands - band), band};
    if (route.to_grid)
      for (Index lane = 0; lane < sticks.lanes; ++lane)
        sticks_.backward(route.from + (band + lane) * size_, sticks.at(lane), work);
    for (Index x = 0; x < layout_.x.size(); ++x) plane(route, sticks, x, work, on_tile);
    if (route.to_sphere)
      for (Index lane = 0; lane < sticks.lanes; ++lane)
        sticks_.forward(sticks.at(lane), route.to + (band + lane) * size_, work, scale());
  }
}

template <class Real>
void SphereFft<Real>::run(const Route& route, Index bands, const OnTile& on_tile) {
  const Profile::Guard guard(options_.profile, Phase::fft);
  transforms_ += bands * (Index{route.to_grid} + Index{route.to_sphere});
  const bool one_thread = options_.threads == 1;
  if (alone_ && (one_thread || (!route.bands_meet && bands >= options_.threads * lanes())))
    return run_bands_apart(route, bands, on_tile);
  for (Index first = 0; first < bands; first += block_) {
    const Index count = std::min(block_, bands - first);
    if (route.to_grid) sticks_out(route.from + first * size_, count);
    if (layout_.shape.rows == 1)
      whole_planes(route, first, count, on_tile);
    else
      sections(route, first, count, on_tile);
    if (route.to_sphere) sticks_back(route.to + first * size_, count);
  }
}

/// Calls store(value, index in the local grid block) for every point of a tile.
template <class Real>
template <class Store>
void SphereFft<Real>::for_points(Complex* lines, const Tile& tile, Store store) const {
  const Index nz = layout_.grid[2];
  for (Index i = 0; i < tile.count; ++i) {
    Complex* const line = lines + i * layout_.line_row;
    const Index point = (tile.x * layout_.y.size() + tile.y + i) * nz;
    for (Index z = 0; z < nz; ++z) store(line[z], point + z);
  }
}

template <class Real>
void SphereFft<Real>::to_real(const Complex* psi, Real* values, Index bands) {
  run({.to_grid = true, .from = psi}, bands, [&](Complex* lines, const Tile& tile, Index band) {
    Real* const a = values + band * grid_size();
    Real* const b = a + grid_size();
    if (band + 1 < bands)
      for_points(lines, tile, [=](const Complex& v, Index i) { a[i] = v.real(), b[i] = v.imag(); });
    else
      for_points(lines, tile, [=](const Complex& v, Index i) { a[i] = v.real(); });
  });
}

template <class Real>
void SphereFft<Real>::to_recip(const Real* values, Complex* psi, Index bands) {
  run({.to_sphere = true, .to = psi}, bands, [&](Complex* lines, const Tile& tile, Index band) {
    const Real* const a = values + band * grid_size();
    const Real* const b = a + grid_size();
    if (band + 1 < bands)
      for_points(lines, tile, [=](Complex& v, Index i) { v = {a[i], b[i]}; });
    else
      for_points(lines, tile, [=](Complex& v, Index i) { v = a[i]; });
  });
}

template <class Real>
void SphereFft<Real>::to_real(const Complex* psi, Complex* values, Index bands) {
  run({.to_grid = true, .from = psi}, bands, [&](Complex* lines, const Tile& tile, Index band) {
    Complex* const out = values + band * grid_size();
    for_points(lines, tile, [=](const Complex& v, Index i) { out[i] = v; });
  });
}

template <class Real>
void SphereFft<Real>::to_recip(const Complex* values, Complex* psi, Index bands) {
  run({.to_sphere = true, .to = psi}, bands, [&](Complex* lines, const Tile& tile, Index band) {
    const Complex* const in = values + band * grid_size();
    for_points(lines, tile, [=](Complex& v, Index i) { v = in[i]; });
  });
}

template <class Real>
void SphereFft<Real>::apply_local(const Complex* psi, const Real* potential, Complex* out, Index bands) {
  run({.to_grid = true, .to_sphere = true, .from = psi, .to = out}, bands,
      [&](Complex* lines, const Tile& tile, Index) {
        for_points(lines, tile, [=](Complex& v, Index i) { v *= potential[i]; });
      });
}

template <class Real>
void SphereFft<Real>::accumulate_density(const Complex* psi, std::span<const double> weights, double* density,
                                         Index bands) {
  run({.to_grid = true, .bands_meet = true, .from = psi}, bands, [&](Complex* lines, const Tile& tile, Index band) {
    const bool two_bands = lanes() == 2 && band + 1 < bands;
    const double re = weights[static_cast<std::size_t>(band)];
    const double im = two_bands ? weights[static_cast<std::size_t>(band + 1)] : lanes() == 2 ? 0.0 : re;
    for_points(lines, tile, [=](const Complex& v, Index i) {
      density[i] += re * double(v.real()) * double(v.real()) + im * double(v.imag()) * double(v.imag());
    });
  });
}

namespace {

/// Bands of a block, as the constructor takes them.
Index bands_of_block(const FftLayout& layout, const Partition& partition, const FftOptions& options) {
  const Index lanes = layout.mode == Mode::gamma ? 2 : 1;
  return partition.parts == 1 ? lanes * options.threads : (options.block + lanes - 1) / lanes * lanes;
}

/// True where sticks arrive where they are: one part, or one per closed row.
bool sticks_stay(const Partition& partition) {
  return partition.parts == 1 || (partition.rows_are_closed() && partition.shape.columns == 1);
}

}  // namespace

template <class Real>
double SphereFft<Real>::bytes(const FftLayout& layout, const Partition& partition, const FftOptions& options) {
  Index band = layout.stick_size();
  if (!sticks_stay(partition)) band += layout.arrived_size;
  if (layout.shape.rows > 1) band += layout.column_size() + layout.section_size;
  return static_cast<double>(bands_of_block(layout, partition, options) * band) * sizeof(Complex);
}

template <class Real>
double SphereFft<Real>::exchange_bytes(const FftLayout& layout, const Partition& partition, const FftOptions& options) {
  const Index unit = bands_of_block(layout, partition, options) * static_cast<Index>(sizeof(Complex));
  double bytes = 0;
  if (!sticks_stay(partition)) {
    const TransposeRuns runs = sticks_to_planes(layout, partition);
    const int me = partition.rows_are_closed() ? layout.column : layout.part;
    bytes += ExchangePlan::bytes(runs.sends, runs.receives, me, options.transport, unit);
  }
  if (layout.shape.rows > 1) {
    const TransposeRuns runs = planes_to_sections(layout);
    bytes += ExchangePlan::bytes(runs.sends, runs.receives, layout.row, options.transport, unit);
  }
  return bytes;
}

template class SphereFft<float>;
template class SphereFft<double>;

}  // namespace wavegrid
