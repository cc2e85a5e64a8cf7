// The compact 3-D FFT of wave functions: sphere -> cylinder -> cuboid -> cube, distributed over rows x columns.
// Gao, Mo, Fang, Song, Wang, Comput. Phys. Commun. 2016, section 4.3.
#pragma once

#include <algorithm>
#include <complex>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include <wavegrid/exchange/tuned_plan.hpp>
#include <wavegrid/fft/band_lanes.hpp>
#include <wavegrid/fft/grid_operator.hpp>
#include <wavegrid/fft/pipeline.hpp>

namespace wavegrid {

struct FftOptions {
  std::optional<Transport> transport = std::nullopt;  ///< none: the fastest, by a search in apply_local() and tuned()
  int threads = 1;
  Index block = 0;  ///< bands that are exchanged together; 0: chosen by the size of messages and buffers
  PlanEffort effort = PlanEffort::measure;
  Profile* profile = nullptr;  ///< to which time is added, optional
  /// Whether other blocks are transformed while one is exchanged. None: yes if the ranks span several nodes; inside a
  /// node the same cores copy the messages, so nothing can overlap.
  std::optional<bool> overlap = std::nullopt;
  /// The same bits for any number of ranks and any rows x columns: one fixed plan for the 1-D transforms of each length
  /// (`effort` is then ignored), rows of BandFft in blocks, and ordered sums in GridFft.
  bool deterministic = false;
  /// Whether BandFft transforms bands with their Laplacians, too (laplacian_fft.hpp).
  bool laplacians = false;
  int components = 1;  ///< of a band of BandFft: 2 for spinors
  /// Work arrays that this transform shares with others; only one of them runs at a time. Null: its own.
  std::shared_ptr<FftWorkspace> workspace = nullptr;
};

/// Transforms blocks of bands between this rank's plane waves and its block of the grid.
///
/// Backward is psi(r) = sum_G c(G) exp(+iG.r) without a factor, forward includes the factor 1/N (docs/conventions.md).
/// Coefficients: `bands` consecutive arrays of size() complex numbers, ordered as PlaneWaves. Grid: (my x, my y, nz)
/// with z fastest. In Mode::gamma grid values are real and two bands share one transform. The constructor and all
/// transforms are collective over the process grid; workspace is allocated once.
template <class Real>
class SphereFft {
 public:
  using Complex = std::complex<Real>;

  /// Throws bad_input on all ranks if the partition does not divide the sphere over them, or differs between them
  /// (agreed).
  SphereFft(const ProcessGrid& ranks, const Partition& partition, const GSphere& sphere,
            const FftOptions& options = {});

  [[nodiscard]] Index size() const { return pipeline_.size(); }           ///< plane waves of this rank
  [[nodiscard]] Index grid_size() const { return layout().grid_size(); }  ///< grid points of this rank
  [[nodiscard]] const FftLayout& layout() const { return pipeline_.layout(); }
  [[nodiscard]] const Pipeline<Real>& pipeline() const { return pipeline_; }
  /// One-band transforms done so far, in either direction; a packed pair counts 2. The same on all ranks.
  [[nodiscard]] Index transforms() const { return transforms_; }

  /// The result of the search for a transport; none if the transport was given or nothing is exchanged.
  [[nodiscard]] std::optional<TunerReport> tuning() const { return pipeline_.tuning(); }
  [[nodiscard]] bool is_tuning() const { return pipeline_.is_tuning(); }
  /// Ends the search with a transport known to be good. The same on all ranks.
  void decide(Transport transport, const std::string& reason) { pipeline_.decide(transport, reason); }
  /// Does `work`, transforms by this object, as one step of the search if that is under way.
  template <class Work>
  void tuned(const Work& work) {
    pipeline_.step(work);
  }
  /// Calls step(first band, bands) for the first bands in steps of equal size, each with the next candidate of the
  /// search, until the search ends; returns the number of these bands.
  template <class Step>
  Index run_tuning(Index bands, const Step& step);

  /// Gamma mode: psi -> real values (bands x grid_size()).
  void to_real(const Complex* psi, Real* values, Index bands);
  /// Gamma mode: real values -> psi.
  void to_recip(const Real* values, Complex* psi, Index bands);
  /// Complex mode: psi -> complex values, and back.
  void to_real(const Complex* psi, Complex* values, Index bands);
  void to_recip(const Complex* values, Complex* psi, Index bands);

  /// The same for arrays whose lengths are checked: bands * size() coefficients, bands * grid_size() values. Throws
  /// bad_input on all ranks if one is shorter on any; costs a reduction. Value: Real in Mode::gamma, else Complex.
  template <class Value>
  void to_real(std::type_identity_t<std::span<const Complex>> psi, std::span<Value> values, Index bands) {
    require_lengths(std::ssize(psi), std::ssize(values), bands);
    to_real(psi.data(), values.data(), bands);
  }
  template <class Value>
  void to_recip(std::span<Value> values, std::type_identity_t<std::span<Complex>> psi, Index bands) {
    require_lengths(std::ssize(psi), std::ssize(values), bands);
    to_recip(values.data(), psi.data(), bands);
  }

