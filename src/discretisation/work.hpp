// Operation counts of a calculation.
#pragma once

#include <wavegrid/base/index.hpp>

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

}  // namespace wavegrid
