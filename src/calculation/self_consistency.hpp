// The loops of one solve of a session: in single and in double precision, again where bands are added.
#pragma once

#include <optional>

#include "calculation/activity.hpp"
#include "calculation/checkpoint_writer.hpp"
#include "calculation/plane_wave_scf.hpp"
#include "calculation/restart.hpp"
#include "calculation/result.hpp"
#include "calculation/session_bands.hpp"
#include "calculation/transport_choice.hpp"

namespace wavegrid {

/// What the loops use of a session; its density and bands become those of the result.
template <class S>
struct SolveParts {
  Environment& environment;
  SessionBands<S>& bands;
  Problem& problem;  ///< its number of bands may grow
  GridFields& fields;
  GridPotential& potential;
  Density<GridFields>& density;
  std::optional<Restart>& restart;
  CheckpointRecord& checkpoints;
};

/// Members are collective over the world.
template <class S>
class SelfConsistency {
 public:
  /// Parts and observers must outlive this object.
  SelfConsistency(const SolveParts<S>& parts, const ScfObserver& observer, const ActivityObserver& activity)
      : parts_(parts),
        observer_(observer),
        activity_(activity),
        checkpoints_(parts.problem, parts.environment.groups.world(), parts.checkpoints) {}

  /// Solves, writes checkpoints and computes derivatives. Times and counts of the whole solve are not set.
  [[nodiscard]] CalculationResult run();

  /// Initial bands in the present potential: those of the restart file where it has them.
  template <class T>
  [[nodiscard]] EigenState<T> initial_bands_of(PlaneWaveBands<T>& bands, Index count);

 private:
  using Earlier = std::optional<EarlierSteps<GridFields>>;

  void choose_mixing(CalculationResult& result);
  void run_in_single(CalculationResult& result, Earlier& earlier);
  void run_in_double(CalculationResult& result, Earlier& earlier);
  /// Repeats a loop with bands of T until no more bands are added: loop(earlier steps) returns what it passes on.
  template <class T, class Loop>
  void repeat(const MyBands<T>& bands, Earlier& earlier, const Loop& loop);

  /// Writes these bands with a density, which both must outlive the result.
  template <class T>
  [[nodiscard]] WriteState writing(const MyBands<T>& bands, const Density<GridFields>& density) const;
  /// The callback for the loop over `bands`: none without checkpoints.
  template <class T>
  [[nodiscard]] ScfWatch<GridFields> watch(const MyBands<T>& bands);

  template <class T>
  [[nodiscard]] MyBands<T>& ready(MyBands<T>& bands);
  template <class T>
  [[nodiscard]] PlaneWaveSystem<T> system_of(MyBands<T>& bands) const;
  template <class T>
  [[nodiscard]] BandStart<T> initial_of();
  [[nodiscard]] ScfEnding<GridFields> ending(const PlaneWaveSystem<S>& system, CalculationResult& result) const;

  template <class T>
  [[nodiscard]] TunedExchanges exchanges(const MyBands<T>& bands) const;
  template <class T>
  void fill_parallel(CalculationResult& result, const MyBands<T>& bands);
  [[nodiscard]] const Comm& world() const { return parts_.environment.groups.world(); }

  SolveParts<S> parts_;
  const ScfObserver& observer_;
  const ActivityObserver& activity_;
  CheckpointWriter checkpoints_;
  ScfOptions options_{};  ///< with the choices of this solve
};

}  // namespace wavegrid
