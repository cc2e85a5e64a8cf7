#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include <wavegrid/base/random.hpp>
#include <wavegrid/boxes/gap_edges.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/scalar.hpp>

namespace wavegrid {

namespace {

template <class T>
using Vector = AlignedVector<T>;

template <class T>
T dot(const Vector<T>& a, const Vector<T>& b) {
  T sum(0);
  for (std::size_t i = 0; i < a.size(); ++i) sum += conjugate(a[i]) * b[i];
  return sum;
}

/// a += factor b
template <class T>
void add(Vector<T>& a, T factor, const Vector<T>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
}

template <class T>
void scale(Vector<T>& a, double factor) {
  for (T& value : a) value *= factor;
}

template <class T>
Vector<T> times(const BlockSparse<T>& a, const Vector<T>& x) {
  return product<T>(a, x);
}

/// Lanczos vectors, orthonormal in the inner product with S, and S times each.
template <class T>
struct LanczosVectors {
  std::vector<Vector<T>> v, sv;
  std::vector<double> diagonal, next;  ///< of the tridiagonal matrix, and what couples each to the next one

  /// Makes w orthogonal to all.
  void orthogonalise(Vector<T>& w) const {
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i < v.size(); ++i) add(w, -dot(sv[i], w), v[i]);
  }
  /// The eigenvector of the largest eigenvalue in their span, by vectors.
  [[nodiscard]] std::vector<double> largest() const {
    const std::size_t n = diagonal.size();
    std::vector<double> matrix(n * n, 0.0), values(n);
    for (std::size_t i = 0; i < n; ++i) {
      matrix[i * (n + 1)] = diagonal[i];
      if (i > 0) matrix[i * n + i - 1] = next[i - 1];
    }
    lapack::eigen_in_place(static_cast<Index>(n), matrix.data(), static_cast<Index>(n), values.data());
    return {matrix.end() - static_cast<std::ptrdiff_t>(n), matrix.end()};
  }
};

/// The level of the largest eigenvalue of `apply`, from a vector that is not 0.
template <class T, class Apply>
double edge_level(const BlockSparse<T>& h, const BlockSparse<T>& s, Vector<T> start, const Apply& apply) {
  constexpr std::size_t most = 300, between = 20;  // vectors, in all and between two looks
  constexpr double residual = 1e-5, none = 1e-12;  // Ha; a norm
  LanczosVectors<T> all;
  std::vector<double> y;
  Vector<T> w = std::move(start);
  for (;;) {
    Vector<T> sw = times(s, w);
    const double length = std::sqrt(std::max(0.0, real_part(dot(w, sw))));
    if (!all.v.empty()) all.next.push_back(length);
    const bool ends = (!(length > none) && !all.v.empty()) || all.v.size() == most;
    if (!all.v.empty() && (ends || all.v.size() % between == 0)) {
      y = all.largest();
      if (ends || length * std::abs(y.back()) < residual) break;
    }
    scale(w, 1 / length);
    scale(sw, 1 / length);
    all.v.push_back(std::move(w));
    all.sv.push_back(std::move(sw));
    w = apply(all.sv.back());
    all.diagonal.push_back(real_part(dot(all.sv.back(), w)));
    all.orthogonalise(w);
  }
  Vector<T> x(all.v.front().size(), T(0));
  for (std::size_t i = 0; i < y.size(); ++i) add(x, T(y[i]), all.v[i]);
  return real_part(dot(x, times(h, x))) / real_part(dot(x, times(s, x)));
}

}  // namespace

template <class T>
AlignedVector<T> product(const BlockSparse<T>& a, std::span<const T> x) {
  const BlockPattern& pattern = a.pattern();
  std::vector<Index> begins{0};
  for (const Index edge : pattern.edges) begins.push_back(begins.back() + edge);
  AlignedVector<T> y(static_cast<std::size_t>(begins.back()), T(0));
  for (Index row = a.my_rows().begin; row < a.my_rows().end; ++row) {
    const auto edge = static_cast<std::size_t>(pattern.edges[static_cast<std::size_t>(row)]);
    T* const to = y.data() + begins[static_cast<std::size_t>(row)];
    for (const Index column : pattern.columns[static_cast<std::size_t>(row)]) {
      const T* from = x.data() + begins[static_cast<std::size_t>(column)];
      const std::span<const T> block = a.block(row, column);
      for (std::size_t e = 0; e < block.size(); ++e) to[e % edge] += block[e] * from[e / edge];
    }
  }
  using Real = RealOf<T>;
  a.comm().merge(std::span(reinterpret_cast<Real*>(y.data()), y.size() * sizeof(T) / sizeof(Real)));
  return y;
}

template <class T>
GapEdges gap_edges(const BlockSparse<T>& h, const BlockSparse<T>& s, const BlockSparse<T>& k, const BlockSparse<T>& z) {
  Index products = 0;
  const SpectralBounds bounds = gershgorin(filtered_product(z, filtered_product(h, z, 0, products), 0, products));
  const Index rows = std::accumulate(s.pattern().edges.begin(), s.pattern().edges.end(), Index{0});
  const auto occupied = [&](const Vector<T>& x) { return times(k, x); };  // P S^-1
  const auto empty = [&](const Vector<T>& x) {
    Vector<T> found = times(z, times(z, x));
    add(found, T(-1), times(k, x));
    return found;
  };
  const auto edge = [&](const auto& project, double shift, double sign) {
    Vector<T> start(static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = T(random_at({1, static_cast<Index>(i)}));
    return edge_level<T>(h, s, project(times(s, start)), [&](const Vector<T>& sv) {
      const Vector<T> x = project(sv);
      Vector<T> y = times(h, x);
      add(y, T(-shift), times(s, x));
      scale(y, sign);
      return project(y);
    });
  };
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto states = static_cast<Index>(std::llround(trace_product(k, s)));
  return {states > 0 ? edge(occupied, bounds.lowest, 1) : -infinite,
          states < rows ? edge(empty, bounds.highest, -1) : infinite};
}

#define WAVEGRID_INSTANTIATE(T)                                                                       \
  template AlignedVector<T> product<T>(const BlockSparse<T>&, std::span<const T>);                    \
  template GapEdges gap_edges<T>(const BlockSparse<T>&, const BlockSparse<T>&, const BlockSparse<T>&, \
                                 const BlockSparse<T>&);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
