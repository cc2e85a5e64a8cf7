// The inner loops of projectors on a mesh: products of their values near an atom with blocks of bands, states fastest.
#pragma once

#include <span>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// The values of real functions at some of the points of a mesh: of point `points[n]` those of all functions,
/// values[n count + function].
struct PointValues {
  std::span<const Index> points;
  const double* values;
  Index count;  ///< of functions
};

/// sums[function row + i] = sum over the points of value(point, function) in[point row + i], 0 <= i < row. Local.
void sum_products(const PointValues& of, const double* in, Index row, double* sums);

/// out[point row + i] += sum over the functions of value(point, function) weights[function row + i]. Local.
void add_products(const PointValues& of, const double* weights, Index row, double* out);

}  // namespace wavegrid
