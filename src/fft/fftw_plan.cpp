#include <fftw3.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <type_traits>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/fft/fftw_plan.hpp>

namespace wavegrid {

static_assert(static_cast<int>(FftDirection::backward) == FFTW_BACKWARD);
static_assert(static_cast<int>(FftDirection::forward) == FFTW_FORWARD);

namespace {

unsigned flag_of(PlanEffort effort) {
  switch (effort) {
    case PlanEffort::estimate:
      return FFTW_ESTIMATE;
    case PlanEffort::measure:
      return FFTW_MEASURE;
    case PlanEffort::patient:
      return FFTW_PATIENT;
    case PlanEffort::fixed:
      return FFTW_ESTIMATE;
  }
  return FFTW_ESTIMATE;
}

template <class Real>
std::atomic<Index> measured_plans = 0;

template <class Real>
void* make_plan(const FftShape& s, FftDirection direction, unsigned effort, std::complex<Real>* in,
                std::complex<Real>* out) {
  const int sign = static_cast<int>(direction);
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

/// Guarded by the planner's lock.
template <class Real>
std::vector<RecalledPlan>& recalled() {
  static std::vector<RecalledPlan> plans;
  return plans;
}

template <class Real>
void remember(const RecalledPlan& plan) {
  constexpr std::size_t most = 48;
  std::vector<RecalledPlan>& all = recalled<Real>();
  if (all.size() < most && std::find(all.begin(), all.end(), plan) == all.end()) all.push_back(plan);
}

/// How many objects have set the wisdom aside. Guarded by the planner's lock.
template <class Real>
int without_wisdom = 0;

/// The plan of these arguments, if one lives. Guarded by the planner's lock.
template <class Real>
std::weak_ptr<void>& living(const RecalledPlan& arguments) {
  static std::map<std::array<int, 9>, std::weak_ptr<void>> plans;
  const FftShape& s = arguments.shape;
  return plans[{s.n, s.count, s.in_stride, s.in_distance, s.out_stride, s.out_distance,
                static_cast<int>(arguments.direction), static_cast<int>(arguments.in_place),
                static_cast<int>(arguments.effort)}];
}

template <class Real>
void* recall_or_make_plan(const FftShape& shape, FftDirection direction, PlanEffort effort, std::complex<Real>* in,
                          std::complex<Real>* out) {
  const unsigned flag = flag_of(effort);
  if (flag != FFTW_ESTIMATE) {
    if (void* known = make_plan<Real>(shape, direction, flag | FFTW_WISDOM_ONLY, in, out)) {
      remember<Real>({shape, direction, in == out, effort});
      return known;
    }
    ++measured_plans<Real>;
  }
  return make_plan<Real>(shape, direction, flag, in, out);
}

}  // namespace

std::unique_lock<std::recursive_mutex> lock_fftw_planner() {
  static std::recursive_mutex planner;
  return std::unique_lock(planner);
}

template <class Real>
FftwPlan<Real>::FftwPlan(const FftShape& s, FftDirection direction, bool in_place, PlanEffort effort) {
  if (s.count == 0) return;
  const auto planner = lock_fftw_planner();
  const bool shares = effort != PlanEffort::fixed && without_wisdom<Real> == 0;
  std::weak_ptr<void>* const shared = shares ? &living<Real>({s, direction, in_place, effort}) : nullptr;
  if (shared && (plan_ = shared->lock())) return;
  AlignedVector<std::complex<Real>> in(s.in_size(), 0), out(in_place ? 0 : s.out_size(), 0);
  const auto plan = [&](const FftShape& shape) {
    std::complex<Real>* const to = in_place ? in.data() : out.data();
    plan_ = {recall_or_make_plan<Real>(shape, direction, effort, in.data(), to), Destroy()};
    if (!plan_) throw internal_error("FFTW could not plan transforms of length " + std::to_string(s.n));
  };
  if (effort != PlanEffort::fixed) {
    plan(s);
    if (shared) *shared = plan_;
    return;
  }
  const WithoutWisdom<Real> guard;
  plan(s);
  if (in_place || is_position_independent(s)) return;
  FftShape one(s);
  one.count = 1;
  plan(one);
  repeats_ = s.count;
  in_distance_ = s.in_distance;
  out_distance_ = s.out_distance;
}

/// Whether the result of a row has the same bits at every position of the batch; tested with one row of different
/// numbers.
template <class Real>
bool FftwPlan<Real>::is_position_independent(const FftShape& s) const {
  AlignedVector<std::complex<Real>> in(s.in_size(), 0);
  AlignedVector<std::complex<Real>> out(s.out_size(), 0);
  for (int t = 0; t < s.count; ++t)
    for (int j = 0; j < s.n; ++j)
      in[static_cast<std::size_t>(Index{t} * s.in_distance + Index{j} * s.in_stride)] = {
          static_cast<Real>(std::sin(1.0 + 2.3 * j * j)), static_cast<Real>(std::cos(2.0 + 1.7 * j * j))};
  run(in.data(), out.data());
  for (int t = 1; t < s.count; ++t)
    for (int j = 0; j < s.n; ++j) {
      const Index at = Index{j} * s.out_stride;
      if (out[static_cast<std::size_t>(at)] != out[static_cast<std::size_t>(at + Index{t} * s.out_distance)])
        return false;
    }
  return true;
}

template <class Real>
void FftwPlan<Real>::run(std::complex<Real>* in, std::complex<Real>* out) const {
  if (!plan_) return;
  for (int i = 0; i < repeats_; ++i, in += in_distance_, out += out_distance_)
    if constexpr (std::is_same_v<Real, double>)
      fftw_execute_dft(static_cast<fftw_plan>(plan_.get()), reinterpret_cast<fftw_complex*>(in),
                       reinterpret_cast<fftw_complex*>(out));
    else
      fftwf_execute_dft(static_cast<fftwf_plan>(plan_.get()), reinterpret_cast<fftwf_complex*>(in),
                        reinterpret_cast<fftwf_complex*>(out));
}

template <class Real>
void FftwPlan<Real>::Destroy::operator()(void* plan) const {
  const auto planner = lock_fftw_planner();
  if constexpr (std::is_same_v<Real, double>)
    fftw_destroy_plan(static_cast<fftw_plan>(plan));
  else
    fftwf_destroy_plan(static_cast<fftwf_plan>(plan));
}

template <class Real>
Index num_measured_plans() {
  return measured_plans<Real>;
}

template <class Real>
std::vector<RecalledPlan> recalled_plans() {
  const auto planner = lock_fftw_planner();
  return recalled<Real>();
}

template <class Real>
WithoutWisdom<Real>::WithoutWisdom() : planner_(lock_fftw_planner()) {
  ++without_wisdom<Real>;
  if constexpr (std::is_same_v<Real, double>)
    text_ = fftw_export_wisdom_to_string(), fftw_forget_wisdom();
  else
    text_ = fftwf_export_wisdom_to_string(), fftwf_forget_wisdom();
}

template <class Real>
WithoutWisdom<Real>::~WithoutWisdom() {
  --without_wisdom<Real>;
  const char* const text = text_ ? text_ : "";
  if (restores_) {
    if constexpr (std::is_same_v<Real, double>)
      fftw_forget_wisdom(), fftw_import_wisdom_from_string(text);
    else
      fftwf_forget_wisdom(), fftwf_import_wisdom_from_string(text);
  }
  std::free(text_);
}

std::string fftw_library_version() { return fftw_version; }

template Index num_measured_plans<float>();
template Index num_measured_plans<double>();
template std::vector<RecalledPlan> recalled_plans<float>();
template std::vector<RecalledPlan> recalled_plans<double>();
template class WithoutWisdom<float>;
template class WithoutWisdom<double>;
template class FftwPlan<float>;
template class FftwPlan<double>;

}  // namespace wavegrid
