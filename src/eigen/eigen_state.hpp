// Bands X with HX and SX, and the operations that all eigensolvers need.
#pragma once

#include <vector>

#include <wavegrid/eigen/band_operator.hpp>
#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// Views of bands X with HX and SX. Where S is the unit matrix SX is X itself, the same memory. HX may be left out.
template <class S>
struct HsView {
  BandView<S> x, hx, sx;
  bool has_overlap = false;

  [[nodiscard]] Index rows() const { return x.rows; }
  [[nodiscard]] Index count() const { return x.count; }
  [[nodiscard]] HsView slice(Index first, Index n) const {
    return {x.slice(first, n), hx.count > 0 ? hx.slice(first, n) : hx, sx.slice(first, n), has_overlap};
  }
  operator HsView<const S>() const { return {x, hx, sx, has_overlap}; }

  /// Calls action(array) for every array that has memory of its own.
  template <class Action>
  void for_arrays(Action action) const {
    action(x);
    action(hx);
    if (has_overlap) action(sx);
  }
};

/// Owns bands X with HX and SX. Contents are not initialised.
template <class S>
struct HsBands {
  Bands<S> x, hx, sx;  ///< sx only where S is not the unit matrix
  bool has_overlap = false;

  HsBands() = default;
  HsBands(Index rows, Index count, bool with_overlap = false) { reshape(rows, count, with_overlap); }
  /// Sets another shape in the same memory, or in larger memory if needed; contents are undefined afterwards.
  void reshape(Index rows, Index count, bool with_overlap);

  [[nodiscard]] HsView<S> view() { return {x.view(), hx.view(), has_overlap ? sx.view() : x.view(), has_overlap}; }
  [[nodiscard]] HsView<const S> view() const {
    return {x.view(), hx.view(), has_overlap ? sx.view() : x.view(), has_overlap};
  }
};

/// hx = H x and, where S is not the unit matrix, sx = S x. Collective.
template <class S>
void apply_h_and_s(BandOperator<S>& op, const HsView<S>& bands);
/// sx = S x alone, where S is not the unit matrix. Collective.
template <class S>
void apply_s(BandOperator<S>& op, const HsView<S>& bands);

/// Bands in an iteration, with their Ritz values; X^H S X = 1 and X^H H X is diagonal after every solver step, until H
/// changes.
template <class S>
struct EigenState : HsBands<S> {
  std::vector<double> values;  ///< Ha, ascending

  EigenState(Index rows, Index count, bool with_overlap = false)
      : HsBands<S>(rows, count, with_overlap), values(static_cast<std::size_t>(count)) {}
};

/// Makes X^H S X = 1 and X^H H X diagonal within the span of X; HX and SX are rotated too. Throws an internal error
/// where the bands are linearly dependent. Collective.
template <class S>
void rayleigh_ritz(BandOperator<S>& op, EigenState<S>& state);

/// out = hx - values sx, band by band. `out` may be hx. Local.
template <class S>
void residuals(const HsView<const S>& bands, const double* values, BandView<S> out);

/// |R_i|^2 of each band, Ha^2. Collective.
template <class S>
[[nodiscard]] std::vector<double> squared_residuals(BandOperator<S>& op, const EigenState<S>& state);

/// Of each band.
struct Residuals {
  std::vector<double> squares;       ///< |R_i|^2, Ha^2
  std::vector<double> value_errors;  ///< Ha, of BandOperator::value_errors
  double min_gap = 0;                ///< Ha, of the operator
};

/// Both. Collective.
template <class S>
[[nodiscard]] Residuals compute_residuals(BandOperator<S>& op, const EigenState<S>& state);

/// Copies bands with HX and SX to as many others. Local.
template <class S>
void copy_bands(const HsView<const S>& from, const HsView<S>& to);

/// Scales each band, with its SX, to <x|S|x> = 1; its HX too where `with_hx`. Collective.
template <class S>
void normalise(const InnerProduct& product, const HsView<S>& bands, bool with_hx);

/// <x|S|x> of each band. Collective.
template <class S>
[[nodiscard]] std::vector<double> overlap_norms(BandOperator<S>& op, BandView<const S> bands);
/// Scales bands to <x|S|x> = 1. Collective.
template <class S>
void normalise(BandOperator<S>& op, BandView<S> bands);

/// The values of some `bands` from an array of all. Pure.
[[nodiscard]] std::vector<double> select_bands(const std::vector<double>& all, std::span<const Index> bands);

}  // namespace wavegrid
