// The compact 3-D FFT of wave functions: sphere -> cylinder -> cuboid -> cube, distributed over rows x columns.
// Gao, Mo, Fang, Song, Wang, Comput. Phys. Commun. 2016, section 4.3.
#pragma once

#include <complex>
#include <functional>
#include <span>

#include "base/aligned.hpp"
#include "base/profile.hpp"
#include "fft/fft_layout.hpp"
#include "fft/line_stage.hpp"
#include "fft/plane_stage.hpp"
#include "fft/stick_stage.hpp"
#include "mpi/process_grid.hpp"

namespace wavegrid {

struct FftOptions {
  Transport transport = Transport::alltoallv;
  int threads = 1;
  Index block = 16;  ///< bands per exchange where ranks exchange; alone, a rank takes two per thread
  PlanEffort effort = PlanEffort::measure;
  Profile* profile = nullptr;  ///< where time is booked, optional
};

/// Transforms blocks of bands between this rank's plane waves and its block of the grid.
///
/// Backward is psi(r) = sum_G c(G) exp(+iG.r) without a factor, forward carries 1/N (docs/conventions.md).
/// Coefficients: `bands` consecutive arrays of size() complex numbers, ordered as PlaneWaves. Grid: (my x, my y, nz)
/// with z fastest. In Mode::gamma grid values are real and two bands share one transform.
/// The constructor and all transforms are collective over the process grid; workspace is allocated once.
template <class Real>
class SphereFft {
 public:
  using Complex = std::complex<Real>;

  SphereFft(const ProcessGrid& ranks, const Partition& partition, const GSphere& sphere,
            const FftOptions& options = {});

  [[nodiscard]] Index size() const { return size_; }                     ///< plane waves of this rank
  [[nodiscard]] Index grid_size() const { return layout_.grid_size(); }  ///< grid points of this rank
  [[nodiscard]] const FftLayout& layout() const { return layout_; }
  /// One-band transforms done so far, in either direction; a packed pair counts 2. The same on all ranks.
  [[nodiscard]] Index transforms() const { return transforms_; }

  /// Gamma mode: psi -> real values (bands x grid_size()).
  void to_real(const Complex* psi, Real* values, Index bands);
  /// Gamma mode: real values -> psi.
  void to_recip(const Real* values, Complex* psi, Index bands);
  /// Complex mode: psi -> complex values, and back.
  void to_real(const Complex* psi, Complex* values, Index bands);
  void to_recip(const Complex* values, Complex* psi, Index bands);

  /// out = forward(potential * backward(psi)): the local part of one H application. `out` may equal `psi`.
  void apply_local(const Complex* psi, const Real* potential, Complex* out, Index bands);
  /// density += sum_b weights[b] |psi_b(r)|^2, electrons per cell volume if weights are electrons (divide by volume).
  void accumulate_density(const Complex* psi, std::span<const double> weights, double* density, Index bands);

 private:
  /// What happens to the lines of one x: (lines (my y, line_row), local x, first band of the lines).
  using OnLines = std::function<void(Complex* lines, Index x, Index band)>;
  /// Which halves of the pipeline run around it. A rank without plane waves may pass null pointers and still takes
  /// part, so the route is told by flags.
  struct Route {
    bool to_grid = false;
    bool to_sphere = false;
    const Complex* from = nullptr;  ///< coefficients to bring to the grid
    Complex* to = nullptr;          ///< coefficients brought back
  };

  void run(const Route& route, Index bands, const OnLines& on_lines);
  void sticks_out(const Complex* psi, Index count);
  void sticks_back(Complex* psi, Index count);
  void whole_planes(const Route& route, Index first, Index count, const OnLines& on_lines);
  void sections(const Route& route, Index first, Index count, const OnLines& on_lines);
  void lines_of(const Route& route, Complex* a, Complex* b, Complex* lines, const std::function<void()>& visit) const;
  void move(ExchangePlan& plan, bool forward, Complex* source, Index source_stride, Complex* target,
            Index target_stride, Index count);
  [[nodiscard]] Index lanes() const { return layout_.mode == Mode::gamma ? 2 : 1; }
  template <class Store>
  void for_points(Complex* lines, Index x, Store store) const;

  FftLayout layout_;
  FftOptions options_;
  Index size_ = 0;
  Index block_ = 1;
  Index transforms_ = 0;
  StickStage<Real> sticks_;
  PlaneStage<Real> planes_;
  LineStage<Real> lines_;
  ExchangePlan to_planes_, to_sections_;
  AlignedVector<Complex> stick_data_, arrived_data_, plane_data_, section_data_;  ///< a block of bands each
  AlignedVector<Complex> work_;                                                   ///< one piece per thread
  Index work_size_ = 0;
};

}  // namespace wavegrid
