#include <algorithm>
#include <utility>

#include <wavegrid/fft/grid_fft.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

std::vector<double> real_parts(const std::vector<Complex>& values) {
  std::vector<double> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [](const Complex& v) { return v.real(); });
  return result;
}

Partition partition_of_box(const GSphere& box, Scheme scheme, const ProcessGrid& ranks) {
  return make_partition(scheme, box.counts(), GridShape{ranks.rows(), ranks.columns()}, ranks.all().size());
}

/// Numbers of the lines along z that make up a rank's block of the grid.
std::vector<Index> lines_of(const FftLayout& layout) {
  std::vector<Index> lines;
  for (Index x = layout.x.begin; x < layout.x.end; ++x)
    for (Index y = layout.y.begin; y < layout.y.end; ++y) lines.push_back(x * layout.grid[1] + y);
  return lines;
}

LineSum sum_over_waves(const Comm& comm, const PlaneWaves& waves, const Int3& n, bool ordered) {
  return {comm, {waves.sticks().begin(), waves.sticks().end()}, n[0], static_cast<Index>(n[1]) * n[2], ordered};
}

LineSum sum_over_points(const Comm& comm, const FftLayout& layout, bool ordered) {
  const Int3& n = layout.grid;
  return {comm, lines_of(layout), n[2], static_cast<Index>(n[0]) * n[1], ordered};
}

FftOptions one_band_at_a_time(FftOptions options) {
  options.block = 1;
  return options;
}

}  // namespace

GridFft::GridFft(const ProcessGrid& ranks, const Lattice& lattice, const Int3& grid, Scheme scheme,
                 const FftOptions& options)
    : GridFft(ranks, GSphere::box(lattice, grid), partition_of_box(GSphere::box(lattice, grid), scheme, ranks),
              options) {}

GridFft::GridFft(const ProcessGrid& ranks, const GSphere& box, const Partition& partition, const FftOptions& options)
    : comm_(ranks.all()),
      waves_(box, partition, ranks.all().rank()),
      fft_(ranks, partition, box, one_band_at_a_time(options)),
      over_waves_(sum_over_waves(comm_, waves_, box.grid(), options.deterministic)),
      over_points_(sum_over_points(comm_, fft_.layout(), options.deterministic)),
      volume_element_(box.lattice().volume() / static_cast<double>(box.size())),
      values_(static_cast<std::size_t>(fft_.grid_size())) {}

double GridFft::bytes(const FftLayout& layout) {
  const Index waves = layout.grid[0] * static_cast<Index>(layout.my_sticks.size());
  return PlaneWaves::bytes(waves) + static_cast<double>(layout.grid_size()) * sizeof(Complex);
}

double GridFft::transform_bytes(const FftLayout& layout, const Partition& partition, const FftOptions& options) {
  return SphereFft<double>::bytes(layout, partition, one_band_at_a_time(options));
}

ExchangePlan::Bytes GridFft::exchange_bytes(const FftLayout& layout, const Partition& partition,
                                            const FftOptions& options) {
  return SphereFft<double>::exchange_bytes(layout, partition, one_band_at_a_time(options));
}

GridFft::Coefficients GridFft::to_recip(std::span<const double> field) {
  std::copy(field.begin(), field.end(), values_.begin());
  return to_recip();
}

GridFft::Coefficients GridFft::to_recip(std::span<const double> a, std::span<const double> b) {
  std::transform(a.begin(), a.end(), b.begin(), values_.begin(), [](double x, double y) { return Complex(x, y); });
  return to_recip();
}

GridFft::Coefficients GridFft::to_recip() {
  Coefficients coefficients(static_cast<std::size_t>(waves_.size()));
  fft_.tuned([&] { fft_.to_recip(values_.data(), coefficients.data(), 1); });
  return coefficients;
}

std::vector<double> GridFft::to_real(const Coefficients& coefficients) {
  to_values(coefficients);
  return real_parts(values_);
}

void GridFft::to_values(const Coefficients& coefficients) {
  fft_.tuned([&] { fft_.to_real(coefficients.data(), values_.data(), 1); });
}

std::array<std::vector<double>, 2> GridFft::to_real_pair(const Coefficients& coefficients) {
  to_values(coefficients);
  std::vector<double> imaginary(values_.size());
  std::transform(values_.begin(), values_.end(), imaginary.begin(), [](const Complex& v) { return v.imag(); });
  return {real_parts(values_), std::move(imaginary)};
}

}  // namespace wavegrid
