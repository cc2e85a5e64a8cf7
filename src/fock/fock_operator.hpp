// Exact exchange V_x of the bands of a calculation, which all k-points and all ranks need.
//
//   V_x psi_nk(r) = -sum_mq o_mq psi_mq(r) int conj(psi_mq(r')) psi_nk(r') v(r - r') dr'
//
// o: occupation of a state of one spin, or of a spinor, 0 to 1, times the weight of q. The integral of spinors has the
// sum over both components. q are all points of the zone whose difference from k is in a mesh; their bands come from
// the irreducible k-points by rotation.
//
// Each rank computes V_x for whole bands: its share of those of its k-point group. The bands m travel in blocks: each
// rank receives every block and transforms it to its box; no rank has more than a block of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <wavegrid/basis/kpoints.hpp>
#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/fock/band_box.hpp>
#include <wavegrid/fock/exchange_kernel.hpp>
#include <wavegrid/fock/pair_exchange.hpp>
#include <wavegrid/mpi/process_groups.hpp>
#include <wavegrid/wavefunctions/wave_transfer.hpp>

namespace wavegrid {

/// A point of the whole zone, whose bands are those of a k-point of the calculation, mapped.
struct ZonePoint {
  Vec3 k{};  ///< in units of the reciprocal vectors
  int origin = 0;
  WaveMap map{};
};

/// What the operator is made of; energies in Ha.
struct FockSetting {
  Lattice lattice;
  double ecut = 0;  ///< of the bands
  Mode mode = Mode::complex;
  int spins = 1;
  int components = 1;  ///< of a band: 2 for spinors, in Mode::complex with one spin
  ExchangeInteraction interaction{};
  ExchangeOptions options{};
  Int3 mesh{1, 1, 1};  ///< of q
  std::vector<ZonePoint> zone{};
  std::vector<double> k_weights{};  ///< of the k-points of the calculation
  int threads = 1;

  /// The box of points that holds products of two bands up to the cutoff of pairs. Pure.
  [[nodiscard]] Int3 grid() const;
  /// Electrons of a full state.
  [[nodiscard]] double full() const { return spins == 2 || components == 2 ? 1.0 : 2.0; }
  [[nodiscard]] double pair_ecut() const { return options.ecut ? *options.ecut : 4 * ecut; }
};

/// The bands of one k-point and spin of this rank's k-point group, in its rows.
template <class S>
struct FockBands {
  Vec3 k{};
  int number = 0;  ///< of the k-point
  int spin = 0;
  const PlaneWaves* rows = nullptr;
  BandView<const S> psi{};
  std::span<const double> occupations{};  ///< electrons, with the weight of the k-point: of targets, for the strain
  /// 0 to 1, of the bands of a target whose k is not on the mesh of q; empty for others.
  std::vector<double> off_mesh{};
};

/// The bands that act on others.
template <class S>
struct ExchangeStates {
  std::vector<FockBands<S>> mine;         ///< of this rank's k-point group
  Index bands = 0;                        ///< of each k-point and spin
  std::span<const double> occupations{};  ///< electrons of all states, by k-point, spin and band; weights included
};

/// Members are collective over the world.
template <class S>
class FockOperator {
 public:
  using Complex = std::complex<double>;

  /// `groups` must outlive it.
  FockOperator(const ProcessGroups& groups, FockSetting setting);

  /// V_x of the states on `targets`, which may be others: (rows, bands) for each, Ha. With `strain` dE_x/d eps_ab (Ha)
  /// is added to it, where E_x is that of the targets of all ranks with their occupations.
  [[nodiscard]] std::vector<Bands<S>> apply(const ExchangeStates<S>& states, const std::vector<FockBands<S>>& targets,
                                            Mat3* strain = nullptr);

  [[nodiscard]] const FockSetting& setting() const { return setting_; }
  /// Bytes that a rank needs at most in addition to the bands: boxes, and its share of the bands of a group of `ranks`
  /// ranks with `sets` sets. Pure.
  [[nodiscard]] static double bytes(const FockSetting& setting, Index waves, Index bands, Index sets, int ranks);

 private:
  /// This rank's share of the bands of a set, with all plane waves.
  struct Share {
    const FockBands<S>* of;
    Range bands;
    std::vector<Int3> g;
    BandBox<S> box;
    AlignedVector<Complex> psi, w;
  };
  /// Some bands of a share, at points.
  struct Part {
    Share* share;
    Range bands;  ///< of the share
    AlignedVector<S> u, w;
  };

  [[nodiscard]] std::vector<Int3> sphere(const Vec3& k) const;
  [[nodiscard]] std::vector<Share> distribute(const std::vector<FockBands<S>>& targets);
  [[nodiscard]] std::vector<Bands<S>> collect(std::vector<Share>& shares);
  [[nodiscard]] std::vector<std::vector<Part>> chunks(std::vector<Share>& shares) const;
  /// Occupations of the states of one spin at a point of the zone up to the last occupied one, 0 to 1 / (points of q).
  [[nodiscard]] std::vector<double> occupations(const ExchangeStates<S>& states, const ZonePoint& point,
                                                int spin) const;
  /// Adds what the bands of one point of the zone and one spin contribute to this rank's targets.
  void add_sources(const ExchangeStates<S>& states, std::size_t point, int spin, std::vector<Part>& parts,
                   Mat3* strain);
  /// Adds what some bands of a point contribute to a part.
  void add_pairs(const ZonePoint& point, const ExchangeSources<S>& sources, Part& part, Mat3* strain);
  /// Numbers of a band at points.
  [[nodiscard]] Index band_points() const { return fft_.points() * setting_.components; }
  [[nodiscard]] bool interacts(const Vec3& k, const Vec3& q) const;
  [[nodiscard]] WaveTransfer& transfer(const FockBands<S>* source, std::size_t point, int spin,
                                       const std::vector<Int3>& g);

  const ProcessGroups& groups_;
  FockSetting setting_;
  BoxFft fft_;
  ExchangeKernel kernel_;
  BoxFft::Workspace work_;
  std::map<std::pair<std::size_t, int>, std::unique_ptr<WaveTransfer>> transfers_;  ///< of sources
};

}  // namespace wavegrid
