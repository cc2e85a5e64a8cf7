#include <algorithm>
#include <complex>

#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/discretisation/band_origin.hpp>
#include <wavegrid/discretisation/rotated_bands.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/wavefunctions/spinor_rotation.hpp>
#include <wavegrid/wavefunctions/wave_transfer.hpp>

namespace wavegrid {

namespace {

constexpr Index bands_per_message = 32;

/// The bands of one set; null on the ranks of other k-point groups.
template <class Set>
Set* set_or_null(Range share, Index set, Set* first) {
  return share.contains(set) ? first + (set - share.begin) : nullptr;
}

}  // namespace

template <class S>
void rotate_bands(const ProcessGroups& groups, const Problem& problem, const SolvedGeometry& before,
                  const std::vector<WaveBands<S>>& from, std::vector<WaveBands<S>>& to) {
  const auto spins = static_cast<Index>(problem.spins);
  const int components = problem.components();
  const auto share = [&](const std::vector<KPoint>& kpoints) {
    return BlockLayout(static_cast<Index>(kpoints.size()) * spins, groups.counts().kpoint_groups)
        .range(groups.my_kpoint_group());
  };
  const Range old_share = share(before.kpoints), new_share = share(problem.kpoints);
  for (Index set = 0; set < static_cast<Index>(problem.kpoints.size()) * spins; ++set) {
    const Vec3& k = problem.kpoints[static_cast<std::size_t>(set / spins)].k;
    const auto origin = find_origin(k, before.kpoints, before.symmetry);
    if (!origin) continue;
    const WaveBands<S>* const old = set_or_null(old_share, origin->k * spins + set % spins, from.data());
    WaveBands<S>* const now = set_or_null(new_share, set, to.data());
    WaveList source{.mode = problem.mode}, target{.mode = problem.mode};
    if (old) source.g = old->waves.g();
    if (now) {
      target.g = now->waves.g();
      now->x = Bands<S>(now->waves.size() * rows_per_wave<S> * components, problem.bands);
      std::fill_n(now->x.view().data, now->x.rows() * now->x.count(), S(0));
    }
    WaveTransfer rotation(groups.world(), source, target, origin->map);
    if (now) now->complete = rotation.unmatched() == 0;
    for (Index first = 0; first < problem.bands; first += bands_per_message) {
      const Index count = std::min(bands_per_message, problem.bands - first);
      rotation.forward(old ? coefficients(old->x.view().slice(first, count)) : nullptr,
                       now ? coefficients(now->x.view().slice(first, count)) : nullptr, count * components);
    }
    if (now && components == 2 && !origin->map.is_identity())
      rotate_components<S>(spinor_rotation(origin->map, before.crystal.lattice.vectors()), now->x.view());
  }
}

template void rotate_bands<double>(const ProcessGroups&, const Problem&, const SolvedGeometry&,
                                   const std::vector<WaveBands<double>>&, std::vector<WaveBands<double>>&);
template void rotate_bands<std::complex<double>>(const ProcessGroups&, const Problem&, const SolvedGeometry&,
                                                 const std::vector<WaveBands<std::complex<double>>>&,
                                                 std::vector<WaveBands<std::complex<double>>>&);

}  // namespace wavegrid
