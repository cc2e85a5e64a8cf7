#include "terms/xc_strain.hpp"

#include "terms/symmetric_sums.hpp"

namespace wavegrid {

namespace {

Vec3 vector_at(const SpinGradients& of, std::size_t s, std::size_t r) {
  return {of[3 * s][r], of[3 * s + 1][r], of[3 * s + 2][r]};
}

}  // namespace

StrainedXc strained_xc(const GridFields& fields, const XcPotential<GridFields>& xc, const SpinCoefficients& density,
                       const SpinFields& values) {
  const SpinGradients slopes = xc.gradients(density);
  SpinGradients fluxes(slopes);
  StrainedXc result{xc.evaluate(density, values, fluxes), {}};
  const SpinFields& v = result.of_density.potential;
  const bool spins = xc.xc().spins() == 2;
  double sums[7];  // of the fluxes times gradients, and of v n
  fields.grid().over_points().arrays(sums, [&](Range points, std::span<double> out) {
    for (auto r = static_cast<std::size_t>(points.begin); r < static_cast<std::size_t>(points.end); ++r) {
      const double n = values[0][r] + (xc.has_core() ? xc.core_values()[r] : 0.0);
      out[6] += !spins ? v[0][r] * n : 0.5 * (v[0][r] * (n + values[1][r]) + v[1][r] * (n - values[1][r]));
      if (slopes.empty()) continue;
      const Vec3 of_n = vector_at(slopes, 0, r);
      if (!spins) {
        add_to_symmetric(out, vector_at(fluxes, 0, r), of_n);
        continue;
      }
      const Vec3 of_m = vector_at(slopes, 1, r);
      add_to_symmetric(out, vector_at(fluxes, 0, r), 0.5 * (of_n + of_m));
      add_to_symmetric(out, vector_at(fluxes, 1, r), 0.5 * (of_n - of_m));
    }
  });
  const double dv = fields.grid().volume_element();
  result.strain = isotropic(result.of_density.energy - dv * sums[6]) + -dv * symmetric(sums);
  return result;
}

}  // namespace wavegrid
