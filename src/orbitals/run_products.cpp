#include <complex>

#include <wavegrid/base/processors.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/orbitals/gather_points.hpp>
#include <wavegrid/orbitals/run_products.hpp>

// Functions that return vectors wider than those of the compiler's target are all inlined: no call has their ABI.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace wavegrid {

namespace run_loops {

#define WAVEGRID_LOOPS <wavegrid/orbitals/run_loops.inc>
#include <wavegrid/base/each_processor.inc>

}  // namespace run_loops

template <class S>
template <class Work>
void RunProducts<S>::in_pieces(const CommonFunctions<S>& f, Work work) {
  constexpr Index piece_points = 2048;  // functions of two atoms at them stay in cache
  runs_.clear();
  Index points = 0;
  for (const CommonRun& run : f.runs) {
    runs_.push_back(run);
    points += run.length;
    if (points < piece_points && &run != &f.runs.back()) continue;
    const auto size = [](Index count, Index each) { return static_cast<std::size_t>(count * each); };
    gather_points<S>({f.a, size(f.a_count, f.a_points)}, f.a_points, f.a_count, runs_, &CommonRun::a, a_);
    gather_points<S>({f.b, size(f.b_count, f.b_points)}, f.b_points, f.b_count, runs_, &CommonRun::b, b_);
    work(points);
    runs_.clear();
    points = 0;
  }
}

template <class S>
void RunProducts<S>::add_inner(const CommonFunctions<S>& f, double factor, const double* field, S* block) {
  if constexpr (ScalarTraits<S>::is_real) {
    if (field != nullptr) return WAVEGRID_CALL(run_loops, add_inner_products<true>(f, factor, field, block));
    return WAVEGRID_CALL(run_loops, add_inner_products<false>(f, factor, field, block));
  } else {
    in_pieces(f, [&](Index points) {
      S* at = a_.data();
      for (Index i = 0; field != nullptr && i < f.a_count; ++i)
        for (const CommonRun& run : runs_)
          for (Index p = 0; p < run.length; ++p) *at++ *= field[run.a + p];
      lapack::gemm<S>('C', 'N', f.a_count, f.b_count, points, S(factor), a_.data(), points, b_.data(), points, S(1),
                      block, f.a_count);
    });
  }
}

template <class S>
void RunProducts<S>::add_sums(const CommonFunctions<S>& f, const S* w, S* to) {
  if constexpr (ScalarTraits<S>::is_real) {
    WAVEGRID_CALL(run_loops, add_sums(f, w, to));
  } else {
    CommonFunctions<S> only_b = f;
    only_b.a = f.b;  // not used
    only_b.a_count = 0;
    in_pieces(only_b, [&](Index points) {
      sums_.resize(static_cast<std::size_t>(f.a_count * points));
      lapack::gemm<S>('N', 'C', points, f.a_count, f.b_count, S(1), b_.data(), points, w, f.a_count, S(0), sums_.data(),
                      points);
      add_points<S>(sums_, f.a_points, f.a_count, runs_, &CommonRun::a, to);
    });
  }
}

template <class S>
void RunProducts<S>::add_density(const CommonFunctions<S>& f, double factor, const S* k, double* density) {
  if constexpr (ScalarTraits<S>::is_real) {
    WAVEGRID_CALL(run_loops, add_density(f, factor, k, density));
  } else {
    in_pieces(f, [&](Index points) {
      sums_.resize(static_cast<std::size_t>(f.a_count * points));
      lapack::gemm<S>('N', 'C', points, f.a_count, f.b_count, S(factor), b_.data(), points, k, f.a_count, S(0),
                      sums_.data(), points);
      const S *at = sums_.data(), *u = a_.data();
      for (Index i = 0; i < f.a_count; ++i)
        for (const CommonRun& run : runs_)
          for (Index p = 0; p < run.length; ++p) density[run.a + p] += real_part(*u++ * conjugate(*at++));
    });
  }
}

template class RunProducts<double>;
template class RunProducts<std::complex<double>>;

}  // namespace wavegrid
