// Products of the functions of two atoms at their common points.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/linalg/scalar.hpp>
#include <wavegrid/orbitals/common_points.hpp>

namespace wavegrid {

/// Functions in two boxes, (count, points of the box) each, and the points that count.
template <class S>
struct CommonFunctions {
  const S* a;
  Index a_points, a_count;
  const S* b;
  Index b_points, b_count;
  std::span<const CommonRun> runs;
};

/// Real functions are multiplied where they lie, with registers of the processor; complex ones are gathered for BLAS.
/// The order of additions depends on the functions and points alone. Local.
template <class S>
class RunProducts {
 public:
  /// block(i, j) += factor sum conj(a_i) field b_j; `field` at the points of the first box, null: 1. (a_count, b_count)
  void add_inner(const CommonFunctions<S>& f, double factor, const double* field, S* block);
  /// to_i += sum_j b_j conj(w(i, j)) in the first box. w: (a_count, b_count)
  void add_sums(const CommonFunctions<S>& f, const S* w, S* to);
  /// density += factor Re sum_ij a_i k(i, j) conj(b_j) in the first box. k: (a_count, b_count)
  void add_density(const CommonFunctions<S>& f, double factor, const S* k, double* density);

 private:
  /// Calls work(points) for some runs at a time, whose functions are then in a_ and b_.
  template <class Work>
  void in_pieces(const CommonFunctions<S>& f, Work work);

  std::vector<CommonRun> runs_;
  AlignedVector<S> a_, b_, sums_;
};

extern template class RunProducts<double>;
extern template class RunProducts<std::complex<double>>;

}  // namespace wavegrid
