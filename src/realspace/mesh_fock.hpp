// Exact exchange of the real bands on a mesh at Gamma (fock/fock_operator.hpp says what that is).
//
// Pairs of bands are convolved with the interaction in the box of Poisson's equation (mesh_box.hpp). Without periodic
// directions that is 1/r alone: no image acts. In a periodic cell it is that of plane waves (fock/exchange_kernel.hpp)
// at all waves of the mesh.
#pragma once

#include <optional>
#include <vector>

#include <wavegrid/fock/fock_operator.hpp>
#include <wavegrid/realspace/mesh_space.hpp>

namespace wavegrid {

struct MeshFockSetting {
  MeshSpace* space;
  FockSetting exchange;  ///< zone and k-points: Gamma alone
};

/// Of a problem with a hybrid functional. The space must outlive it.
[[nodiscard]] MeshFockSetting mesh_fock_setting(const Problem& problem, MeshSpace& space);

/// Members are collective over the world. As FockOperator, of bands on themselves.
template <class S>
class MeshFock {
 public:
  static constexpr bool acts_on_others = false;  ///< on bands other than its own

  /// `groups` must outlive it.
  MeshFock(const ProcessGroups& groups, MeshFockSetting setting);

  /// V_x of the states on themselves, which `targets` are: (points, bands) for each, Ha.
  [[nodiscard]] std::vector<Bands<S>> apply(const ExchangeStates<S>& states, const std::vector<FockBands<S>>& targets,
                                            const FockRun& run = {});

  [[nodiscard]] const FockSetting& setting() const { return setting_.exchange; }
  /// As FockOperator; 0 with free boundaries.
  [[nodiscard]] double energy_at_zero() const;
  /// Wall time that this rank has waited for bands of others so far.
  [[nodiscard]] double communication_seconds() const { return communication_seconds_; }
  /// Bytes that a rank needs at most in addition to the bands. Pure.
  [[nodiscard]] static double bytes(const MeshGrid& grid, Index bands, int ranks);

 private:
  /// v / N at the frequencies of the box.
  [[nodiscard]] std::vector<double> kernel() const;
  [[nodiscard]] std::vector<double> free_kernel() const;
  [[nodiscard]] std::vector<double> periodic_kernel() const;
  [[nodiscard]] ExchangePlan plan_of(Index bands) const;
  template <class Real>
  [[nodiscard]] const PairFft<Real>& transform();
  template <class Real>
  void add(std::span<const double> o, const AlignedVector<double>& psi, AlignedVector<double>& w);

  const ProcessGroups& groups_;
  MeshFockSetting setting_;
  Int3 box_, inner_;
  std::vector<double> kernel_;
  std::optional<PairFft<double>> pair_fft_;  ///< where it has been used
  std::optional<PairFft<float>> single_fft_;
  double communication_seconds_ = 0;
};

}  // namespace wavegrid
