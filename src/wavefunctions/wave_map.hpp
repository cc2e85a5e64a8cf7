// How wave functions of one k-point follow from those of an equivalent one. Pure.
#pragma once

#include <complex>
#include <optional>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/crystal/space_group.hpp>

namespace wavegrid {

/// k = S k' + G0, or k = -S k' + G0 with time reversal, where S = W^T of the operation {W|w} and k' is the k-point of
/// the given wave functions. Those of k are psi_k(r) = psi_k'(W r + w), complex conjugated with time reversal:
///
///   c_k(G) = exp(2 pi i g'.w) c_k'(g'),  S g' = G + G0                  and with time reversal
///   c_k(G) = conj(exp(2 pi i g'.w) c_k'(g')),  S g' = -(G + G0)
///
/// except for one phase common to all G. The default is the identity.
struct WaveMap {
  SymmetryOperation operation{};
  Int3 fold{0, 0, 0};  ///< G0
  bool time_reversed = false;

  [[nodiscard]] bool is_identity() const {
    return !time_reversed && fold == Int3{} && operation.rotation == no_rotation && operation.translation == Vec3{};
  }
};

/// The map from `from` to `to`; empty if the operation does not map one to the other (to 1e-8 of a reciprocal vector).
[[nodiscard]] std::optional<WaveMap> map_between(const Vec3& from, const Vec3& to, const SymmetryOperation& operation,
                                                 bool time_reversed);

/// The first operation of a group that maps `from` to `to`, the identity before all others, those with time reversal
/// last; empty if none does.
[[nodiscard]] std::optional<WaveMap> map_between(const Vec3& from, const Vec3& to, const SpaceGroup& group);

/// The source of one coefficient: c(G) = factor * c'(g), or factor * conj(c'(g)) if `conjugated`.
struct WaveOrigin {
  Int3 g{};
  std::complex<double> factor{1.0, 0.0};
  bool conjugated = false;
};

/// Origin of the coefficient at G of the target. In Mode::gamma of the source the origin is in the stored half.
[[nodiscard]] WaveOrigin find_origin(const WaveMap& map, Mode source, const Int3& g);

}  // namespace wavegrid
