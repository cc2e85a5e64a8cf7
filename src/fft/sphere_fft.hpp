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
  /// What happens to a tile of lines (tile.count, line_row) on the grid; `band` is the first of the lines' bands.
  using OnTile = std::function<void(Complex* lines, const Tile& tile, Index band)>;
  /// Which halves of the pipeline run around it. A rank without plane waves may pass null pointers and still takes
  /// part, so the route is told by flags.
  struct Route {
    bool to_grid = false;
    bool to_sphere = false;
    bool bands_meet = false;        ///< bands add up on the grid: no two threads may hold the same point
    const Complex* from = nullptr;  ///< coefficients to bring to the grid
    Complex* to = nullptr;          ///< coefficients brought back
  };
  /// The bands that share one complex transform: two in Gamma mode, else one; as they stand at one stage.
  struct Group {
    Complex* data;
    Index stride;  ///< elements from band to band
    Index lanes;   ///< bands
    Index band;    ///< the first one's number
    [[nodiscard]] Complex* at(Index lane) const { return data + lane * stride; }
  };

  void run(const Route& route, Index bands, const OnTile& on_tile);
  void run_bands_apart(const Route& route, Index bands, const OnTile& on_tile);
  void sticks_out(const Complex* psi, Index count);
  void sticks_back(Complex* psi, Index count);
  void whole_planes(const Route& route, Index first, Index count, const OnTile& on_tile);
  void sections(const Route& route, Index first, Index count, const OnTile& on_tile);
  void plane(const Route& route, const Group& arrived, Index x, Complex* work, const OnTile& on_tile) const;
  void tiles(const Route& route, const Group& section, Index x, Complex* work, Index grid_x,
             const OnTile& on_tile) const;
  void move(ExchangePlan& plan, bool forward, Complex* source, Index source_stride, Complex* target,
            Index target_stride, Index count);
  [[nodiscard]] Index lanes() const { return layout_.mode == Mode::gamma ? 2 : 1; }
  [[nodiscard]] Complex* work_of_thread();
  [[nodiscard]] Real scale() const;
  template <class Store>
  void for_points(Complex* lines, const Tile& tile, Store store) const;

  FftLayout layout_;
  FftOptions options_;
  bool alone_;
  Index size_ = 0;
  Index block_ = 1;
  Index transforms_ = 0;
  StickStage<Real> sticks_;
  PlaneStage<Real> planes_;
  LineStage<Real> lines_;
  ExchangePlan to_planes_, to_sections_;
  AlignedVector<Complex> stick_data_, arrived_data_, column_data_, section_data_;  ///< a block of bands each
  AlignedVector<Complex> work_;                                                    ///< one piece per thread
  Index work_size_ = 0;

 public:
  /// Bytes that a transform takes on the part of `layout`: its own arrays, and its exchanges. Pure.
  [[nodiscard]] static double bytes(const FftLayout& layout, const Partition& partition, const FftOptions& options);
  [[nodiscard]] static double exchange_bytes(const FftLayout& layout, const Partition& partition,
                                             const FftOptions& options);
};

}  // namespace wavegrid
