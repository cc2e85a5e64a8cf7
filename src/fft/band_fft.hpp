// The transforms of one k-point's bands, distributed over band groups.
//
// In linear algebra every rank has a few rows (plane waves) of all bands; transforms need whole bands on few ranks. So
// the rows of a band are distributed over all ranks of the k-point group, and for a transform each band group fetches
// all rows of its share of the bands: one exchange before and one after the transform. Solvers and terms do not depend
// on it.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/exchange/band_group_exchange.hpp>
#include <wavegrid/fft/laplacian_fft.hpp>
#include <wavegrid/fft/sphere_fft.hpp>
#include <wavegrid/mpi/process_groups.hpp>

namespace wavegrid {

/// Transforms bands in the layout of the solvers (consecutive arrays of rows().size() coefficients on every rank of the
/// k-point group) to and from the grid; spinors (FftOptions::components) are arrays of both components, one after the
/// other. Of a block of bands, band b is transformed by band group b mod (number of band
/// groups). With one band group nothing is sent in addition to what SphereFft sends. All calls are collective over the
/// k-point group.
template <class Real>
class BandFft {
 public:
  using Complex = std::complex<Real>;

  /// `ranks` and `partition` are those of the band group and must be valid as long as this object, as must `groups`.
  BandFft(const ProcessGroups& groups, const ProcessGrid& ranks, const GSphere& sphere, const Partition& partition,
          const FftOptions& options);

  [[nodiscard]] const PlaneWaves& rows() const { return rows_; }  ///< plane waves of this rank in linear algebra
  /// Moves the point k of the rows, whose G stay, in units of the reciprocal vectors. Local.
  void shift(const Vec3& change) {
    rows_ = rows_.shifted(change);
    if (laplacian_) laplacian_->shift(change);
  }
  [[nodiscard]] const Comm& comm() const { return comm_; }  ///< the k-point group
  [[nodiscard]] Index grid_size() const { return fft_.grid_size(); }
  [[nodiscard]] const FftLayout& layout() const { return fft_.layout(); }
  /// The transform inside the band group.
  [[nodiscard]] SphereFft<Real>& sphere() { return fft_; }
  [[nodiscard]] const SphereFft<Real>& sphere() const { return fft_; }

  /// If deterministic: the first block of plane waves of each rank and the end (layout/wave_blocks.hpp); and the index
  /// in rows() of the first plane wave of each of this rank's blocks and the end. Else empty.
  [[nodiscard]] const std::vector<Index>& block_starts() const { return block_starts_; }
  [[nodiscard]] const std::vector<Index>& block_begins() const { return block_begins_; }

  /// One-band transforms done so far, in either direction, by all band groups together.
  [[nodiscard]] Index transforms() const { return transforms_; }

  /// out = forward(potential * backward(psi)): the local part of one H application, as SphereFft's.
  /// `potential` is on the band group's block of the grid; `out` may equal `psi`.
  void apply_local(const Complex* psi, const Real* potential, Complex* out, Index bands);
  /// The same with operators besides a potential, and a visitor without a result: see SphereFft, and LaplacianFft for
  /// those with v_tau. A visitor is given the numbers of bands among the `bands`; each band is shown in one band group.
  void apply_on_grid(const Complex* psi, const GridOperators<Real>& operators, Complex* out, Index bands);
  void visit_on_grid(const Complex* psi, GridVisitor<Real>& visitor, Index bands);
  /// density += sum of weights[b] |psi_b(r)|^2 over the bands of this rank's band group, on its block of the grid: the
  /// caller adds the densities of all band groups.
  void accumulate_density(const Complex* psi, std::span<const double> weights, double* density, Index bands);
  /// What SphereFft does with spinors in four fields, and the density of their components.
  void apply_to_spinors(const Complex* psi, const Real* fields, Complex* out, Index spinors);
  void accumulate_vector_density(const Complex* psi, std::span<const double> weights, double* density, Index spinors);
  /// The same and the part of the kinetic-energy density that LaplacianFft adds up; for FftOptions::laplacians.
  void accumulate_densities(const Complex* psi, std::span<const double> weights, double* density, double* kinetic,
                            Index bands);

  /// The result of the search for a transport between band groups; none if the transport was given or nothing is
  /// exchanged. The search begins when that of the transform has ended.
  [[nodiscard]] std::optional<TunerReport> tuning() const { return bands_ ? bands_->plan().tuning() : std::nullopt; }
  [[nodiscard]] bool is_tuning() const { return bands_ && bands_->plan().is_tuning(); }
  /// Ends that search with a transport known to be good. The same on all ranks.
  void decide(Transport transport, const std::string& reason) {
    if (bands_) bands_->plan().decide(transport, reason);
  }

  /// The exchange between the rows and the band groups; null if both are the same.
  [[nodiscard]] const ExchangePlan* plan() const { return bands_ ? &bands_->plan() : nullptr; }

  /// Bytes in addition to those of the transform, for a rank with these plane waves in linear algebra and in its
  /// transform: the group's share of a part of the bands, and message buffers, with those of a search if it `searches`.
  /// The k-points of a rank share these arrays. Only if there is an exchange between rows and groups. Pure.
  [[nodiscard]] static double bytes(int groups, const BandGroupExchange::Rows& rows, bool searches);
  /// The distribution of the plane waves over the `ranks` ranks of a k-point group in linear algebra: in blocks if
  /// `deterministic`, else `partition` itself with one band group and a greedy partition with several. Pure.
  [[nodiscard]] static Partition partition_rows(const GSphere& sphere, const Partition& partition, int band_groups,
                                                int ranks, bool deterministic);

 private:
  /// Calls work(first band, bands) for successive parts of `bands`, after fetching this group's share of the part.
  template <class Work>
  void in_parts(const Complex* psi, Index bands, Work work);
  /// Fetches, calls action(psi, out, numbers of the bands, bands) and puts back, part by part.
  template <class Apply>
  void apply(const Complex* psi, Complex* out, Index bands, const Apply& action);
  /// Fetches the bands and calls action(psi, weights, bands), part by part.
  template <class Accumulate>
  void accumulate(const Complex* psi, std::span<const double> weights, Index bands, const Accumulate& action);
  /// The same in steps of equal size, each with the next candidate of the search, until the search ends; returns the
  /// number of bands in these steps.
  template <class Work>
  Index in_tuning_steps(const Complex* psi, Index bands, Work work);
  /// (share, waves of the transform): this group's share of a part of the bands.
  [[nodiscard]] Complex* mine() const { return workspace_->template data<Complex>(FftWorkspace::Array::bands); }
  /// (groups, rows): the last bands of a part, filled up with zero bands to one for each group.
  [[nodiscard]] Complex* incomplete() const {
    return workspace_->template data<Complex>(FftWorkspace::Array::incomplete);
  }

  /// Coefficients of a band in rows().
  [[nodiscard]] Index band_size() const { return components_ * rows_.size(); }

  Comm comm_;
  int groups_, components_;
  std::vector<Index> block_starts_, block_begins_;
  SphereFft<Real> fft_;
  std::optional<LaplacianFft<Real>> laplacian_;
  PlaneWaves rows_;
  std::optional<BandGroupExchange> bands_;  ///< rows to transforms; none if they are the same
  std::shared_ptr<FftWorkspace> workspace_;
  Index transforms_ = 0;
};

}  // namespace wavegrid
