// A vector magnetisation at points where gradients are known, for functionals of collinear spin:
//
//   n, m_x, m_y, m_z -> n, s |m|   with   grad s|m| = s m^.grad m,   m^ = m / |m|
//
// and derivatives back, where v and f are those by s |m| and its gradient:
//
//   by m_a: s (v m^_a + f.(grad m_a - m^_a m^.grad m) / |m|),   by grad m_a: s m^_a f
//
// s is the sign of m.u for an axis u, or 1: terms/xc_term.hpp.
#pragma once

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/fields/spin_fields.hpp>
#include <wavegrid/fields/xc_points.hpp>

namespace wavegrid {

class MomentPoints {
 public:
  /// Replaces a density of four components and its gradients, of which there may be none, by those of n and s |m|.
  /// Local.
  MomentPoints(SpinFields& n, SpinGradients& gradients, const Vec3& spin_axis);

  /// Replaces derivatives of both spins, and by their gradients, by those of the four components. Local.
  void restore(SpinFields& potential, SpinGradients& fluxes) const;

 private:
  FieldValues inverse_;    ///< s / |m|; 0 where there is no moment
  SpinFields directions_;  ///< s m^
  SpinGradients slopes_;   ///< grad m_a
};

}  // namespace wavegrid
