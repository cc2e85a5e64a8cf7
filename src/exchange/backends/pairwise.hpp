// Point-to-point messages to the real partners.
#pragma once

#include "exchange/backend.hpp"

namespace wavegrid {

/// Persistent sends and receives to the real partners only; ranks without messages take no part.
class PairwiseBackend : public BufferedBackend {
 public:
  enum class Schedule {
    at_once,  ///< all sends together
    ring,     ///< by rising distance of ranks, `window` under way at a time: no receiver meets all senders at once
  };

  PairwiseBackend(BackendSetup setup, Schedule schedule);
  ~PairwiseBackend() override;
  void open(Index unit) override;
  void start() override;
  [[nodiscard]] bool test() override;
  void wait() override;

 private:
  static constexpr std::size_t window = 2;

  void free_requests();
  void start_sends(std::size_t until);

  Schedule schedule_;
  std::vector<std::size_t> order_;  ///< of the outgoing messages
  std::vector<MPI_Request> receives_, sends_;
  std::size_t started_ = 0;  ///< sends that are under way or done
};

}  // namespace wavegrid
