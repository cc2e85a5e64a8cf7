// Batched 1-D FFTs of short lengths: one transform in each lane of a vector register.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/fft/fftw_plan.hpp>

namespace wavegrid {

/// Transforms of a batch, `lanes` at a time, by Stockham's algorithm with radices 2, 3, 4, 5, 7 and 8 (C. Van Loan,
/// Computational Frameworks for the Fast Fourier Transform, 10.1137/1.9781611970999): all transforms do the same
/// operations, so that no length needs shuffles inside, and results do not depend on the position in the batch. Where
/// FFTW has no single codelet for a length (18, 21, 24, 27, 30, 36, 42, 45, ...) this takes a third to four fifths of
/// its time in single precision.
template <class Real>
class LaneFft {
 public:
  using Complex = std::complex<Real>;

  /// Whether a shape can be transformed: lengths without prime factors above 7; in the input, and in the output, either
  /// the elements of a transform follow each other, or those of different transforms do.
  [[nodiscard]] static bool handles(const FftShape& shape);
  /// Transforms that are done at once.
  [[nodiscard]] static Index lanes();

  /// The shape must be one that this class handles.
  LaneFft(const FftShape& shape, FftDirection direction);

  /// Elements of workspace, aligned to 64 bytes, that run() needs.
  [[nodiscard]] Index workspace() const;
  /// Out of place.
  void run(const Complex* in, Complex* out, Complex* work) const;
  /// One transform per lane: elements (n, 2, lanes), real part first, in `a`. The result is in `a` or `b`, which is
  /// returned; the other is overwritten. Both are aligned to 64 bytes.
  [[nodiscard]] Real* run_lanes(FftDirection direction, Real* a, Real* b) const;

 private:
  /// One step: `rest` times `done` transforms of length `radix`.
  struct Pass {
    int radix, rest, done;
    std::size_t first_factor;
  };

  FftShape shape_;
  FftDirection direction_;
  std::vector<Pass> passes_;
  std::vector<Real> factors_;  ///< exp(+2 pi i p k / length) of all passes, p slowest, without k = 0
};

}  // namespace wavegrid
