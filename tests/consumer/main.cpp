// Uses one thing of each library below wavegrid, through the header of all stable ones: the link line must be complete.
#include <cstdio>

#include <wavegrid/wavegrid.hpp>

static_assert(WAVEGRID_VERSION_AT_LEAST(0, 1, 0));

int main() {
  using namespace wavegrid;
  const double a = 7.6533909;
  const Lattice lattice({{{a, 0, 0}, {0, a, 0}, {0, 0, a}}});
  const GSphere sphere(lattice, 8.8309, {16, 16, 16}, Mode::gamma);
  const FftwPlan<float> plan({.n = 16}, FftDirection::backward, false, PlanEffort::estimate);
  std::printf("%lld plane waves, %s, %s, libxc %s\n", static_cast<long long>(sphere.size()),
              mpi_library_version().c_str(), fftw_library_version().c_str(), Xc::libxc_version().c_str());
  return sphere.size() > 0 ? 0 : 1;
}
