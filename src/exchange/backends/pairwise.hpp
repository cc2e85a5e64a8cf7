// Point-to-point messages to the real partners.
#pragma once

#include <wavegrid/exchange/backend.hpp>
#include <wavegrid/mpi/request.hpp>

namespace wavegrid {

/// Persistent sends and receives to the real partners only; ranks without messages take no part.
class PairwiseBackend : public BufferedBackend {
 public:
  enum class Schedule {
    at_once,  ///< all sends together, those to other nodes first
    ring,     ///< by rising distance of ranks, `window` in progress at a time: no receiver gets all messages at once
  };

  PairwiseBackend(BackendSetup setup, Schedule schedule);
  [[nodiscard]] bool has_far_messages() const override { return num_far_ > 0; }
  [[nodiscard]] bool is_far(std::size_t i) const override { return is_far_[i]; }
  void open(Index unit) override;
  void start_far() override { start_sends(num_far_); }
  void start() override;
  [[nodiscard]] bool test() override;
  void wait() override;

 private:
  static constexpr std::size_t window = 2;

  void bind() override;
  void start_sends(std::size_t until);

  Schedule schedule_;
  std::vector<std::size_t> order_;  ///< of the messages to send; with Schedule::at_once those to other nodes first
  std::vector<bool> is_far_;
  std::size_t num_far_ = 0;
  RequestList receives_, sends_;  ///< sends are in the order of order_
  std::size_t started_ = 0;       ///< sends that are in progress or complete
};

}  // namespace wavegrid
