// Potentials of a spherical atom as a space for the density mixer (scf/mixer.hpp).
#pragma once

#include <utility>
#include <vector>

#include <wavegrid/atom/radial_grid.hpp>
#include <wavegrid/fields/field_space.hpp>

namespace wavegrid {

/// Changes of a potential are weighted by the electron density: <a|b> = 4 pi int r^2 rho a b dr.
class PotentialSpace {
 public:
  using Field = RadialValues;

  /// `grid` must outlive this object; `rho` is any density similar to the atom's.
  PotentialSpace(const RadialGrid& grid, RadialValues rho) : grid_(grid), rho_(std::move(rho)) {}

  [[nodiscard]] double mixing_product(const std::vector<Field>& a, const std::vector<Field>& b) const {
    RadialValues product(rho_);
    for (std::size_t p = 0; p < product.size(); ++p) product[p] *= a[0][p];
    return grid_.integrate(product, b[0]);
  }
  void precondition(const Preconditioner&, const FieldValues&, Field&) {}
  void remove_mean(Field&) const {}

 private:
  const RadialGrid& grid_;
  RadialValues rho_;
};

static_assert(MixingSpace<PotentialSpace>);

}  // namespace wavegrid
