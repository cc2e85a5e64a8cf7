// Exact exchange V_x of the bands of a calculation, which all k-points and all ranks need.
//
//   V_x psi_nk(r) = -sum_mq o_mq psi_mq(r) int conj(psi_mq(r')) psi_nk(r') v(r - r') dr'
//
// o: occupation of a state of one spin, or of a spinor, 0 to 1, times the weight of q. The integral of spinors has the
// sum over both components. q are all points of the zone whose difference from k is in a mesh; their bands come from
// the irreducible k-points by rotation.
//
// Each rank computes V_x for whole bands: its share of those of its k-point group. The bands m of the k-points of the
// calculation travel in blocks: each rank receives every block and transforms it to its box once for each q that they
// serve, while the next block is on its way; no rank has more than two blocks of them. V_x of the real bands of one
// k-point on themselves comes from each pair once (symmetric_exchange.hpp).
#pragma once

#include <algorithm>
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
#include <wavegrid/mpi/request.hpp>
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
  std::vector<Vec3> k_points{};     ///< of the calculation
  std::vector<double> k_weights{};  ///< of these
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
  std::vector<FockBands<S>> mine;         ///< of this rank's k-point group; empty bands at the end may be missing
  Index bands = 0;                        ///< of each k-point and spin in `occupations`
  std::span<const double> occupations{};  ///< electrons of all states, by k-point, spin and band; weights included
};

/// How V_x is computed once.
struct FockRun {
  /// Products and transforms of pairs in single precision: V_x is wrong by about 1e-7 of itself.
  bool in_single = false;
  /// dE_x/d eps_ab (Ha) is added to it, where E_x is that of the targets of all ranks with their occupations; null: not
  /// wanted. In double precision.
  Mat3* strain = nullptr;
};

/// Members are collective over the world.
template <class S>
class FockOperator {
 public:
  using Complex = std::complex<double>;
  static constexpr bool acts_on_others = true;  ///< on bands other than its own

  /// `groups` must outlive it.
  FockOperator(const ProcessGroups& groups, FockSetting setting);

  /// V_x of the states on `targets`, which may be others: (rows, bands) for each, Ha.
  [[nodiscard]] std::vector<Bands<S>> apply(const ExchangeStates<S>& states, const std::vector<FockBands<S>>& targets,
                                            const FockRun& run = {});

  [[nodiscard]] const FockSetting& setting() const { return setting_; }
  /// Ha: of a full band with itself at Q = 0 alone, the share of its k-point.
  [[nodiscard]] double energy_at_zero() const {
    const auto [a, b, c] = setting_.mesh;
    return kernel_({0, 0, 0}) / (setting_.lattice.volume() * a * b * c);
  }
  /// Wall time that this rank has waited for bands of others so far.
  [[nodiscard]] double communication_seconds() const { return communication_seconds_; }
  /// Bytes that a rank needs at most in addition to the bands: boxes, and its share of the bands of a group of `ranks`
  /// ranks with `sets` sets. Pure.
  [[nodiscard]] static double bytes(const FockSetting& setting, Index waves, Index bands, Index sets, int ranks);

 private:
  static constexpr double target_bytes = 256e6, source_bytes = 64e6;  ///< of bands at points, at most
  static constexpr Index most_source_bands = 64;                      ///< in a block

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
  /// The ranks that have the bands of a k-point and spin: consecutive ones of the world.
  struct Owners {
    int first, count;
    Index bands;  ///< that they share: propagation in time leaves out empty ones
  };
  /// Bands m of a k-point of the calculation and one spin that one rank has, which travel together.
  struct Block {
    int k, spin;
    Range bands;
    int owner;    ///< rank of the world
    Index first;  ///< of these bands in the owner's share
  };
  /// A block on its way, or arrived.
  struct Arrival {
    Block block;
    AlignedVector<Complex> waves;
    Request request;
  };
  /// How the plane waves of a point of the zone follow from those of its k-point: number `from`, times a factor,
  /// conjugated or not.
  struct ZoneWaves {
    std::vector<Index> from;
    std::vector<Complex> factors;
    std::vector<bool> conjugated;
    BandBox<S> box;
  };

  /// Bands at points that fit into so many bytes, at least 2.
  [[nodiscard]] static Index bands_in(double bytes, double bytes_per_band) {
    return std::max<Index>(2, static_cast<Index>(bytes / bytes_per_band));
  }
  [[nodiscard]] Index bands_of_block() const {
    return std::min(most_source_bands, bands_in(source_bytes, static_cast<double>(band_points()) * 2 * sizeof(S)));
  }

  [[nodiscard]] std::vector<Int3> sphere(const Vec3& k) const;
  /// Shares of bands; without w if `for_w` is false.
  [[nodiscard]] std::vector<Share> distribute(const std::vector<FockBands<S>>& targets, bool for_w);
  [[nodiscard]] std::vector<Bands<S>> collect(std::vector<Share>& shares);
  [[nodiscard]] std::vector<std::vector<Part>> chunks(std::vector<Share>& shares) const;
  /// Occupations of the states of one spin at a k-point, 0 to 1 / (points of q), those that do not count being 0.
  [[nodiscard]] std::vector<double> occupations(const ExchangeStates<S>& states, int k, int spin) const;
  /// By k-point and spin.
  [[nodiscard]] std::vector<Owners> owners(const ExchangeStates<S>& states) const;
  /// All blocks, the same on all ranks.
  [[nodiscard]] std::vector<Block> blocks(const ExchangeStates<S>& states) const;
  void add_parts(const ExchangeStates<S>& states, const std::vector<Share>& sources, const std::vector<Block>& blocks,
                 std::vector<Part>& parts, const FockRun& run);
  [[nodiscard]] Arrival start(const std::vector<Share>& sources, const Block& block);
  /// Adds what a block contributes to the parts; `next`: on its way meanwhile.
  void add_block(const ExchangeStates<S>& states, const Arrival& arrival, std::vector<Part>& parts, const FockRun& run,
                 Request* next);
  /// Adds what some bands of a point contribute to the parts: values (bands, points) with their occupations.
  template <class Real>
  void add_pairs(const ZonePoint& point, int spin, const S* values, std::span<const double> o, std::vector<Part>& parts,
                 Mat3* strain, Request* next);
  void add_strain(const Vec3& k_minus_q, const AlignedVector<double>& spectrum, Mat3& strain) const;
  /// V_x of real bands on themselves.
  template <class Real>
  void add_symmetric(const ExchangeStates<S>& states, std::vector<Share>& shares);
  /// v(Q) / (N Omega) at the frequencies of the box.
  template <class Real>
  [[nodiscard]] AlignedVector<Real> kernel_values(const Vec3& k_minus_q) const;
  template <class Real>
  [[nodiscard]] const PairFft<Real>& transform();
  /// Numbers of a band at points.
  [[nodiscard]] Index band_points() const { return fft_.points() * setting_.components; }
  [[nodiscard]] bool interacts(const Vec3& k, const Vec3& q) const;
  [[nodiscard]] const ZoneWaves& zone_waves(std::size_t point);

  const ProcessGroups& groups_;
  FockSetting setting_;
  BoxFft fft_;
  std::optional<PairFft<double>> pair_fft_;  ///< where it has been used
  std::optional<PairFft<float>> single_fft_;
  ExchangeKernel kernel_;
  BoxFft::Workspace work_;
  std::map<std::size_t, ZoneWaves> zone_waves_;  ///< of points of the zone
  double communication_seconds_ = 0;
};

}  // namespace wavegrid
