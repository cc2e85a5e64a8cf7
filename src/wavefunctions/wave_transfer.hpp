// The plan that carries plane-wave coefficients from one layout to another: in one exchange to other ranks, another
// sphere, an equivalent k-point.
#pragma once

#include <span>
#include <vector>

#include "exchange/directory.hpp"
#include "exchange/exchange_plan.hpp"
#include "linalg/bands.hpp"
#include "wavefunctions/wave_map.hpp"

namespace wavegrid {

/// What one rank holds, or wants, of a set of bands: for each band of `bands` the coefficients at `g`, band after band.
/// Ranks that hold nothing pass no `g` or no bands.
struct WaveList {
  std::span<const Int3> g{};  ///< Miller indices in local order; need not outlive the plan
  Range bands{0, 1};          ///< of the set: all ranks' sets together make the bands 0 .. (largest end)
  Mode mode = Mode::complex;  ///< the same on all ranks, those that hold nothing included

  [[nodiscard]] Index size() const { return static_cast<Index>(g.size()) * bands.size(); }
};

/// How a rank waits for its partners.
enum class Waiting {
  alert,   ///< it looks all the time: for partners that come at once
  asleep,  ///< it leaves its core to those that work: for partners that have a disk to wait for
};

/// A plan from one WaveList to another. What the source lacks is not written: let the target be zero there before.
class WaveTransfer {
 public:
  /// Collective over `comm`, whose ranks may be those of several process groups. Each (G, band) has one owner. Where
  /// the source is in Mode::gamma, a target in Mode::complex may want G of both halves; a target in Mode::gamma wants a
  /// source that is. Throws bad_input on all ranks alike where a G has two owners or the modes do not fit.
  WaveTransfer(const Comm& comm, const WaveList& source, const WaveList& target, const WaveMap& map = {},
               Transport transport = Transport::alltoallv);

  /// target = coefficients of the source, set after set: `sets` of them stand behind each other in both arrays.
  /// T: complex of double or float. Collective; each rank may wait as it likes.
  template <class T>
  void forward(const T* source, T* target, Index sets = 1, Waiting waiting = Waiting::alert);
  /// The way back, for plans that carry every coefficient as it is (else an internal error on all ranks): source =
  /// coefficients of the target. Collective.
  template <class T>
  void backward(const T* target, T* source, Index sets = 1);

  /// Elements of this rank's target that no source has.
  [[nodiscard]] Index missing() const { return missing_; }
  /// Elements of all ranks that find no partner: those missing, and those of the sources that nobody wants. 0 where the
  /// plan is a bijection; of a gamma source every G but 0 counts twice where the target is complex. Where each G is
  /// wanted once.
  [[nodiscard]] Index unmatched() const { return unmatched_; }

 private:
  /// The runs, and what is done to the coefficients that arrive.
  struct Parts {
    MatchedRuns runs;
    std::vector<std::complex<double>> factors;  ///< of the target's waves; empty: all 1
    std::vector<Index> conjugated;              ///< waves of the target that are taken as conjugates
    bool as_they_are = true;                    ///< on all ranks nothing is done to them
    Index missing = 0, unmatched = 0;
  };
  static Parts match(const Comm& comm, const WaveList& source, const WaveList& target, const WaveMap& map);
  WaveTransfer(const Comm& comm, Parts parts, const WaveList& source, const WaveList& target, Transport transport);

  Index source_size_, target_size_, waves_;  // waves: of the target, per band
  std::vector<std::complex<double>> factors_;
  std::vector<Index> conjugated_;
  bool as_they_are_;
  Index missing_, unmatched_;
  ExchangePlan plan_;
};

}  // namespace wavegrid
