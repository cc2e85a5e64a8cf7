#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/pseudo/channel_couplings.hpp>

namespace wavegrid {

namespace {

ChannelCouplings as_they_are(Index n) {
  ChannelCouplings couplings{std::vector<double>(static_cast<std::size_t>(n)), {}};
  for (std::size_t p = 0; p < couplings.strengths.size(); ++p)
    couplings.mixing.emplace_back(couplings.strengths.size(), 0.0)[p] = 1.0;
  return couplings;
}

}  // namespace

ChannelCouplings diagonal_couplings(const Pseudopotential& atom, int channel) {
  const Index n = atom.num_projectors(channel);
  if (atom.augmented() != nullptr || atom.has_spin_orbit()) return as_they_are(n);
  Matrix<double> h(n, n), vectors(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) h(i, j) = atom.coupling(channel, static_cast<int>(i), static_cast<int>(j));
  ChannelCouplings couplings{std::vector<double>(static_cast<std::size_t>(n)), {}};
  lapack::eigen<double>(n, h.data(), n, n, couplings.strengths.data(), vectors.data(), n);
  for (Index p = 0; p < n; ++p) couplings.mixing.emplace_back(&vectors(0, p), &vectors(0, p) + n);
  return couplings;
}

std::vector<std::vector<double>> radial_parts(const PlaneWaves& waves, const ChannelCouplings& couplings,
                                              const std::function<double(int i, double q)>& f) {
  std::vector<std::vector<double>> radial(couplings.mixing.size());
  for (auto& part : radial) part.resize(static_cast<std::size_t>(waves.size()));
  for (std::size_t g = 0; g < waves.kinetic().size(); ++g) {
    const double q = std::sqrt(2.0 * waves.kinetic()[g]);
    for (std::size_t i = 0; i < radial.size(); ++i) {
      const double value = f(static_cast<int>(i), q);
      for (std::size_t n = 0; n < radial.size(); ++n) radial[n][g] += couplings.mixing[n][i] * value;
    }
  }
  return radial;
}

}  // namespace wavegrid
