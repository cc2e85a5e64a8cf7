#include "fft/fftw_plan.hpp"

#include <algorithm>
#include <type_traits>

#include "base/aligned.hpp"
#include "base/error.hpp"

namespace wavegrid {

namespace {

unsigned flag_of(PlanEffort effort) {
  switch (effort) {
    case PlanEffort::estimate:
      return FFTW_ESTIMATE;
    case PlanEffort::measure:
      return FFTW_MEASURE;
    case PlanEffort::patient:
      return FFTW_PATIENT;
  }
  return FFTW_ESTIMATE;
}

template <class Real>
void* make_plan(const FftShape& s, Direction direction, PlanEffort wanted, std::complex<Real>* in,
                std::complex<Real>* out) {
  const int sign = static_cast<int>(direction);
  const unsigned effort = flag_of(wanted);
  if constexpr (std::is_same_v<Real, double>) {
    auto* const a = reinterpret_cast<fftw_complex*>(in);
    auto* const b = reinterpret_cast<fftw_complex*>(out);
    return fftw_plan_many_dft(1, &s.n, s.count, a, nullptr, s.in_stride, s.in_distance, b, nullptr, s.out_stride,
                              s.out_distance, sign, effort);
  } else {
    auto* const a = reinterpret_cast<fftwf_complex*>(in);
    auto* const b = reinterpret_cast<fftwf_complex*>(out);
    return fftwf_plan_many_dft(1, &s.n, s.count, a, nullptr, s.in_stride, s.in_distance, b, nullptr, s.out_stride,
                               s.out_distance, sign, effort);
  }
}

std::size_t extent(int n, int stride, int count, int distance) {
  return static_cast<std::size_t>(Index{n - 1} * stride + Index{count - 1} * distance + 1);
}

}  // namespace

template <class Real>
FftwPlan<Real>::FftwPlan(const FftShape& s, Direction direction, bool in_place, PlanEffort effort) {
  if (s.count == 0) return;
  const std::size_t in_size = extent(s.n, s.in_stride, s.count, s.in_distance);
  const std::size_t out_size = extent(s.n, s.out_stride, s.count, s.out_distance);
  AlignedVector<std::complex<Real>> in(in_size, 0), out(in_place ? 0 : out_size, 0);
  plan_.reset(make_plan<Real>(s, direction, effort, in.data(), in_place ? in.data() : out.data()));
  if (!plan_) throw internal_error("FFTW could not plan transforms of length " + std::to_string(s.n));
}

template <class Real>
void FftwPlan<Real>::run(std::complex<Real>* in, std::complex<Real>* out) const {
  if (!plan_) return;
  if constexpr (std::is_same_v<Real, double>)
    fftw_execute_dft(static_cast<fftw_plan>(plan_.get()), reinterpret_cast<fftw_complex*>(in),
                     reinterpret_cast<fftw_complex*>(out));
  else
    fftwf_execute_dft(static_cast<fftwf_plan>(plan_.get()), reinterpret_cast<fftwf_complex*>(in),
                      reinterpret_cast<fftwf_complex*>(out));
}

template <class Real>
void FftwPlan<Real>::Destroy::operator()(void* plan) const {
  if constexpr (std::is_same_v<Real, double>)
    fftw_destroy_plan(static_cast<fftw_plan>(plan));
  else
    fftwf_destroy_plan(static_cast<fftwf_plan>(plan));
}

std::string fftw_library_version() { return fftw_version; }

template class FftwPlan<float>;
template class FftwPlan<double>;

}  // namespace wavegrid
