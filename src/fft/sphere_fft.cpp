#include <algorithm>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/fingerprint.hpp>
#include <wavegrid/exchange/candidates.hpp>
#include <wavegrid/fft/agreed_partition.hpp>
#include <wavegrid/fft/sphere_fft.hpp>
#include <wavegrid/mpi/agreement.hpp>
#include <wavegrid/mpi/node.hpp>

namespace wavegrid {

namespace {

PipelineOptions pipeline_options(const FftOptions& options, bool overlap) {
  return {options.transport.value_or(Transport::alltoallv),
          options.threads,
          options.block,
          overlap,
          options.deterministic ? PlanEffort::fixed : options.effort,
          options.laplacians || options.components == 2,
          options.profile,
          options.workspace};
}

/// Collective.
PipelineOptions pipeline_options(const Comm& all, const FftOptions& options) {
  return pipeline_options(options, options.overlap ? *options.overlap : spans_nodes(all));
}

/// Kernels that round differently are chosen where FFTW's plans are: by measurements.
template <class Real>
bool can_have_lanes(const FftLayout& layout, int parts, const FftOptions& options) {
  const bool measures = options.effort == PlanEffort::measure || options.effort == PlanEffort::patient;
  return parts == 1 && measures && !options.deterministic && BandLanesFft<Real>::handles(layout.grid);
}

PipelineOptions on_one_node(const FftOptions& options) { return pipeline_options(options, options.overlap == true); }

}  // namespace

template <class Real>
SphereFft<Real>::SphereFft(const ProcessGrid& ranks, const Partition& partition, const GSphere& sphere,
                           const FftOptions& options)
    : comm_(ranks.all()),
      profile_(options.profile),
      pipeline_(ranks, agreed(ranks, partition, sphere, options.transport), sphere,
                pipeline_options(ranks.all(), options)) {
  const Comm& all = ranks.all();
  if (can_have_lanes<Real>(layout(), all.size(), options))
    lanes_ = std::make_unique<BandLanes<Real>>(sphere, options.threads, pipeline_.shared_workspace(),
                                               [&](const Complex* psi, const Real* potential, Complex* out,
                                                   Index bands) { apply_band_by_band(psi, potential, out, bands); });
  if (options.transport || all.max(pipeline_.exchanges() ? 1 : 0) == 0) return;
  pipeline_.search(all, transport_candidates(all, {&pipeline_.to_planes(), &pipeline_.to_sections()},
                                             pipeline_.capacity() * static_cast<Index>(sizeof(Complex))));
}

template <class Real>
void SphereFft<Real>::run(const Route& route, Index bands, const OnTile& on_tile) {
  const Profile::Guard guard(profile_, Phase::fft);
  transforms_ += bands * (Index{route.to_grid} + Index{route.to_sphere});
  pipeline_.run(route, bands, on_tile);
}

/// Calls store(value, index in the local grid block) for every point of a tile.
template <class Real>
template <class Store>
void SphereFft<Real>::for_points(Complex* lines, const Tile& tile, Store store) const {
  const Index nz = layout().grid[2];
  for (Index i = 0; i < tile.count; ++i) {
    Complex* const line = lines + i * layout().line_row;
    const Index point = (tile.x * layout().y.size() + tile.y + i) * nz;
    for (Index z = 0; z < nz; ++z) store(line[z], point + z);
  }
}

template <class Real>
void SphereFft<Real>::require_lengths(Index coefficients, Index values, Index bands) const {
  const auto require = [&](const char* name, Index length, Index size) {
    if (length < bands * size)
      throw bad_input(std::string(name) + " of rank " + std::to_string(comm_.rank()) + ": " + std::to_string(length) +
                      " numbers; needed are " + std::to_string(bands) + " bands of " + std::to_string(size));
  };
  const auto check = [&] {
    require("coefficients", coefficients, size());
    require("grid values", values, grid_size());
    return Fingerprint().add(bands).value();
  };
  agree(comm_, check, "the ranks transform different numbers of bands; all ranks must pass the same");
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
void SphereFft<Real>::apply_band_by_band(const Complex* psi, const Real* potential, Complex* out, Index bands) {
  const OnTile multiply = [&](Complex* lines, const Tile& tile, Index) {
    for_points(lines, tile, [=](Complex& v, Index i) { v *= potential[i]; });
  };
  run({.to_grid = true, .to_sphere = true, .from = psi, .to = out, .potential = potential}, bands, multiply);
}

template <class Real>
void SphereFft<Real>::apply_local(const Complex* psi, const Real* potential, Complex* out, Index bands) {
  const auto step = [&](Index first, Index count) {
    apply_band_by_band(psi + first * size(), potential, out + first * size(), count);
  };
  if (apply_in_lanes({psi}, {potential}, out, bands)) return;
  const Index done = run_tuning(bands, step);
  step(done, bands - done);
}

template <class Real>
bool SphereFft<Real>::apply_in_lanes(const BandRows<Real>& rows, const BandLanesFactors<Real>& factors, Complex* out,
                                     Index bands) {
  if (!lanes_) return false;
  const Profile::Guard guard(profile_, Phase::fft);
  if (!lanes_->apply(rows, factors, out, bands)) return false;
  transforms_ += 2 * rows.arrays() * bands;
  return true;
}

template <class Real>
bool SphereFft<Real>::accumulate_in_lanes(const BandRows<Real>& rows, std::span<const double> weights,
                                          const BandLanesSums& sums, Index bands) {
  if (!lanes_) return false;
  const Profile::Guard guard(profile_, Phase::fft);
  if (!lanes_->accumulate(rows, weights, sums, bands)) return false;
  transforms_ += rows.arrays() * bands;
  return true;
}

/// Arrays that stay on the grid at a time: whole groups of as many as have a cache line at a point, since operators on
/// spheres of points work on a group at once.
template <class Real>
Index SphereFft<Real>::arrays_for(Index in_pipeline) {
  constexpr Index group = 64 / sizeof(Complex);
  return std::max(in_pipeline / group * group, group);
}

/// Transforms a block of bands to the grid.
template <class Real>
GridArrays<Real> SphereFft<Real>::to_grid(const Complex* psi, Index bands) {
  const Index pair = bands_per_transform(), stride = padded_row(grid_size(), sizeof(Complex));
  pipeline_.workspace().template reserve<Complex>(FftWorkspace::Array::grid, arrays_on_grid() * stride);
  Complex* const values = pipeline_.workspace().template data<Complex>(FftWorkspace::Array::grid);
  run({.to_grid = true, .from = psi}, bands, [&](Complex* lines, const Tile& tile, Index band) {
    Complex* const to = values + band / pair * stride;
    for_points(lines, tile, [=](const Complex& v, Index i) { to[i] = v; });
  });
  return {values, ceil_div(bands, pair), stride};
}

template <class Real>
void SphereFft<Real>::transform_pairs(Complex* bands, Index pairs, bool back, const OnLine& on_line) {
  const bool in_one = layout().mode == Mode::gamma;
  const Index nz = layout().grid[2];
  run({.to_grid = true, .to_sphere = back, .accumulates = !back, .pairs = true, .from = bands, .to = bands}, 2 * pairs,
      [&](Complex* lines, const Tile& tile, Index band) {
        for (Index i = 0; i < tile.count; ++i) {
          Complex* const a = lines + i * layout().line_row;
          on_line(a, in_one ? nullptr : a + pipeline_.lines_size(), (tile.x * layout().y.size() + tile.y + i) * nz, nz,
                  band / 2);
        }
      });
}

template <class Real>
void SphereFft<Real>::from_grid(const GridArrays<Real>& arrays, Complex* psi, Index bands) {
  run({.to_sphere = true, .to = psi}, bands, [&](Complex* lines, const Tile& tile, Index band) {
    const Complex* const from = arrays.values + band / bands_per_transform() * arrays.stride;
    for_points(lines, tile, [=](Complex& v, Index i) { v = from[i]; });
  });
}

template <class Real>
void SphereFft<Real>::apply_on_grid(const Complex* psi, const GridOperators<Real>& operators, Complex* out,
                                    const BandNumbers& numbers, Index bands) {
  if (operators.others.empty()) return apply_local(psi, operators.potential, out, bands);
  const Index block = bands_on_grid();
  const auto of_block = [&](Index first, Index count) {
    const GridArrays<Real> arrays = to_grid(psi + first * size(), count);
    operators.apply(arrays, {numbers.first + first * numbers.stride, numbers.stride, numbers.end}, count);
    from_grid(arrays, out + first * size(), count);
  };
  const auto step = [&](Index first, Index count) {
    for (Index done = 0; done < count; done += block) of_block(first + done, std::min(block, count - done));
  };
  const Index done = run_tuning(bands, step);
  step(done, bands - done);
}

template <class Real>
void SphereFft<Real>::visit_on_grid(const Complex* psi, GridVisitor<Real>& visitor, const BandNumbers& numbers,
                                    Index bands) {
  const Index block = bands_on_grid();
  for (Index first = 0; first < bands; first += block) {
    const Index count = std::min(block, bands - first);
    visitor.read(to_grid(psi + first * size(), count),
                 {numbers.first + first * numbers.stride, numbers.stride, numbers.end}, count);
  }
}

template <class Real>
void SphereFft<Real>::accumulate_density(const Complex* psi, std::span<const double> weights, double* density,
                                         Index bands) {
  if (accumulate_in_lanes({psi}, weights, {density}, bands)) return;
  run({.to_grid = true, .accumulates = true, .from = psi}, bands, [&](Complex* lines, const Tile& tile, Index band) {
    const bool two_bands = bands_per_transform() == 2 && band + 1 < bands;
    const double re = weights[static_cast<std::size_t>(band)];
    const double im = two_bands ? weights[static_cast<std::size_t>(band + 1)] : bands_per_transform() == 2 ? 0.0 : re;
    for_points(lines, tile, [=](const Complex& v, Index i) {
      density[i] += re * double(v.real()) * double(v.real()) + im * double(v.imag()) * double(v.imag());
    });
  });
}

template <class Real>
void SphereFft<Real>::apply_to_spinors(const Complex* psi, const Real* fields, Complex* out, Index spinors) {
  const Index all = grid_size();
  if (apply_in_lanes({psi, nullptr, true}, {fields, nullptr, fields + all}, out, spinors)) return;
  if (out != psi) std::copy_n(psi, 2 * spinors * size(), out);
  const auto step = [&](Index done, Index count) {
    transform_pairs(out + 2 * done * size(), count, true,
                    [&](Complex* a, Complex* b, Index first, Index points, Index) {
                      const Real *const v = fields + first, *const x = v + all, *const y = x + all, *const z = y + all;
                      for (Index r = 0; r < points; ++r) {
                        const Complex up = a[r], down = b[r];
                        a[r] = (v[r] + z[r]) * up + Complex(x[r], -y[r]) * down;
                        b[r] = Complex(x[r], y[r]) * up + (v[r] - z[r]) * down;
                      }
                    });
  };
  const Index done = run_tuning(spinors, step);
  step(done, spinors - done);
}

template <class Real>
void SphereFft<Real>::accumulate_vector_density(const Complex* psi, std::span<const double> weights, double* density,
                                                Index spinors) {
  const Index all = grid_size();
  if (accumulate_in_lanes({psi, nullptr, true}, weights, {density, nullptr, density + all}, spinors)) return;
  transform_pairs(const_cast<Complex*>(psi), spinors, false,  // which does not change them
                  [&](Complex* a, Complex* b, Index first, Index points, Index pair) {
                    const double weight = weights[static_cast<std::size_t>(pair)];
                    double *const n = density + first, *const x = n + all, *const y = x + all, *const z = y + all;
                    for (Index r = 0; r < points; ++r) {
                      const std::complex<double> up(a[r]), down(b[r]);
                      const double of_up = weight * std::norm(up), of_down = weight * std::norm(down);
                      const std::complex<double> product = 2.0 * weight * std::conj(up) * down;
                      n[r] += of_up + of_down;
                      x[r] += product.real();
                      y[r] += product.imag();
                      z[r] += of_up - of_down;
                    }
                  });
}

template <class Real>
double SphereFft<Real>::bytes(const FftLayout& layout, const Partition& partition, const FftOptions& options) {
  const double pipeline = Pipeline<Real>::size_of(layout, partition, on_one_node(options)).bytes;
  if (!can_have_lanes<Real>(layout, partition.parts, options)) return pipeline;
  return std::max(pipeline, BandLanes<Real>::bytes(layout, options.threads));
}

template <class Real>
double SphereFft<Real>::grid_bytes(const FftLayout& layout, const Partition& partition, const FftOptions& options) {
  const auto size = Pipeline<Real>::size_of(layout, partition, on_one_node(options));
  const Index arrays = arrays_for(size.block / (layout.mode == Mode::gamma ? 2 : 1));
  return static_cast<double>(arrays) * static_cast<double>(layout.grid_size()) * sizeof(Complex);
}

template <class Real>
ExchangePlan::Bytes SphereFft<Real>::exchange_bytes(const FftLayout& layout, const Partition& partition,
                                                    const FftOptions& options) {
  ExchangePlan::Bytes all;
  if (partition.parts == 1) return all;
  const PipelineOptions settings = on_one_node(options);
  const Index unit =
      Pipeline<Real>::size_of(layout, partition, settings).block * static_cast<Index>(sizeof(std::complex<Real>));
  const auto add = [&](const TransposeRuns& runs, int me) {
    const auto of_plan = ExchangePlan::bytes(runs.sends, runs.receives, me, settings.transport, unit);
    all.runs += of_plan.runs;
    all.buffers += of_plan.buffers;
  };
  add(sticks_to_planes(layout, partition), partition.rows_are_closed() ? layout.column : layout.part);
  if (layout.shape.rows > 1) add(planes_to_sections(layout), layout.row);
  if (!options.transport && num_candidates(all.buffers) > 1) all.buffers *= 2;  // in memory and in windows
  return all;
}

template class SphereFft<float>;
template class SphereFft<double>;

}  // namespace wavegrid
