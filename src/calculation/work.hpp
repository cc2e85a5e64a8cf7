// Operation counts of a calculation.
#pragma once

#include "calculation/plane_wave_bands.hpp"

namespace wavegrid {

/// Number of bands to which H was applied, with projectors and without; number of one-band transforms in either
/// direction.
struct Work {
  Index h_applications = 0, nonlocal_applications = 0, ffts = 0;

  Work& operator+=(const Work& more) {
    h_applications += more.h_applications;
    nonlocal_applications += more.nonlocal_applications;
    ffts += more.ffts;
    return *this;
  }
  [[nodiscard]] friend Work operator-(Work a, const Work& b) {
    a.h_applications -= b.h_applications;
    a.nonlocal_applications -= b.nonlocal_applications;
    a.ffts -= b.ffts;
    return a;
  }
};

/// Operation counts of one k-point and spin since its bands were made, on one rank of the k-point group, 0 on the
/// others. Transforms are those of all bands that share the basis: count them once. Local.
template <class S>
[[nodiscard]] Work work_of(const ProcessGroups& groups, const PlaneWaveBands<S>& bands, bool first_of_basis = true) {
  if (groups.kpoint_group().rank() != 0) return {};
  return {bands.h.applications(), bands.h.nonlocal_applications(), first_of_basis ? bands.basis->fft.transforms() : 0};
}

/// Of all bands of this rank's k-point group. Local.
template <class S>
[[nodiscard]] Work work_of(const ProcessGroups& groups, const MyBands<S>& bands) {
  Work sum;
  for (std::size_t i = 0; i < bands.size(); ++i)
    sum += work_of(groups, *bands[i], i == 0 || bands[i]->basis != bands[i - 1]->basis);
  return sum;
}

}  // namespace wavegrid
