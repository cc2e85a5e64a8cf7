#include <wavegrid/atom/screening.hpp>
#include <wavegrid/base/units.hpp>

namespace wavegrid {
namespace {

/// V_H(r) = 4 pi (1/r int_0^r rho r'^2 dr' + int_r^infinity rho r' dr').
RadialValues hartree_potential(const RadialGrid& grid, const RadialValues& rho) {
  const RadialValues& r = grid.r();
  RadialValues first(r.size()), second(r.size());  // 4 pi r rho and 4 pi r^2 rho
  for (std::size_t p = 0; p < r.size(); ++p) {
    first[p] = 4.0 * units::pi * r[p] * rho[p];
    second[p] = r[p] * first[p];
  }
  const RadialValues charge = RadialGrid::cumulative(second, 1.0), inner = RadialGrid::cumulative(first, -1.0);
  RadialValues v(r.size());
  for (std::size_t p = 0; p < r.size(); ++p) v[p] = (p > 0 ? charge[p] / r[p] : 0.0) + inner.back() - inner[p];
  return v;
}

}  // namespace

Screening screen(const RadialGrid& grid, const LocalXc& xc, const RadialValues& rho, const RadialValues& xc_rho) {
  Screening s{hartree_potential(grid, rho), RadialValues(rho.size()), 0.0};
  RadialValues exc(rho.size());
  xc(xc_rho, exc, s.xc);
  s.energy_correction = grid.integrate(exc, RadialValues(rho.size(), 1.0)) - 0.5 * grid.integrate(s.potential, rho) -
                        grid.integrate(s.xc, rho);
  for (std::size_t p = 0; p < rho.size(); ++p) s.potential[p] += s.xc[p];
  return s;
}

}  // namespace wavegrid
