#include <algorithm>
#include <utility>

#include <wavegrid/base/vector_kernels.hpp>
#include <wavegrid/hamiltonian/interleaved_plane.hpp>
#include <wavegrid/hamiltonian/sphere_kernels.hpp>

namespace wavegrid {

namespace {

constexpr int most_at_once = 5;  ///< projectors whose sums fit into 16 registers of 32 bytes, two for each

/// All lanes of a point, as vectors of `bytes` each.
template <class Real, int bytes>
struct Lanes {
  static constexpr int vectors = 64 / bytes, vector_reals = bytes / static_cast<int>(sizeof(Real));
  typedef Real Vector __attribute__((vector_size(bytes), aligned(alignof(Real)), may_alias));
  Vector v[vectors];

  WAVEGRID_INLINE static Lanes at(const Real* p) {
    Lanes result;
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) result.v[i] = reinterpret_cast<const Vector*>(p)[i];
    return result;
  }
  WAVEGRID_INLINE void store(Real* p) const {
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) reinterpret_cast<Vector*>(p)[i] = v[i];
  }
  /// += factor x other
  WAVEGRID_INLINE void add(Real factor, const Lanes& other) {
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) v[i] += factor * other.v[i];
  }
  [[nodiscard]] WAVEGRID_INLINE Real dot(const Lanes& other) const {
    Real sum = 0;
    for (int i = 0; i < vectors; ++i) {
      const Vector product = v[i] * other.v[i];
      for (int lane = 0; lane < vector_reals; ++lane) sum += product[lane];
    }
    return sum;
  }
  /// Times (re + i im), where lanes are real and imaginary parts in turn.
  WAVEGRID_INLINE void multiply(Real re, Real im) {
    Vector sign{};
#pragma GCC unroll 16
    for (int i = 0; i < vector_reals; ++i) sign[i] = i % 2 == 0 ? -im : im;
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      Vector swapped{};
      swap_pairs(v[i], swapped, std::make_integer_sequence<int, vector_reals>());
      v[i] = re * v[i] + sign * swapped;
    }
  }

 private:
  template <int... numbers>
  WAVEGRID_INLINE static void swap_pairs(const Vector& a, Vector& result,
                                         std::integer_sequence<int, numbers...> /*lanes*/) {
    result = __builtin_shufflevector(a, a, (numbers ^ 1)...);
  }
};

/// Arguments of the functions of the header.
template <class Real>
struct Job {
  const SphereSlice<Real>& slice;
  const Real* weights;
  const Real* plane;
  Real* out;

  [[nodiscard]] Index first() const { return slice.runs.empty() ? 0 : slice.runs.front().point; }
  template <int bytes, bool with_phases>
  WAVEGRID_INLINE Lanes<Real, bytes> psi(Index in_plane, Index point) const {
    auto result = Lanes<Real, bytes>::at(plane + in_plane * lanes<Real>);
    if constexpr (with_phases) result.multiply(slice.phases[point].real(), slice.phases[point].imag());
    return result;
  }
};

// Each kernel does `count` projectors from number `from` on; what belongs to a projector stays in registers.

struct Project {
  template <int bytes, bool with_phases, int count, class Real>
  WAVEGRID_INLINE static void run(const Job<Real>& job, Index from) {
    Lanes<Real, bytes> sums[count] = {};
    const Index first = job.first(), stride = job.slice.projectors;
    for (const SphereRun& run : job.slice.runs) {
      const Real* values = job.slice.values + (run.point - first) * stride + from;
      for (Index j = 0; j < run.length; ++j, values += stride) {
        const auto psi = job.template psi<bytes, with_phases>(run.at + j, run.point - first + j);
#pragma GCC unroll 8
        for (int p = 0; p < count; ++p) sums[p].add(values[p], psi);
      }
    }
#pragma GCC unroll 8
    for (int p = 0; p < count; ++p) sums[p].store(job.out + (from + p) * lanes<Real>);
  }
};

