// The cost of halo exchanges on meshes: sizes of messages and times, after Hoefler, Lorenzen and Lumsdaine, "Sparse
// non-blocking collectives in quantum mechanical calculations", EuroPVM/MPI 2008, Lecture Notes in Computer Science
// 5205. Pure.
#pragma once

#include <array>
#include <span>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Points that a part of volume V (points) exchanges with finite differences of `reach` d points on each side, Eq. (3):
///
///   p(V) = alpha d^3 + beta d^2 V^(1/3) + gamma d V^(2/3) + delta V
///
/// The coefficients depend on the shape of the parts; for ideal shapes delta is 0 (appendix of the paper).
struct HaloSizeModel {
  std::array<double, 4> coefficients{};  ///< alpha, beta, gamma, delta
  [[nodiscard]] double points(double volume, int reach) const;
};

/// What a plan really exchanges: one sample of the model.
struct HaloSample {
  double volume = 0;  ///< points of a part
  int reach = 0;
  double points = 0;  ///< ghost points of the part
};

/// The coefficients that minimise the sum of the squares of the relative errors. Throws bad_input if there are fewer
/// than four samples, if a number is not positive, or if the samples do not determine four coefficients.
[[nodiscard]] HaloSizeModel fit_halo_size(std::span<const HaloSample> samples);

/// The ghost points of a cube of side a with a star of neighbours: 6 d a^2.
[[nodiscard]] HaloSizeModel star_stencil_of_cubes();

/// The LogGP parameters of a network: latency L, overhead per message o, gap between messages g (seconds), and gap per
/// byte G (seconds per byte).
struct LogGP {
  double latency = 0, overhead = 0, gap = 0, gap_per_byte = 0;
};

/// Eq. (4) as printed, seconds: L + o nu + g (nu - 1) + G nu bytes p, in which each of the nu neighbours gets all p
/// points. `bytes`: per point (8 in the paper). 0 without neighbours.
[[nodiscard]] double halo_seconds_as_printed(const LogGP& network, double neighbours, double points, double bytes = 8);

/// The same for the messages that are really sent, each with its own points: L + o nu + g (nu - 1) + G bytes p, p the
/// sum over the messages. 0 without messages.
[[nodiscard]] double halo_seconds(const LogGP& network, std::span<const Index> message_points, double bytes = 8);

}  // namespace wavegrid
