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

  [[nodiscard]] std::vector<double> mixing_products(const std::vector<Field>& a,
                                                    const std::vector<const std::vector<Field>*>& others) const {
    RadialValues weighted(rho_);
    for (std::size_t p = 0; p < weighted.size(); ++p) weighted[p] *= a[0][p];
    std::vector<double> products;
    for (const std::vector<Field>* other : others) products.push_back(grid_.integrate(weighted, (*other)[0]));
    return products;
  }
  void precondition(const Preconditioner&, const FieldValues&, Field&) {}
  void remove_mean(Field&) const {}

 private:
  const RadialGrid& grid_;
  RadialValues rho_;
};

static_assert(MixingSpace<PotentialSpace>);

}  // namespace wavegrid
