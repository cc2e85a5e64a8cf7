// The bands of a session in both precisions, kept from solve to solve and taken along to other geometries.
#pragma once

#include <optional>
#include <vector>

#include "calculation/environment.hpp"
#include "calculation/work.hpp"

namespace wavegrid {

/// The geometry to which bands and density belong, and its k-points.
struct SolvedGeometry {
  Crystal crystal;
  Int3 grid;
  std::vector<KPoint> kpoints;
  SpaceGroup symmetry;
};

/// Bands of S, double precision, between solves. Members are collective over the world unless they say "local".
template <class S>
class SessionBands {
 public:
  using Single = SingleOf<S>;

  /// The environment must outlive this object. Without `keep_plans` the transforms of one precision go when the other's
  /// are made, k-point by k-point.
  SessionBands(Environment& environment, bool keep_plans) : environment_(environment), keep_plans_(keep_plans) {}

  /// In double precision: from single precision where the bands are there, else without states until they are started.
  MyBands<S>& in_double(const Problem& problem);
  /// In single precision: from double precision where the bands are there, which leaves that empty.
  MyBands<Single>& in_single(const Problem& problem);

  /// Takes bands in double precision along to the problem's geometry: images and Ritz values are left open. Bands of a
  /// new k-point come from an equivalent one; without one it stays empty.
  void follow(const Problem& problem, const SolvedGeometry& before);
  /// Lets all states go. Local.
  void drop_states();

  /// What all bands have cost since they were made, on the first rank of each k-point group. Local.
  [[nodiscard]] Work work() const;

 private:
  /// Bands of one k-point and spin away from their Hamiltonian.
  struct Carried {
    int spin;
    PlaneWaves waves;  ///< of the rows
    Bands<S> x;        ///< none where no equivalent k-point was there
  };
  [[nodiscard]] std::vector<Carried> released();
  [[nodiscard]] std::vector<Carried> rotated(std::vector<Carried> bands, const Problem& problem,
                                             const SolvedGeometry& before) const;
  /// How transposes and the exchange between band groups travel, where that was decided.
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
  Tuning tuning_;  ///< of bands that are no more
  Work work_of_dropped_;
};

}  // namespace wavegrid
