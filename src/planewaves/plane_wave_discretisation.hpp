// Plane waves as the discretisation of a calculation (discretisation/discretisation.hpp).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include <wavegrid/discretisation/detached_bands.hpp>
#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/fft/wisdom.hpp>
#include <wavegrid/mpi/process_grid.hpp>
#include <wavegrid/planewaves/choose_projectors.hpp>
#include <wavegrid/planewaves/fock_setting.hpp>
#include <wavegrid/planewaves/moved_density.hpp>
#include <wavegrid/planewaves/parallel_layout.hpp>
#include <wavegrid/planewaves/plane_wave_bands.hpp>
#include <wavegrid/planewaves/plane_wave_restart.hpp>
#include <wavegrid/planewaves/plane_wave_rules.hpp>
#include <wavegrid/planewaves/superposed_density.hpp>
#include <wavegrid/wavefunctions/wave_transfer.hpp>

namespace wavegrid {

/// Members as the concept says. Must not be moved.
class PlaneWaveDiscretisation {
 public:
  using Space = GridFields;
  using Grid = GridFields;
  using Restart = PlaneWaveRestart;
  using Rows = PlaneWaves;
  template <class S>
  using KPointBands = PlaneWaveBands<S>;
  static constexpr bool has_single_precision = true, has_file_orbitals = true, has_complex_rows = true;
  static constexpr bool has_local_orbitals = true;
  template <class S>
  using Fock = FockOperator<S>;

  PlaneWaveDiscretisation(Setting& setting, const Comm& comm, const Problem& problem);

  // Fields.

  [[nodiscard]] GridFields& space() { return *fields_; }
  [[nodiscard]] GridFields& grid() { return *fields_; }
  void make_space(const Problem& problem);
  [[nodiscard]] static bool can_follow(const SolvedGeometry& /*before*/, const Problem& /*problem*/) { return true; }
  [[nodiscard]] std::unique_ptr<GridFields> replace_space(const SolvedGeometry& before, const Problem& problem);
  [[nodiscard]] SpinCoefficients moved_density(const GridFields& from, SpinCoefficients change) const {
    return wavegrid::moved_density(from.grid(), fields_->grid(), std::move(change));
  }
  void clear() { fields_.reset(); }
  [[nodiscard]] PreconditionerChoice choose_preconditioner(const Problem& problem, const SpinCoefficients& density);
  [[nodiscard]] static bool may_change_preconditioner(const Problem& /*problem*/) { return true; }
  void gather(const SpinCoefficients& density, GatheredFields& result);

  // Bands.

  [[nodiscard]] static bool begins_in_single(const Problem& problem) { return wavegrid::begins_in_single(problem); }
  template <class S>
  [[nodiscard]] MyBands<S> make_bands(const Problem& problem, const std::function<void(PlaneWaveBands<S>&)>& prepare);
  template <class S>
  [[nodiscard]] std::unique_ptr<PlaneWaveBands<S>> make_path_bands(const Problem& problem, int k, int spin);
  template <class S>
  static void move_atoms(MyBands<S>& bands, const Problem& problem);
  template <class S>
  [[nodiscard]] static PlaneWaves band_rows(const PlaneWaveBands<S>& bands) {
    return bands.h.waves();
  }
  /// Bands as exact exchange takes them; without occupations.
  template <class S>
  [[nodiscard]] static FockBands<S> fock_bands(const PlaneWaveBands<S>& bands) {
    return {.k = bands.basis->sphere.k(),
            .number = bands.k,
            .spin = bands.spin,
            .rows = &bands.h.waves(),
            .psi = bands.state.x.view()};
  }
  [[nodiscard]] static FockSetting exchange_setting(const Problem& problem) { return fock_setting(problem); }
  template <class S>
  [[nodiscard]] static const std::vector<Int3>& row_indices(const PlaneWaveBands<S>& bands) {
    return bands.h.waves().g();
  }
  template <class S>
  [[nodiscard]] static std::vector<double> row_weights(const PlaneWaveBands<S>& bands) {
    std::vector<double> weights;
    for (const Int3& g : row_indices<S>(bands)) weights.push_back(ScalarTraits<S>::is_real && g != Int3{} ? 2.0 : 1.0);
    return weights;
  }
  template <class S>
  void rotate(std::vector<DetachedBands<S, PlaneWaves>>& bands, const Problem& problem, const SolvedGeometry& before,
              const GridFields* old) const;
  /// By Miller index onto another sphere.
  template <class S>
  class BandTransfer {
   public:
    explicit BandTransfer(PlaneWaveDiscretisation& of) : of_(of) {}
    [[nodiscard]] Bands<S> operator()(const PlaneWaves& rows, const Bands<S>& x, PlaneWaveBands<S>& to) const;

