// FFTW's batched 1-D transforms as values, in both precisions.
#pragma once

#include <complex>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// exp(+i ...) without a factor (G to grid), and exp(-i ...) likewise unscaled.
enum class FftDirection { backward = 1, forward = -1 };  // the signs of FFTW

/// How long FFTW may search for a fast plan.
enum class PlanEffort {
  estimate,
  measure,
  patient,
  fixed,  ///< no search and no wisdom: the same bits in every run, and for every transform of a batch
};

/// `count` transforms of length n; element j of transform t is at t * distance + j * stride.
struct FftShape {
  int n = 1;
  int count = 1;
  int in_stride = 1, in_distance = 0;
  int out_stride = 1, out_distance = 0;

  bool operator==(const FftShape&) const = default;

  /// Elements from the first to the last, both included.
  [[nodiscard]] std::size_t in_size() const { return size(in_stride, in_distance); }
  [[nodiscard]] std::size_t out_size() const { return size(out_stride, out_distance); }

 private:
  [[nodiscard]] std::size_t size(int stride, int distance) const {
    return static_cast<std::size_t>(Index{n - 1} * stride + Index{count - 1} * distance + 1);
  }
};

/// Held by the library while FFTW plans, destroys plans or changes its wisdom, because FFTW's planner is not
/// thread-safe. A program that calls FFTW's planner itself, from another thread, has to hold it too.
[[nodiscard]] std::unique_lock<std::recursive_mutex> lock_fftw_planner();

/// A planned batch of 1-D complex transforms. Objects with the same arguments share one plan, as those of many k-points
/// do: finding it in the wisdom takes longer than a small batch. Plans may be made and executed by several threads at
/// once. In place if
/// the shape's input and output agree and the same pointer is passed twice; all pointers must be aligned to 16 bytes.
template <class Real>
class FftwPlan {
 public:
  FftwPlan() = default;
  FftwPlan(const FftShape& shape, FftDirection direction, bool in_place, PlanEffort effort);

  void run(std::complex<Real>* in, std::complex<Real>* out) const;

 private:
  struct Destroy {
    void operator()(void* plan) const;
  };
  [[nodiscard]] bool is_position_independent(const FftShape& shape) const;

  std::shared_ptr<void> plan_;
  int repeats_ = 1;  ///< calls of the plan in run(): more than 1 if the plan does only one transform
  int in_distance_ = 0, out_distance_ = 0;
};

/// A plan that FFTW's wisdom has provided instead of a measurement.
struct RecalledPlan {
  FftShape shape;
  FftDirection direction;
  bool in_place;
  PlanEffort effort;

  bool operator==(const RecalledPlan&) const = default;
};
/// Those of this process, each once, at most some dozens.
template <class Real>
[[nodiscard]] std::vector<RecalledPlan> recalled_plans();

/// Removes FFTW's wisdom of one precision, and restores it in the destructor, unless `keep_new` was called. Meanwhile
/// plans are made anew, not shared, and the planner is held.
template <class Real>
class WithoutWisdom {
 public:
  WithoutWisdom();
  WithoutWisdom(const WithoutWisdom&) = delete;
  WithoutWisdom& operator=(const WithoutWisdom&) = delete;
  ~WithoutWisdom();
  /// What has been measured in its lifetime becomes all of the wisdom.
  void keep_new() { restores_ = false; }

 private:
  std::unique_lock<std::recursive_mutex> planner_;
  char* text_;
  bool restores_ = true;
};

/// How many plans of `Real` this process has measured because FFTW's wisdom did not hold them.
template <class Real>
[[nodiscard]] Index num_measured_plans();

[[nodiscard]] std::string fftw_library_version();

}  // namespace wavegrid
