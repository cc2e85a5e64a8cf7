#include <wavegrid/base/error.hpp>
#include <wavegrid/eigen/orthonormalise.hpp>
#include <wavegrid/eigen/random_complement.hpp>
#include <wavegrid/linalg/rotate.hpp>

namespace wavegrid {

template <class S>
void fill_complement(BandOperator<S>& op, Index first_key, const HsView<const S>& to, const HsView<S>& bands) {
  const auto fill = [&](Index first, RandomSpectrum spectrum) {
    const HsView<S> rest = bands.slice(first, bands.count() - first), before = bands.slice(0, first);
    op.fill_random(first_key + (spectrum == RandomSpectrum::flat ? bands.count() : 0), rest.x, spectrum);
    project_off<S>(op.product(), to.x, to.sx, rest.x);
    project_off<S>(op.product(), before.x, before.sx, rest.x);
    apply_h_and_s(op, rest);
    return first + orthonormalise(op.product(), rest);
  };
  const Index smooth = fill(0, RandomSpectrum::smooth);
  if (smooth < bands.count() && fill(smooth, RandomSpectrum::flat) < bands.count())
    throw internal_error("random bands are linearly dependent");
}

#define WAVEGRID_INSTANTIATE(S) \
  template void fill_complement<S>(BandOperator<S>&, Index, const HsView<const S>&, const HsView<S>&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