  /// out = forward(potential * backward(psi)): the local part of one H application. `out` may equal `psi`.
  void apply_local(const Complex* psi, const Real* potential, Complex* out, Index bands);
  /// The same with operators besides a potential. Where there are any, whole bands are kept on the grid, a block of
  /// them at a time. `numbers`: for their read().
  void apply_on_grid(const Complex* psi, const GridOperators<Real>& operators, Complex* out, const BandNumbers& numbers,
                     Index bands);
  /// What LaplacianFft does with bands and their Laplacians (-|k+G|^2), one band in each lane, and what is done with
  /// spinors: whether it was done. Not on several ranks, nor where that would take longer.
  [[nodiscard]] bool apply_in_lanes(const BandRows<Real>& rows, const BandLanesFactors<Real>& factors, Complex* out,
                                    Index bands);
  [[nodiscard]] bool accumulate_in_lanes(const BandRows<Real>& rows, std::span<const double> weights,
                                         const BandLanesSums& sums, Index bands);
  /// Shows all bands to a visitor; `numbers` for its read().
  void visit_on_grid(const Complex* psi, GridVisitor<Real>& visitor, const BandNumbers& numbers, Index bands);
  /// Transforms pairs of consecutive bands to the grid, calls on_line(a, b, first point, points, pair) for each line of
  /// it, and with `back` transforms them back. In Mode::gamma `a` holds both, the real functions a + i b, and `b` is
  /// null. For FftOptions::laplacians.
  using OnLine = std::function<void(Complex* a, Complex* b, Index first, Index points, Index pair)>;
  void transform_pairs(Complex* bands, Index pairs, bool back, const OnLine& on_line);
  /// Of spinors, pairs of consecutive bands: out = forward((V + B.sigma) backward(psi)) with four fields, V, B_x, B_y,
  /// B_z, one after the other. `out` may equal psi. For FftOptions::components.
  void apply_to_spinors(const Complex* psi, const Real* fields, Complex* out, Index spinors);
  /// density += sum_b weights[b] psi_b^+ (1, sigma_x, sigma_y, sigma_z) psi_b: four fields, one after the other.
  void accumulate_vector_density(const Complex* psi, std::span<const double> weights, double* density, Index spinors);
  /// The two halves of apply_on_grid(), for at most bands_on_grid() bands: the arrays are valid until the next
  /// transform to the grid.
  [[nodiscard]] GridArrays<Real> to_grid(const Complex* psi, Index bands);
  void from_grid(const GridArrays<Real>& arrays, Complex* psi, Index bands);
  [[nodiscard]] Index bands_on_grid() const { return arrays_on_grid() * bands_per_transform(); }
  [[nodiscard]] Index bands_per_transform() const { return layout().mode == Mode::gamma ? 2 : 1; }
  /// density += sum_b weights[b] |psi_b(r)|^2, electrons per cell volume if weights are electrons (divide by volume).
  void accumulate_density(const Complex* psi, std::span<const double> weights, double* density, Index bands);

  /// Bytes of the work arrays on the part of `layout`, which transforms with the same workspace share. All ranks are
  /// assumed to be on one node. Pure.
  [[nodiscard]] static double bytes(const FftLayout& layout, const Partition& partition, const FftOptions& options);
  /// Bytes of the bands that apply_on_grid() keeps on the grid. Pure.
  [[nodiscard]] static double grid_bytes(const FftLayout& layout, const Partition& partition,
                                         const FftOptions& options);
  /// Bytes of its exchanges: `runs` of each transform; `buffers` that transforms on the same ranks share, including
  /// those that a search for a transport keeps. Pure.
  [[nodiscard]] static ExchangePlan::Bytes exchange_bytes(const FftLayout& layout, const Partition& partition,
                                                          const FftOptions& options);

 private:
  void require_lengths(Index coefficients, Index values, Index bands) const;

  using OnTile = typename Pipeline<Real>::OnTile;
  using Route = typename Pipeline<Real>::Route;

  void run(const Route& route, Index bands, const OnTile& on_tile);
  void apply_band_by_band(const Complex* psi, const Real* potential, Complex* out, Index bands);
  [[nodiscard]] Index arrays_on_grid() const { return arrays_for(pipeline_.capacity() / bands_per_transform()); }
  [[nodiscard]] static Index arrays_for(Index in_pipeline);
  template <class Store>
  void for_points(Complex* lines, const Tile& tile, Store store) const;

  Comm comm_;
  Profile* profile_;
  TunedPlan<Pipeline<Real>> pipeline_;
  std::unique_ptr<BandLanes<Real>> lanes_;  ///< null if they would take longer, or several ranks share the sphere
  Index transforms_ = 0;
  Index tuning_bands_ = 0;  ///< bands in one step of the search
};

template <class Real>
template <class Step>
Index SphereFft<Real>::run_tuning(Index bands, const Step& step) {
  if (!is_tuning()) return 0;
  // Whole pairs: which bands share a transform must not depend on the search.
  const Index pair = bands_per_transform();
  if (tuning_bands_ == 0) tuning_bands_ = std::max(pair, std::min(bands, pipeline_.capacity()) / pair * pair);
  Index done = 0;
  for (; is_tuning() && done + tuning_bands_ <= bands; done += tuning_bands_) tuned([&] { step(done, tuning_bands_); });
  return done;
}

}  // namespace wavegrid
