#include <wavegrid/base/processors.hpp>
#include <wavegrid/realspace/projector_kernel.hpp>

namespace wavegrid {

namespace projector_loops {

/// Functions whose sums, two vectors each, fit into the registers.
constexpr Index most_functions = 6;

/// Some of the functions and of the numbers of a point.
struct Piece {
  const PointValues& of;
  Index function;  ///< the first
  Index column;    ///< the first
  Index row;
};

#define WAVEGRID_LOOPS <wavegrid/realspace/projector_loops.inc>
#include <wavegrid/base/each_processor.inc>

}  // namespace projector_loops

void sum_products(const PointValues& of, const double* in, Index row, double* sums) {
  WAVEGRID_CALL(projector_loops, sum_all(of, in, row, sums));
}

void add_products(const PointValues& of, const double* weights, Index row, double* out) {
  WAVEGRID_CALL(projector_loops, add_all(of, weights, row, out));
}

}  // namespace wavegrid