   private:
    PlaneWaveDiscretisation& of_;
  };
  template <class S>
  [[nodiscard]] BandTransfer<S> band_transfer(const GridFields& /*old*/, const Problem& /*problem*/) {
    return BandTransfer<S>(*this);
  }
  /// Nothing: the coefficients are those of exp(iG.r), whatever A is.
  template <class S>
  static void change_gauge(BandView<S> /*x*/, const Vec3& /*change*/) {}
  template <class S>
  static void set_vector_potential(MyBands<S>& bands, const Problem& problem, const Vec3& change);
  [[nodiscard]] static BandVelocity make_velocity(PlaneWaveBands<std::complex<double>>& bands, const Problem& problem);
  template <class S>
  static void complete(PlaneWaveBands<S>& to, Bands<S>& x);
  template <class S>
  [[nodiscard]] EigenState<S> initial_bands(PlaneWaveBands<S>& bands, const Problem& problem, Index count) const;
  /// Bands as sums of the problem's local orbitals. Refers to all arguments.
  template <class S>
  [[nodiscard]] std::unique_ptr<ElectronSolver<GridFields>> make_local_orbital_solver(ScfSystem<S, GridFields>& system,
                                                                                      const MyBands<S>& bands,
                                                                                      const Problem& problem);
  template <class S>
  [[nodiscard]] Bands<S> atomic_orbitals(const PlaneWaveBands<S>& bands, const Problem& problem,
                                         const std::vector<PseudoAtom>& atoms, Index count) const;
  template <class S>
  [[nodiscard]] WriteState writing(const Problem& problem, const EnergyTerms<GridFields>& potential,
                                   const MyBands<S>& bands, const Density<GridFields>& density);

  // Exchanges and reports.

  template <class S>
  [[nodiscard]] TunedExchanges exchanges(const MyBands<S>& bands);
  /// Keeps the transports that bands about to be freed have chosen.
  template <class S>
  void remember(const MyBands<S>& bands);
  void save_plans() {
    wisdom_.save(setting_.groups.world());
    if (setting_.groups.world().rank() == 0) wisdom_.check(setting_.profile.seconds(Phase::fft));
  }
  void report(DiscretisationReport& report) const;

 private:
  /// The transports of the transposes and of the exchange between band groups, if already chosen.
  struct ChosenTransports {
    std::optional<TunerReport> transposes, bands;
  };

  [[nodiscard]] FftOptions fft_options(const Problem& problem, PlanEffort effort);
  /// The partition of a sphere over the band group, with the scheme and shape chosen for the first k-point. Local.
  [[nodiscard]] Partition partition_of(const GSphere& sphere) const;
  /// This rank's plane waves of a k-point in a cell, in the distribution for linear algebra. Local.
  [[nodiscard]] PlaneWaves waves_at(const Problem& problem, const Lattice& lattice, const Int3& grid,
                                    const Vec3& k) const;
  template <class S>
  [[nodiscard]] std::shared_ptr<KPointBasis<S>> make_basis(const Problem& problem, const Vec3& k,
                                                           std::shared_ptr<ProjectorMemory<S>> projectors = nullptr);
  /// Projectors in double precision, of bands that live, which serve a basis in single precision; null without any, and
  /// in double precision. Local.
  template <class S>
  [[nodiscard]] const NonlocalPotential<DoubleOf<S>>* projectors_in_double(const Problem& problem, const Vec3& k,
                                                                           Index waves) const;
  /// Made at their first use, kept for all k-points and geometries.
  template <class Real>
  [[nodiscard]] std::shared_ptr<ProjectorSpheres<Real>> spheres(const Problem& problem);

  Setting& setting_;
  Wisdom wisdom_;
  PartitionChoice partition_;  ///< of the first k-point's sphere over a band group
  ProcessGrid ranks_;          ///< of the band group
  ProcessGrid field_ranks_;    ///< of densities and potentials: the only band group, or all ranks in slabs
  Scheme field_scheme_;        ///< of the FFT box over field_ranks_
  std::shared_ptr<FftWorkspace> workspace_ =
      std::make_shared<FftWorkspace>();  ///< shared by all transforms: one runs at a time
  ProjectorChoice projectors_;           ///< for the first geometry
  template <class S>
  using Living = std::vector<std::weak_ptr<KPointBasis<S>>>;
  std::tuple<Living<double>, Living<std::complex<double>>> in_double_;  ///< that make_bands() made last
  LoadStatistics load_;                                                 ///< of the first k-point's sphere
  std::unique_ptr<GridFields> fields_;
  ChosenTransports chosen_;       ///< of bands that have been freed
  TransportSearch reassignment_;  ///< of the exchanges that move bands to another basis
  std::shared_ptr<ProjectorSpheres<double>> spheres_;
  std::shared_ptr<ProjectorSpheres<float>> single_spheres_;
  std::shared_ptr<const LocalOrbitalReport> local_orbitals_;  ///< of the last solver
};

}  // namespace wavegrid