struct Expand {
  template <int bytes, bool with_phases, int count, class Real>
  WAVEGRID_INLINE static void run(const Job<Real>& job, Index from) {
    using Vectors = Lanes<Real, bytes>;
    Vectors weights[count];
#pragma GCC unroll 8
    for (int p = 0; p < count; ++p) weights[p] = Vectors::at(job.weights + (from + p) * lanes<Real>);
    const Index first = job.first(), stride = job.slice.projectors;
    for (const SphereRun& run : job.slice.runs) {
      const Real* values = job.slice.values + (run.point - first) * stride + from;
      for (Index j = 0; j < run.length; ++j, values += stride) {
        Real* const at = job.out + (run.at + j) * lanes<Real>;
        Vectors sum = with_phases ? Vectors{} : Vectors::at(at);
#pragma GCC unroll 8
        for (int p = 0; p < count; ++p) sum.add(values[p], weights[p]);
        if constexpr (with_phases) {
          const std::complex<Real> phase = job.slice.phases[run.point - first + j];
          sum.multiply(phase.real(), -phase.imag());
          sum.add(Real(1), Vectors::at(at));
        }
        sum.store(at);
      }
    }
  }
};

struct Contract {
  template <int bytes, bool with_phases, int count, class Real>
  WAVEGRID_INLINE static void run(const Job<Real>& job, Index from) {
    using Vectors = Lanes<Real, bytes>;
    const Index first = job.first(), stride = job.slice.projectors;
    for (const SphereRun& run : job.slice.runs)
      for (Index j = 0; j < run.length; ++j) {
        const Index point = run.point - first + j;
        const auto psi = job.template psi<bytes, with_phases>(run.at + j, point);
#pragma GCC unroll 8
        for (int p = 0; p < count; ++p)
          job.out[point * stride + from + p] += Vectors::at(job.weights + (from + p) * lanes<Real>).dot(psi);
      }
  }
};

template <class Kernel, int bytes, bool with_phases, class Real>
WAVEGRID_INLINE void all_projectors(const Job<Real>& job) {
  const Index all = job.slice.projectors;
  for (Index from = 0, count = 0; from < all; from += count) {
    const Index left = all - from;
    count = ceil_div(left, ceil_div(left, most_at_once));
    if (count == 5) Kernel::template run<bytes, with_phases, 5>(job, from);
    if (count == 4) Kernel::template run<bytes, with_phases, 4>(job, from);
    if (count == 3) Kernel::template run<bytes, with_phases, 3>(job, from);
    if (count == 2) Kernel::template run<bytes, with_phases, 2>(job, from);
    if (count == 1) Kernel::template run<bytes, with_phases, 1>(job, from);
  }
}

template <class Kernel, int bytes, class Real>
WAVEGRID_INLINE void with_or_without_phases(const Job<Real>& job) {
  job.slice.phases ? all_projectors<Kernel, bytes, true>(job) : all_projectors<Kernel, bytes, false>(job);
}

template <class Kernel, class Real>
WAVEGRID_WIDE void run_wide(const Job<Real>& job) {
  with_or_without_phases<Kernel, 64>(job);
}

template <class Kernel, class Real>
void run(const Job<Real>& job) {
  if (has_wide_vectors()) return run_wide<Kernel>(job);
  with_or_without_phases<Kernel, 32>(job);
}

}  // namespace

template <class Real>
void project_slice(const SphereSlice<Real>& slice, const Real* plane, Real* sums) {
  run<Project>(Job<Real>{slice, nullptr, plane, sums});
}

template <class Real>
void expand_slice(const SphereSlice<Real>& slice, const Real* weights, Real* plane) {
  run<Expand>(Job<Real>{slice, weights, nullptr, plane});
}

template <class Real>
void contract_slice(const SphereSlice<Real>& slice, const Real* weights, const Real* plane, Real* out) {
  run<Contract>(Job<Real>{slice, weights, plane, out});
}

#define WAVEGRID_INSTANTIATE(Real)                                                 \
  template void project_slice<Real>(const SphereSlice<Real>&, const Real*, Real*); \
  template void expand_slice<Real>(const SphereSlice<Real>&, const Real*, Real*);  \
  template void contract_slice<Real>(const SphereSlice<Real>&, const Real*, const Real*, Real*);
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
