// Fills the ghost points of a mesh, or of any graph, for a block of states, and adds ghost points to their owners.
//
// To fill is the linear map H from own points to own and ghost points, (H x)_p = x_p and (H x)_g = f_g x_owner(g) with
// the Bloch factor f_g. Its adjoint is (H^+ y)_p = y_p + sum over the ghosts g of point p of conj(f_g) y_g.
#pragma once

#include <complex>
#include <ranges>
#include <vector>

#include <wavegrid/exchange/ghosts.hpp>
#include <wavegrid/exchange/tuned_plan.hpp>
#include <wavegrid/linalg/scalar.hpp>
#include <wavegrid/mesh/mesh.hpp>

namespace wavegrid {

/// The factors of Bloch functions at periodic images: psi(r + R) = exp(i k.R) psi(r), docs/conventions.md. None at
/// Gamma.
class BlochPhases {
 public:
  BlochPhases() = default;
  /// `kpoint` in units of the reciprocal lattice vectors. Local.
  BlochPhases(const Mesh& mesh, const Vec3& kpoint);

  /// True if all factors on this rank are 1.
  [[nodiscard]] bool empty() const { return runs_.empty(); }
  /// Multiplies the ghost points of a block of `width` states per point. Throws bad_input for real states where a
  /// factor is not real.
  template <class S>
  void apply(S* values, Index width) const;
  /// The same with the conjugate factors.
  template <class S>
  void apply_conjugate(S* values, Index width) const;

 private:
  template <class S>
  void multiply(S* values, Index width, bool conjugate) const;

  struct PhasedRun {
    Run points;
    std::complex<double> factor;
  };
  std::vector<PhasedRun> runs_;
};

/// A halo exchange in progress. From its start to the end of wait() ghost points may not be read and no point may be
/// written; own points may be read. Of an adjoint exchange ghost points may not be touched, and own points may also be
/// written: wait() adds to what they then hold.
template <class S>
class HaloExchange {
 public:
  /// Makes progress; true if all messages have arrived.
  bool test() { return exchange_.test(); }
  /// Waits for the messages and unpacks them, with the phases.
  void wait() {
    exchange_.wait();
    if (phases_) phases_->apply(values_, width_);
    phases_ = nullptr;
  }

 private:
  friend class Halo;
  HaloExchange(Exchange exchange, S* values, Index width, const BlochPhases* phases)
      : exchange_(std::move(exchange)), values_(values), width_(width), phases_(phases) {}
  Exchange exchange_;
  S* values_;
  Index width_;
  const BlochPhases* phases_;
};

/// The halo exchange of a mesh or of any graph. A block of states is an array (points and ghost points, width), the
/// states of a point side by side: one message per neighbour carries all states of the block, and a piece of a line is
/// one copy.
class Halo {
 public:
  /// Collective over mesh.comm(). The mesh is not needed afterwards. `threads`: that pack and unpack.
  Halo(const Mesh& mesh, Transport transport, int threads = 1);
  /// From the global numbers of this rank's own points and of its ghost points, each in local order. Collective over
  /// `comm`; throws bad_input on all ranks if a number has no owner, or two (match_ghosts).
  Halo(const Comm& comm, const IndexList& own, const IndexList& ghosts, Transport transport = Transport::neighbor,
       int threads = 1);

  // Functions of a vector or a span check its length, and that all ranks pass the same width and type: they throw
  // bad_input on all ranks, and cost a reduction. Those of a pointer trust it.

  /// Starts to fill the ghost points of `values` from their owners' points. `phases`, if any, must live until the end.
  /// Collective, as the functions below.
  template <class S>
  [[nodiscard]] HaloExchange<S> start(S* values, Index width, const BlochPhases* phases = nullptr) {
    return {plan_.start(ExchangeDirection::forward, values, values, batch(width)), values, width, phases};
  }
  template <std::ranges::contiguous_range Values>
  [[nodiscard]] auto start(Values&& values, Index width, const BlochPhases* phases = nullptr) {
    plan_.require_agreement(ExchangeDirection::forward, values, values, batch(width));
    return start(std::ranges::data(values), width, phases);
  }
  /// Fills the ghost points and waits.
  template <class S>
  void fill(S* values, Index width, const BlochPhases* phases = nullptr) {
    start(values, width, phases).wait();
  }
  template <std::ranges::contiguous_range Values>
  void fill(Values&& values, Index width, const BlochPhases* phases = nullptr) {
    start(values, width, phases).wait();
  }

  /// Starts the adjoint of fill(): every ghost point of `values`, times its conjugate phase, is added to its owner's
  /// point. To a point first the ghosts of the lowest rank are added, then those of the next one, whatever the
  /// transport: the same bits from each. The ghost points are undefined afterwards.
  template <class S>
  [[nodiscard]] HaloExchange<S> start_adjoint(S* values, Index width, const BlochPhases* phases = nullptr) {
    if (phases) phases->apply_conjugate(values, width);
    return {plan_.start(ExchangeDirection::adjoint, values, values, batch(width)), values, width, nullptr};
  }
  template <std::ranges::contiguous_range Values>
  [[nodiscard]] auto start_adjoint(Values&& values, Index width, const BlochPhases* phases = nullptr) {
    plan_.require_agreement(ExchangeDirection::adjoint, values, values, batch(width));
    return start_adjoint(std::ranges::data(values), width, phases);
  }
  /// Adds the ghost points to their owners' points and waits.
  template <class S>
  void adjoint(S* values, Index width, const BlochPhases* phases = nullptr) {
    start_adjoint(values, width, phases).wait();
  }
  template <std::ranges::contiguous_range Values>
  void adjoint(Values&& values, Index width, const BlochPhases* phases = nullptr) {
    start_adjoint(values, width, phases).wait();
  }

  /// Begins a search for the fastest transport of blocks of so many bytes per point. Collective.
  void search_transport(Index bytes);

  /// The plan: its transport, its trace.
  [[nodiscard]] TunedPlan<ExchangePlan>& plan() { return plan_; }
  [[nodiscard]] const TunedPlan<ExchangePlan>& plan() const { return plan_; }

 private:
  Halo(const Comm& comm, MatchedRuns runs, Transport transport, int threads)
      : plan_(comm, std::move(runs.sends), std::move(runs.receives), transport, threads) {}
  /// No band where there are no states.
  [[nodiscard]] static Batch batch(Index width) { return width == 0 ? Batch{.count = 0} : Batch{.values = width}; }

  TunedPlan<ExchangePlan> plan_;
};

}  // namespace wavegrid
