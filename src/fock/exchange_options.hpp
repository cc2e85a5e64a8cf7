// How exact exchange is computed.
#pragma once

#include <optional>

#include <wavegrid/base/index.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

/// What is done about the divergence of the interaction at Q = 0.
enum class Singularity {
  automatic,         ///< gygi_baldereschi
  none,              ///< that value is left out; of a screened interaction it is finite
  gygi_baldereschi,  ///< the integral of a function with the same divergence minus its sum over the mesh
  spherical,         ///< the interaction ends at the radius of a sphere with the volume of the mesh's supercell
  wigner_seitz,      ///< the interaction ends at the faces of the Wigner-Seitz cell of the mesh's supercell
};

/// Units: Ha, bohr.
struct ExchangeOptions {
  HybridParameters hybrid{};                ///< of the functional; none: libxc's
  std::optional<Int3> mesh = std::nullopt;  ///< of q; none: that of k
  Singularity singularity = Singularity::automatic;
  /// Leaves out each second point of the mesh of q along all directions, and weighs the others 8/7: the first error in
  /// the distance of its points goes. Only with gygi_baldereschi.
  bool extrapolate = false;
  std::optional<double> ecut = std::nullopt;       ///< of the densities of pairs; none: they are complete
  std::optional<double> tolerance = std::nullopt;  ///< of the energy by exchange; none: that of the loop
};

}  // namespace wavegrid
