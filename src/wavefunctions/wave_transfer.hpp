// The plan that moves plane-wave coefficients from one layout to another: to other ranks, another sphere or an
// equivalent k-point in one exchange.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/exchange/tuner.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/wavefunctions/wave_map.hpp>

namespace wavegrid {

/// The coefficients that one rank owns, or needs, of a set of bands: for each band of `bands` those at `g`, band after
/// band. Ranks without coefficients pass no `g` or no bands.
struct WaveList {
  std::span<const Int3> g{};  ///< Miller indices in local order; need not outlive the plan
  Range bands{0, 1};          ///< of the set; those of all ranks together are [0, largest end)
  Mode mode = Mode::complex;  ///< the same on all ranks, also on those without coefficients

  [[nodiscard]] Index size() const { return static_cast<Index>(g.size()) * bands.size(); }
};

/// A search that may go on in several plans over the same ranks; it begins with the first of them that moves anything.
struct TransportSearch {
  std::optional<Transport> given{};  ///< there is no search then
  std::optional<Tuner> tuner{};      ///< since the first plan
  MessageSizes messages{};           ///< of the first plan
  Index unit = 0;                    ///< bytes per element of its messages; 0 before it

  /// Of the next exchange; valid since the first plan.
  [[nodiscard]] Transport transport() const { return given ? *given : tuner->transport(); }
};

/// How a rank waits for its partners.
enum class WaitPolicy {
  polling,   ///< tests continuously: for partners that are ready soon
  sleeping,  ///< sleeps between tests, so that other ranks can use the core: for partners that wait for a disk
};

/// A plan from one WaveList to another. Coefficients that are not in the source are not written: set the target to zero
/// before.
class WaveTransfer {
 public:
  /// Collective over `comm`, whose ranks may be those of several process groups. Each (G, band) has one owner. Where
  /// the source is in Mode::gamma, a target in Mode::complex may contain G of both halves; a target in Mode::gamma
  /// needs a source in the same mode. Throws bad_input on all ranks if a G has two owners or the modes do not fit.
  WaveTransfer(const Comm& comm, const WaveList& source, const WaveList& target, const WaveMap& map = {},
               Transport transport = Transport::alltoallv);

  /// target = coefficients of the source, set after set: `sets` of them, one after the other in both arrays.
  /// T: complex of double or float. Collective; `waiting` may differ between ranks.
  template <class T>
  void forward(const T* source, T* target, Index sets = 1, WaitPolicy waiting = WaitPolicy::polling);

  /// The same as a step of a search. Steps of different length are compared by their time per set.
  template <class T>
  void forward(const T* source, T* target, Index sets, TransportSearch& search);

  /// Elements of this rank's target that are in no source.
  [[nodiscard]] Index missing() const { return missing_; }
  /// Elements of all ranks without a partner: those missing, and those of the sources that no target contains. 0 if the
  /// plan is a bijection; of a gamma source every G but 0 counts twice if the target is complex. Assumes that no G is
  /// in two targets.
  [[nodiscard]] Index unmatched() const { return unmatched_; }

 private:
  /// The runs, and the operations on received coefficients.
  struct Parts {
    MatchedRuns runs;
    std::vector<std::complex<double>> factors;  ///< of the target's waves; empty: all 1
    std::vector<Index> conjugated;              ///< waves of the target that are conjugated
    Index missing = 0, unmatched = 0;
  };
  static Parts match(const Comm& comm, const WaveList& source, const WaveList& target, const WaveMap& map);
  WaveTransfer(const Comm& comm, Parts parts, const WaveList& source, const WaveList& target, Transport transport);

  Index source_size_, target_size_, waves_;  // waves: of the target, per band
  std::vector<std::complex<double>> factors_;
  std::vector<Index> conjugated_;
  Index missing_, unmatched_;
  ExchangePlan plan_;
};

}  // namespace wavegrid
