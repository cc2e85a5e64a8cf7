#include <algorithm>
#include <cmath>
#include <complex>

#include <wavegrid/base/units.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/orbitals/line_kinetic.hpp>

namespace wavegrid {

namespace {

/// t_d of `size` points, of `grid` of the cell; `b2`: the square of the reciprocal vector, `k` in units of it.
template <class S>
std::vector<S> line_kernel(int size, int grid, double b2, double k) {
  std::vector<S> kernel(static_cast<std::size_t>(size), S(0));
  for (int n = 0; n < size; ++n) {
    const double q = static_cast<double>(2 * n < size ? n : n - size) * grid / size;
    const double t = 0.5 * b2 * (2 * n == size ? q * q + k * k : (q + k) * (q + k)) / size;
    for (int m = 0; m < size; ++m) {
      const double phase = 2 * units::pi * static_cast<double>(Index{n} * m % size) / size;
      if constexpr (ScalarTraits<S>::is_real)
        kernel[static_cast<std::size_t>(m)] += t * std::cos(phase);
      else
        kernel[static_cast<std::size_t>(m)] += std::polar(t, phase);
    }
  }
  return kernel;
}

}  // namespace

template <class S>
bool LineKinetic<S>::is_possible(const Lattice& lattice) {
  constexpr double rounding = 1e-12;
  const Mat3& a = lattice.vectors();
  for (std::size_t d = 0; d < 3; ++d) {
    const Vec3 &one = a[d], &other = a[(d + 1) % 3];
    if (std::abs(dot(one, other)) > rounding * norm(one) * norm(other)) return false;
  }
  return true;
}

template <class S>
LineKinetic<S>::LineKinetic(const Lattice& lattice, const Vec3& k, const OrbitalLayout& layout, const WideBoxes& wide,
                            const SphereRows& rows)
    : layout_(layout), wide_(wide), rows_(rows) {
  Int3 smallest = wide.size();
  for (const Box& box : layout.boxes())
    for (std::size_t d = 0; d < 3; ++d) smallest[d] = std::min(smallest[d], box.size[d]);
  for (std::size_t d = 0; d < 3; ++d) {
    kernels_[d] = line_kernel<S>(wide.size()[d], layout.grid()[d], norm2(lattice.reciprocal()[d]), k[d]);
    if (smallest[d] < wide.size()[d]) bars_.push_back({static_cast<int>(d), {d}});
  }
  if (bars_.empty()) bars_.push_back({});
  for (std::size_t d = 0; d < 3; ++d)
    if (smallest[d] == wide.size()[d]) bars_.front().axes.push_back(d);
}

template <class S>
std::vector<OrbitalOperator<S>> LineKinetic<S>::parts() {
  std::vector<OrbitalOperator<S>> all;
  for (const Bar& bar : bars_)
    all.push_back(
        {.box = [this, &bar](Index atom) { return box(bar, atom); },
         .apply = [this, &bar](Index atom, std::span<const S> from, std::span<S> to) { apply(bar, atom, from, to); }});
  return all;
}

template <class S>
int LineKinetic<S>::offset(std::size_t axis, Index atom) const {
  // A bar as long as the cell begins with the box, so that the box does not leave it.
  if (wide_.size()[axis] == layout_.grid()[axis]) return 0;
  return layout_.box(atom).begin[axis] - wide_.box(atom).begin[axis];
}

template <class S>
BoxPart LineKinetic<S>::box(const Bar& bar, Index atom) {
  const Box& inside = layout_.box(atom);
  BoxPart found{inside};
  longer_rows_.assign(rows_.of(atom).begin(), rows_.of(atom).end());
  if (bar.longer >= 0) {
    const auto axis = static_cast<std::size_t>(bar.longer);
    found.box.begin[axis] -= offset(axis, atom);
    found.box.size[axis] = wide_.size()[axis];
    longer_rows_ = extended_rows(longer_rows_, inside.size, axis, found.box.size[axis]);
  }
  found.rows = longer_rows_;
  return found;
}

template <class S>
void LineKinetic<S>::apply(const Bar& bar, Index atom, std::span<const S> from, std::span<S> to) {
  const Box& inside = layout_.box(atom);
  Box longer = inside;
  Int3 begin{};
  if (bar.longer >= 0) {
    const auto axis = static_cast<std::size_t>(bar.longer);
    longer.size[axis] = wide_.size()[axis];
    begin[axis] = offset(axis, atom);
  }
  std::fill(to.begin(), to.end(), S(0));
  const Index functions = std::ssize(from) / inside.points();
  for (const std::size_t axis : bar.axes)
    for (Index f = 0; f < functions; ++f)
      add_term(axis, inside, longer.size, begin, from.data() + f * inside.points(), to.data() + f * longer.points());
}

template <class S>
void LineKinetic<S>::add_term(std::size_t axis, const Box& box, const Int3& bar, const Int3& offset, const S* from,
                              S* to) {
  const auto [nx, ny, nz] = box.size;
  const Index row = bar[2], plane = Index{1} * bar[1] * bar[2];
  const int points = box.size[axis], results = bar[axis], period = wide_.size()[axis];
  // (points, results); of products from the left it is the transpose
  factors_.resize(static_cast<std::size_t>(points) * static_cast<std::size_t>(results));
  for (int w = 0; w < results; ++w)
    for (int n = 0; n < points; ++n)
      factors_[static_cast<std::size_t>(w * points + n)] =
          kernels_[axis][static_cast<std::size_t>(wrapped(w - offset[axis] - n, period))];
  Int3 begin = offset;
  begin[axis] = 0;  // the results are the whole bar along this axis
  S* const first = to + (begin[0] * bar[1] + begin[1]) * row + begin[2];
  if (axis == 0) {
    for (int y = 0; y < ny; ++y)
      lapack::gemm<S>('N', 'N', nz, results, points, S(1), from + y * nz, Index{1} * ny * nz, factors_.data(), points,
                      S(1), first + y * row, plane);
    return;
  }
  for (int x = 0; x < nx; ++x) {
    const S* const in = from + Index{1} * x * ny * nz;
    S* const out = first + x * plane;
    if (axis == 1)
      lapack::gemm<S>('N', 'N', nz, results, points, S(1), in, nz, factors_.data(), points, S(1), out, row);
    else
      lapack::gemm<S>('T', 'N', results, ny, points, S(1), factors_.data(), points, in, nz, S(1), out, row);
  }
}

template class LineKinetic<double>;
template class LineKinetic<std::complex<double>>;

}  // namespace wavegrid
