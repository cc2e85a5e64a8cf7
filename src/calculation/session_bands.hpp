// The bands of a session in both precisions, kept between solves and transferred to other geometries.
#pragma once

#include <optional>
#include <vector>

#include "calculation/environment.hpp"
#include "calculation/extrapolation.hpp"
#include "calculation/rotated_bands.hpp"
#include "calculation/work.hpp"
#include "wavefunctions/wave_transfer.hpp"

namespace wavegrid {

using GridHistory = GeometryHistory<GridFft::Coefficients>;

/// Bands of S, double precision, between solves. Members are collective over the world unless they say "local".
template <class S>
class SessionBands {
 public:
  using Single = SingleOf<S>;

  /// The environment must outlive this object. Without `keep_plans` the transforms of one precision are freed while
  /// those of the other are made, k-point by k-point.
  SessionBands(Environment& environment, bool keep_plans) : environment_(environment), keep_plans_(keep_plans) {}

  /// Bands in double precision: from single precision where the bands are there, otherwise without states.
  MyBands<S>& in_double(const Problem& problem);
  /// Bands in single precision: from double precision where the bands are there, whose states are then empty.
  MyBands<Single>& in_single(const Problem& problem);

  /// Extrapolates bands in double precision to the problem's geometry, as `history` weighs the last ones, whose bands
  /// are kept in single precision; images and Ritz values are not set. Where the k-points change, the bands of a new
  /// one come from those of an equivalent k-point in the last geometry; without one they stay empty. If there are no
  /// states in double precision (a solve ended early), all bands are freed and start anew. Throws on all ranks or none.
  void follow(const Problem& problem, const SolvedGeometry& before, const GridHistory& history);
  /// Frees all states. Local.
  void drop_states();
  /// Frees all bands and their transforms; operation counts and chosen transports are kept. Local, but all ranks of a
  /// communicator must call it.
  void clear();

  /// Operation counts of all bands since the session began, on the first rank of each k-point group. Local.
  [[nodiscard]] Work work() const;

 private:
  /// Bands of one k-point and spin without their Hamiltonian.
  struct DetachedBands {
    WaveBands<S> bands;  ///< without x if there was no equivalent k-point
    BandHistory<S> earlier{};
  };
  [[nodiscard]] bool has_states(Index sets) const;
  /// Replaces each X by its extrapolation and remembers it, for bands whose basis is that of the problem.
  void extrapolate(const Problem& problem, const GridHistory& history);
  [[nodiscard]] std::vector<DetachedBands> released();
  [[nodiscard]] std::vector<DetachedBands> rotated(std::vector<DetachedBands> bands, const Problem& problem,
                                                   const SolvedGeometry& before) const;
  /// The transports of the transposes and of the exchange between band groups, if already chosen.
  struct Tuning {
    std::optional<TunerReport> transposes, bands;
  };
  [[nodiscard]] Tuning tuning() const;
  template <class T>
  [[nodiscard]] MyBands<T> made(const Problem& problem, const std::function<void(PlaneWaveBands<T>&)>& prepare = {});

  Environment& environment_;
  bool keep_plans_;
  MyBands<S> double_;
  MyBands<Single> single_;
  Tuning tuning_;                 ///< of bands that have been freed
  TransportSearch reassignment_;  ///< of the exchanges that move bands to another basis
  Work work_of_dropped_;
  std::vector<BandHistory<S>> earlier_;  ///< of each k-point and spin
};

}  // namespace wavegrid
