// A plan that searches for its transport while it is used.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/exchange/tuner.hpp>

namespace wavegrid {

/// A Plan, an ExchangePlan or what has its transport(), use_agreed() and release_other_transports(), whose transport is
/// given or found by a Tuner. Until a search ends, what is no step of it uses the transport that the plan was made
/// with: only this one has buffers for exchanges larger than those of the steps.
template <class Plan>
class TunedPlan : public Plan {
 public:
  using Plan::Plan;
  explicit TunedPlan(Plan&& plan) : Plan(std::move(plan)) {}

  /// Begins a search, also in place of another one. `comm`: the ranks that choose together. Local, as all but step().
  void search(const Comm& comm, std::vector<Transport> candidates) {
    tuner_.emplace(comm, std::move(candidates));
    if (tuner_->decided()) this->use_agreed(tuner_->transport());
  }
  /// Does `work`, exchanges by this plan, as one step of the search while that goes on. `amount`: as Tuner::step().
  /// Collective over the ranks of the search.
  template <class Work>
  void step(const Work& work, double amount = 1.0) {
    if (!is_tuning()) return work();
    tuner_->step(static_cast<Plan&>(*this), work, amount);
  }
  [[nodiscard]] bool is_tuning() const { return tuner_ && !tuner_->decided(); }
  /// The result of the search; none if the transport was given or nothing is exchanged.
  [[nodiscard]] std::optional<TunerReport> tuning() const {
    if (is_tuning()) return TunerReport{{}, this->transport(), "too few steps to measure every candidate"};
    return tuner_ ? std::optional(tuner_->report()) : std::nullopt;
  }
  /// Ends the search with a transport known to be good, such as one stored by an earlier run. The same on all ranks.
  void decide(Transport transport, const std::string& reason) {
    if (!is_tuning()) return;
    tuner_->decide(transport, reason);
    this->use_agreed(transport);
  }

 private:
  std::optional<Tuner> tuner_;
};

}  // namespace wavegrid
